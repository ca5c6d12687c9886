/// Transactions in their wire form, read without being copied.
#pragma once

#include <vector>

#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/transaction.h"

namespace petal::net {

/// Where the parts of a transaction lie in its wire form (BIP144).
struct TransactionView {
    chain::ByteView bytes;  ///< the whole of it
    std::vector<chain::Outpoint> spent;
    std::vector<chain::ByteView> outputs;  ///< of each, the value and the script behind its length
};

/// Reads a transaction over and leaves the reader behind it. For bytes that
/// chain::Transaction::serialize() wrote; others make the reader fail, or the view wrong.
TransactionView read_transaction_view(chain::ByteReader& reader);

/// The script of one of a view's outputs.
chain::ByteView script_of(chain::ByteView output);

}  // namespace petal::net
