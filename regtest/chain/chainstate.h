/// The blocks of a regtest chain, and the unspent outputs of the active chain.
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

/// All blocks, and the coins and block times of the active chain (Bitcoin Core: Chainstate).
/// Connects and disconnects blocks at the tip. The owner must check the contents of a block before
/// connecting it. Blocks have stable addresses, because coins point into them. Layers point to the
/// coins and times.
class Chainstate {
public:
    /// A block. Transactions are kept in wire form, which takes half the memory.
    struct Entry {
        /// The parsed block, newly made on each call.
        RegtestBlock block() const;
        /// The block in wire form.
        chain::Bytes serialize() const;
        /// A transaction of the block. `position` must be below txids.size().
        chain::Transaction transaction(std::size_t position) const;
        /// The wire forms of the transactions, in order.
        std::vector<TransactionView> transaction_views() const;

        chain::BlockHeader header;
        std::vector<chain::Txid> txids;  ///< coinbase first
        chain::Bytes transaction_bytes;  ///< the transactions in wire form, concatenated
        chain::BlockHash hash;
        const Entry* parent = nullptr;  ///< null for the genesis block
        std::uint32_t height = 0;
        std::size_t order = 0;  ///< index in order of arrival, parents before children
        bool is_marked = false;
        /// Whether the block was ever on the active chain, so that its inputs are known to be
        /// valid.
        bool was_connected = false;
        /// The coins that the block spends, in the order of the inputs, if it was ever on the
        /// active chain.
        std::vector<Coin> spent;
    };

    explicit Chainstate(const RegtestBlock& genesis);
    Chainstate(const Chainstate&) = delete;
    Chainstate& operator=(const Chainstate&) = delete;

    const Entry& tip() const { return *active_.back(); }
    const chain::BlockHash& tip_hash() const { return tip().hash; }
    std::uint32_t next_height() const { return tip().height + 1; }
    /// A block of the active chain, at most at the tip's height.
    const Entry& at(std::uint32_t height) const { return *active_.at(height); }
    /// A block of any branch. Null if unknown.
    const Entry* find(const chain::BlockHash& hash) const;
    bool is_active(const Entry& entry) const;
    /// The number of other blocks at the tip's height. Takes time proportional to the number of
    /// blocks.
    std::size_t rivals_of_tip() const;

    /// The last block of each branch, in order of arrival. Takes time proportional to the number of
    /// blocks.
    std::vector<const Entry*> branch_tips() const;

    /// The number of blocks of all branches, including the genesis block.
    std::size_t block_count() const { return entries_.size(); }
    /// The median time of the eleven blocks up to this one (BIP113), or fewer near the genesis
    /// block.
    static std::int64_t median_time_past(const Entry& entry);
    /// Whether the block or an ancestor is marked.
    bool is_invalid(const Entry& entry) const;

    /// Adds a new block on a known one, without changing the active chain.
    const Entry& store(const RegtestBlock& block, const Entry& parent);
    /// Connects a block on top of the tip.
    void connect(const Entry& entry);
    /// Makes the block at `height`, below the tip, the tip. Returns the transactions of the
    /// disconnected blocks, without coinbases. Takes time proportional to the length of the chain.
    std::vector<chain::Transaction> disconnect_down_to(std::uint32_t height);

    /// Removes a block that was never on the active chain, and all its descendants, because its
    /// contents are invalid. A limited number of hashes of such blocks is remembered. Takes time
    /// proportional to the number of blocks.
    void forget_wrong(const Entry& entry);
    /// Whether the block was removed by forget_wrong().
    bool is_wrong(const chain::BlockHash& hash) const { return wrong_.contains(hash); }

    /// Marks a block other than the genesis block as invalid, so that neither the block nor a
    /// descendant may be on the active chain. The caller must update the active chain.
    void mark_invalid(const Entry& entry) { entries_[entry.order]->is_marked = true; }
    /// Removes the marks of a block, its ancestors and its descendants. Returns whether there were
    /// any. Takes time proportional to the number of blocks.
    bool unmark(const Entry& entry);
    /// Makes the block the best of several tips with the same work (Bitcoin Core: preciousblock).
    void prefer(const Entry& entry) { preferred_ = &entry; }
    /// The tip with the most work without a marked ancestor. Of several, the preferred one, or else
    /// the one that arrived first. Takes time proportional to the number of blocks.
    const Entry& best_tip() const;
    /// The last block of the active chain that is this block or an ancestor of it.
    const Entry& fork_point(const Entry& entry) const;

    const CoinSet& coins() const { return coins_; }
    const BlockTimes& times() const { return times_; }
    /// A layer over the coins and times, without transactions.
    TransactionLayer layer() const { return {coins_, times_}; }

private:
    Entry& put(const RegtestBlock& block);
    /// For each entry, by its order, whether the entry or an ancestor has the mark.
    template <typename HasMark>
    std::vector<bool> inherited(HasMark has_mark) const;

    std::unordered_map<chain::BlockHash, Entry> blocks_;  // entries are never moved
    std::vector<Entry*> entries_;                         // by order
    std::vector<const Entry*> active_;
    const Entry* preferred_ = nullptr;
    CoinSet coins_;
    BlockTimes times_;
    std::unordered_set<chain::BlockHash> wrong_;
    std::deque<chain::BlockHash> wrong_by_age_;  // the hashes in wrong_, oldest first
};

}  // namespace petal::regtest
