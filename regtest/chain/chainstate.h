/// The blocks of a regtest chain, and the unspent outputs of the active branch.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "chain/block_header.h"
#include "chain/bytes.h"
#include "chain/transaction.h"
#include "regtest/chain/regtest_block.h"
#include "regtest/mempool/coin_set.h"
#include "regtest/mempool/lock_times.h"
#include "regtest/mempool/transaction_view.h"

namespace petal::regtest {

/// All blocks, and the coins and times of the active chain (Bitcoin Core: Chainstate). Connects and
/// disconnects at the tip; the owner checks the contents of a block before connecting it. Blocks
/// are not moved, as coins point into them. Layers over it point to coins and times.
class Chainstate {
public:
    /// A block. In wire form its transactions take half as much memory as parsed.
    struct Entry {
        /// The block's parsed form, made anew.
        RegtestBlock block() const;
        /// Its wire form.
        chain::Bytes serialize() const;
        /// One of its transactions; `position` is below txids.size().
        chain::Transaction transaction(std::size_t position) const;
        /// The wire forms of its transactions, in order.
        std::vector<TransactionView> transaction_views() const;

        chain::BlockHeader header;
        std::vector<chain::Txid> txids;  ///< of its transactions, the coinbase's first
        chain::Bytes transaction_bytes;  ///< in wire form, one after the other
        chain::BlockHash hash;
        const Entry* parent = nullptr;  ///< null for the genesis block
        std::uint32_t height = 0;
        std::size_t order = 0;  ///< number in order of arrival: parents before children
        bool is_marked = false;
        /// Whether it has ever been on the active chain, so that its spends are known to be valid.
        bool was_connected = false;
    };

    explicit Chainstate(const RegtestBlock& genesis);
    Chainstate(const Chainstate&) = delete;
    Chainstate& operator=(const Chainstate&) = delete;

    const Entry& tip() const { return *active_.back(); }
    const chain::BlockHash& tip_hash() const { return tip().hash; }
    std::uint32_t next_height() const { return tip().height + 1; }
    /// A block of the active chain; `height` is at most the tip's.
    const Entry& at(std::uint32_t height) const { return *active_.at(height); }
    /// A block of any branch; null if there is none.
    const Entry* find(const chain::BlockHash& hash) const;
    bool is_active(const Entry& entry) const;
    /// How many blocks have the tip's height, the tip aside. Costs time in proportion to the number
    /// of blocks.
    std::size_t rivals_of_tip() const;

    /// All blocks in the order of arrival, the genesis block first.
    std::size_t block_count() const { return entries_.size(); }
    /// The median of the times of the eleven blocks up to this one (BIP113), of fewer near the
    /// genesis block.
    static std::int64_t median_time_past(const Entry& entry);
    /// Whether the block or an ancestor is marked.
    bool is_invalid(const Entry& entry) const;

    /// Adds a new block on a known one, without changing the active chain.
    const Entry& store(const RegtestBlock& block, const Entry& parent);
    /// Connects a block whose parent is the tip to the active chain.
    void connect(const Entry& entry);
    /// Makes the block at `height`, which is below the tip, the tip. Returns the transactions of
    /// the blocks above, without coinbases. Takes time proportional to the length of the chain.
    std::vector<chain::Transaction> disconnect_down_to(std::uint32_t height);

    /// Removes a block that never was on the active chain, and all its descendants, because its
    /// contents are invalid. Its hash is remembered, among a limited number of hashes. Takes time
    /// proportional to the number of blocks.
    void forget_wrong(const Entry& entry);
    /// Whether the block was removed by forget_wrong().
    bool is_wrong(const chain::BlockHash& hash) const { return wrong_.contains(hash); }

    /// Marks a block, which is not the genesis block, as invalid, so that neither the block nor a
    /// descendant may be on the active chain. The caller must update the active chain.
    void mark_invalid(const Entry& entry) { entries_[entry.order]->is_marked = true; }
    /// Removes the marks of a block, its ancestors and its descendants. Returns whether there were
    /// any. Takes time proportional to the number of blocks.
    bool unmark(const Entry& entry);
    /// The tip with the most work whose ancestors are not marked; of several, the one that arrived
    /// first. Takes time proportional to the number of blocks.
    const Entry& best_tip() const;
    /// The last block of the active chain that is this block or an ancestor of it.
    const Entry& fork_point(const Entry& entry) const;

    const CoinSet& coins() const { return coins_; }
    const BlockTimes& times() const { return times_; }
    /// A layer over coins and times, without transactions.
    TransactionLayer layer() const { return {coins_, times_}; }

private:
    Entry& put(const RegtestBlock& block);
    /// The entries, by their order, that a mark of themselves or of an ancestor has.
    template <typename HasMark>
    std::vector<bool> inherited(HasMark has_mark) const;

    std::unordered_map<chain::BlockHash, Entry> blocks_;  // its nodes are not moved
    std::vector<Entry*> entries_;                         // by their order
    std::vector<const Entry*> active_;
    CoinSet coins_;
    BlockTimes times_;
    std::unordered_set<chain::BlockHash> wrong_;
    std::deque<chain::BlockHash> wrong_by_age_;  // the same hashes, oldest first
};

}  // namespace petal::regtest
