/// Transactions in wire form, read without copies.
#pragma once

#include <vector>

#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/transaction.h"

namespace petal::regtest {

/// The parts of a transaction in its wire form (BIP144).
struct TransactionView {
    chain::ByteView bytes;  ///< the whole transaction
    std::vector<chain::Outpoint> spent;
    std::vector<chain::ByteView> outputs;  ///< for each output: value, length of the script, script
};

/// Reads a transaction. For bytes that chain::Transaction::serialize() wrote. For other bytes, the
/// reader fails or the view is wrong.
TransactionView read_transaction_view(chain::ByteReader& reader);

/// The script of an output of a view.
chain::ByteView script_of(chain::ByteView output);

}  // namespace petal::regtest
