/// The ledger's record of one transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"
#include "chain/watcher.h"
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

/// Why blocks no longer count.
enum class UndoCause : std::uint8_t {
    reorganised,   ///< they left the best chain
    search_again,  ///< they are to be searched again, and may well be on the best chain
};

/// What peers have shown of a transaction while it was unconfirmed.
struct PeerEvidence {
    /// Only peers have shown it, and nothing verifies it: it replaces no other transaction.
    bool is_claim = false;
    /// The nodes that have shown it, ascending; some if there are many. A TxSource{} stands for
    /// those of a broadcast.
    std::vector<chain::TxSource> sources;

    friend bool operator==(const PeerEvidence&, const PeerEvidence&) = default;
};

/// The ledger's record of a transaction.
struct LedgerTransaction {
    chain::Txid txid;
    std::vector<chain::Outpoint> inputs;  ///< none for a coinbase
    std::vector<Credit> credits;          ///< by ascending index
    chain::Satoshis output_total = 0;     ///< of all outputs, foreign ones included
    bool announced = false;               ///< by the user; then it is `shown`, too
    /// A peer or the user has shown it unconfirmed, and every spend of the wallet's coins in it was
    /// verified. Blocks verify nothing: anyone with the work can make one up.
    bool shown = false;
    /// Without a placement: the height of the block that had it and is to be searched again, after
    /// the watch list grew or for a rescan. Until then it counts as unconfirmed.
    std::optional<std::uint32_t> unsearched_height;
    std::size_t stored_bytes = 0;  ///< size of its stored form
    std::int64_t seen_time = 0;    ///< Unix seconds, of the first sight; for one that left
                                   ///< the chain, of its block if that is later
    std::uint64_t seen_order = 0;  ///< counts the last sight of each; the ledger gives it
    PeerEvidence evidence{};
    std::optional<Placement> placement;  ///< empty while it is unconfirmed

    bool is_coinbase() const { return inputs.empty(); }
    /// Whether only blocks that left the chain had it. It is shown in the history and counts
    /// nowhere else: the block may have been made up. A coinbase is never undone.
    bool is_undone() const { return !placement && !shown && !unsearched_height && !is_coinbase(); }
    /// Whether it is a coinbase whose block has left the chain.
    bool is_orphaned() const { return is_coinbase() && !placement && !unsearched_height; }

    friend bool operator==(const LedgerTransaction&, const LedgerTransaction&) = default;
};

/// The record of a transaction with these credits; empty if the transaction breaks a consensus rule
/// by itself (chain::check_transaction).
std::optional<LedgerTransaction> summarize(const chain::Transaction& transaction,
                                           const chain::Txid& txid, std::vector<Credit> credits);

}  // namespace petal::wallet
