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

/// An output that pays the wallet.
struct Credit {
    std::uint32_t index = 0;  ///< among the transaction's outputs
    chain::Satoshis value = 0;
    KeyPath path;

    friend bool operator==(const Credit&, const Credit&) = default;
};

/// A block with transactions of the ledger.
struct LedgerBlock {
    chain::BlockRef ref;
    std::int64_t time = 0;  ///< Unix seconds, from the header

    friend bool operator==(const LedgerBlock&, const LedgerBlock&) = default;
};

/// The position of a transaction on the best chain.
struct Placement {
    std::uint32_t height = 0;
    std::uint32_t position = 0;  ///< in the block, the coinbase being 0

    friend auto operator<=>(const Placement&, const Placement&) = default;
};

/// What peers have shown of a transaction while it was unconfirmed.
struct PeerEvidence {
    /// The transaction was shown only by peers and is unverified, so it replaces no transaction.
    bool is_claim = false;
    /// Nodes that have shown the transaction, ascending, at most kMaxSources. TxSource{} stands for
    /// the nodes to which the user broadcast it.
    std::vector<chain::TxSource> sources;

    friend bool operator==(const PeerEvidence&, const PeerEvidence&) = default;
};

/// The ledger's record of a transaction.
struct LedgerTransaction {
    chain::Txid txid;
    std::vector<chain::Outpoint> inputs;  ///< empty for a coinbase
    std::vector<Credit> credits;          ///< by ascending index
    chain::Satoshis output_total = 0;     ///< of all outputs, including foreign outputs
    bool announced = false;               ///< broadcast by the user (implies `shown`)
    /// A peer or the user has shown the transaction unconfirmed, and all its spends of the wallet's
    /// coins were verified. A block alone is no verification, because anyone with the work can
    /// fabricate a block.
    bool shown = false;
    std::size_t stored_bytes = 0;  ///< size of the stored form
    std::int64_t seen_time = 0;    ///< Unix seconds of the first sight, or the time of a block that
                                   ///< left the chain if later
    std::uint64_t seen_order = 0;  ///< the order of the last sight, set by the ledger
    PeerEvidence evidence{};
    std::optional<Placement> placement;  ///< empty while unconfirmed
    /// Only with a placement: the blocks from the placement on are to be searched again, because
    /// the watch list grew or for a rescan. The transaction stays proven. Its coins count as
    /// unconfirmed until the search has passed the placement.
    bool awaits_search = false;

    bool is_coinbase() const { return inputs.empty(); }
    /// Whether the transaction was only in blocks that left the chain, and so may be fabricated. An
    /// undone transaction is only shown in the history. A coinbase is never undone.
    bool is_undone() const { return !placement && !shown && !is_coinbase(); }
    /// Whether this is a coinbase of a block that left the chain.
    bool is_orphaned() const { return is_coinbase() && !placement; }

    friend bool operator==(const LedgerTransaction&, const LedgerTransaction&) = default;
};

/// The record of a transaction with these credits. Empty if chain::check_transaction() fails.
std::optional<LedgerTransaction> summarize(const chain::Transaction& transaction,
                                           const chain::Txid& txid, std::vector<Credit> credits);

}  // namespace petal::wallet
