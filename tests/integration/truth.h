/// What a wallet must know, worked out from whole blocks without filters, proofs or a database.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/key_book.h"
#include "tests/integration/server.h"
#include "wallet/records.h"

namespace petal::test {

/// A wallet's whole ledger as lines of text, in an order of their own: one for each coin and each
/// transaction, and the balance. Two ledgers are alike when their lines are, and where they aren't
/// the lines show it.
using LedgerLines = std::vector<std::string>;

/// A wallet's own view of itself.
LedgerLines lines_of(const wallet::Balance& balance, const std::vector<wallet::Coin>& coins,
                     const std::vector<wallet::HistoryEntry>& history);

/// Reads all blocks, remembering nothing but transactions that it saw: whoever has seen an
/// unconfirmed transaction keeps it, even when the server forgets it.
class Truth {
public:
    explicit Truth(const KeyBook& keys) : keys_(keys) {}

    /// The ledger of a wallet that has seen all of `blocks`, and of unconfirmed transactions those
    /// in `mempool` and those that it ever saw before.
    LedgerLines read(const std::vector<net::Block>& blocks,
                     const std::vector<chain::Transaction>& mempool);

private:
    const KeyBook& keys_;
    std::map<chain::Txid, chain::Transaction> seen_;
};

}  // namespace petal::test
