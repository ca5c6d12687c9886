/// The ledger's record of one transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"
#include "wallet/keys/key_path.h"

namespace petal::wallet {

/// One of a transaction's outputs that is the wallet's.
struct Credit {
    std::uint32_t index = 0;  ///< among the transaction's outputs
    chain::Satoshis value = 0;
    KeyPath path;

    friend bool operator==(const Credit&, const Credit&) = default;
};

/// A block with transactions of the ledger.
struct LedgerBlock {
    chain::BlockRef ref;
    std::int64_t time = 0;  ///< Unix seconds, from its header

    friend bool operator==(const LedgerBlock&, const LedgerBlock&) = default;
};

/// The position of a transaction on the best chain.
struct Placement {
    std::uint32_t height = 0;
    std::uint32_t position = 0;  ///< in the block, the coinbase being 0

    friend auto operator<=>(const Placement&, const Placement&) = default;
};

/// The ledger's record of a transaction.
struct LedgerTransaction {
    chain::Txid txid;
    std::vector<chain::Outpoint> inputs;  ///< none for a coinbase
    std::vector<Credit> credits;          ///< by ascending index
    chain::Satoshis output_total = 0;     ///< of all outputs, foreign ones included
    bool coinbase = false;
    /// The height of a coinbase's block, from its scriptSig (BIP34).
    std::optional<std::uint32_t> coinbase_height;
    bool announced = false;              ///< by the user
    std::size_t stored_bytes = 0;        ///< size of its stored form
    std::int64_t seen_time = 0;          ///< Unix seconds, of the first sight; for one that left
                                         ///< the chain, of its block if that is later
    std::uint64_t seen_order = 0;        ///< counts the last sight of each; the ledger gives it
    std::optional<Placement> placement;  ///< empty while it is unconfirmed

    friend bool operator==(const LedgerTransaction&, const LedgerTransaction&) = default;
};

/// The record of a transaction with these credits; empty if the transaction breaks a consensus rule
/// by itself (chain::check_transaction).
std::optional<LedgerTransaction> summarize(const chain::Transaction& transaction,
                                           const chain::Txid& txid, std::vector<Credit> credits);

}  // namespace petal::wallet
