/// Transactions in their wire form, read without being copied.
#pragma once

#include <vector>

#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/transaction.h"

namespace petal::regtest {

/// The positions of the parts of a transaction in its wire form (BIP144).
struct TransactionView {
    chain::ByteView bytes;  ///< the whole transaction
    std::vector<chain::Outpoint> spent;
    std::vector<chain::ByteView> outputs;  ///< of each, the value and the script after its length
};

/// Reads a transaction and leaves the reader after it. For bytes that
/// chain::Transaction::serialize() wrote; other bytes make the reader fail, or the view wrong.
TransactionView read_transaction_view(chain::ByteReader& reader);

/// The script of one of a view's outputs.
chain::ByteView script_of(chain::ByteView output);

}  // namespace petal::regtest
