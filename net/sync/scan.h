/// Which blocks a watcher still has to be shown, and those that are on their way to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "chain/header_chain.h"
#include "chain/watcher.h"
#include "net/sync/block_download.h"
#include "net/sync/block_schedule.h"
#include "net/sync/filter_policy.h"
#include "net/sync/sync_checkpoint.h"

namespace petal::net {

/// The watcher's side of a sync: walks the best chain from where the watcher stands to the tip,
/// collects what peers deliver, in whatever order, and hands it over in batches, in height order.
/// What was found too late for some blocks has those searched again, once the tip is reached.
/// Exceptions of the watcher pass through.
class Scan {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// Both must outlive the scan.
    /// rate   that the watcher's filters are to have; nothing for the one that they had so far, or
    ///        that of Privacy::fast
    Scan(chain::HeaderChain& chain, chain::Watcher& watcher, std::optional<double> rate);

    /// Finds the watcher's place on the chain; undoes what a reorganisation took from it meanwhile.
    /// May have to wait for headers: until it returns true there is nothing to scan.
    /// headers_complete   no more headers are to be expected
    bool align(bool headers_complete);
    bool is_aligned() const { return aligned_; }

    /// The best chain has moved.
    void on_chain_moved(const chain::ChainMove& move);

    /// The next blocks to ask this peer for, at most `max`, up to the height `last`.
    std::vector<chain::BlockRef> take(PeerId peer, std::size_t max, std::uint32_t last,
                                      Milliseconds now);
    /// Blocks that others have owed for at least so long.
    std::vector<chain::BlockRef> take_over(PeerId peer, std::size_t max, std::uint32_t last,
                                           Milliseconds open_for, Milliseconds now);
    const BlockSchedule& schedule() const { return schedule_; }

    /// Takes a wanted block. `covered` are the blocks that its server serves after it by the same
    /// filter.
    struct Arrival {
        /// New, and to be added to the filters of all other servers now.
        std::vector<chain::Outpoint> found;
        bool owed_twice = false;  ///< another peer was asked for the block too
    };
    Arrival deliver(Delivery delivery, const HeightRanges& covered);

    /// What became of an unconfirmed transaction.
    struct UnconfirmedVerdict {
        bool is_tracked = false;
        /// What no honest node that serves witnesses would have shown of it; `is_proven` where that
        /// holds for all nodes.
        std::optional<SpendFault> fault{};
    };
    /// Takes an unconfirmed transaction that a server's filter is said to match, for the next call
    /// of store_unconfirmed(). It is not tracked where neither the filters' base nor what they hold
    /// explains it, where it is known and judged, there is no room for it, a block spends what it
    /// spends, or it is at fault (check_spends()). The watcher does not see such a one: no filter
    /// would show what takes its place. Nothing of it is remembered, so another peer may show a
    /// better version of the same txid.
    UnconfirmedVerdict on_unconfirmed(chain::Transaction transaction, const chain::Txid& txid,
                                      const TxSource& source);
    /// Transactions that came before what they spend, so that their signatures could not be judged
    /// until now. To be requested again; empties the list.
    std::vector<chain::Txid> take_unjudged() { return std::exchange(unjudged_, {}); }
    /// Whether there are some that were taken since the last call of store_unconfirmed().
    bool has_unstored() const { return !unstored_.empty(); }
    struct StoredUnconfirmed {
        /// To be added to all servers' filters now, and not before: what the transactions bring,
        /// and what they spend, so that what takes their place in a block shows.
        std::vector<chain::Outpoint> found;
        bool grew = false;  ///< the watch list; restart() is due
    };
    /// Hands those to the watcher, of which there are some, together with what is remembered of
    /// them: a later process has nothing else to tell it that filters hold them.
    StoredUnconfirmed store_unconfirmed();

    /// Takes a second server's word on a block that was delivered before, with more in it. Returns
    /// what is new, as above.
    std::vector<chain::Outpoint> deliver_more(Delivery delivery, const HeightRanges& covered);
    /// What these blocks hold is not to be relied on; they are searched again.
    void distrust(const HeightRanges& blocks);

    /// The peer won't answer for these, which it was asked for.
    void on_lost(PeerId peer, const std::vector<std::uint32_t>& heights) {
        schedule_.on_lost(peer, heights);
    }
    /// The watch list grew: all that was not handed over is to be asked for again.
    void restart();

    /// Hands over what was delivered. Returns whether the watch list grew: then all from
    /// next_height() on is to be searched again, by filters that know what is new.
    bool apply();

    /// Delivered blocks that apply() would hand over.
    std::size_t ready_blocks() const { return searched_again_ + (run_end_ - applied_); }
    /// All delivered blocks that were not handed over: bytes of their transactions.
    std::size_t held_bytes() const { return held_bytes_; }

    /// Every block up to the tip was handed over, and none is to be searched again.
    bool complete() const;

    /// The lowest block that was not handed over.
    std::uint32_t next_height() const { return applied_ + 1; }
    /// Up to where the watcher is covered; the block before the scan's first where it has seen
    /// none.
    std::uint32_t synced_height() const;
    /// Where the scan of this run began.
    std::uint32_t first_height() const { return first_height_; }
    /// Blocks of this run's scan that have arrived.
    std::uint64_t scanned_blocks() const;
    std::uint64_t refetched_blocks() const { return refetched_; }
    std::uint64_t false_positives() const { return false_positives_; }

    const SyncCheckpoint& memory() const { return memory_; }
    /// Of the filters for what is watched now.
    const FilterBase& filter_base();

private:
    bool align_new_watcher(bool headers_complete);
    bool align_known_watcher(bool headers_complete);
    chain::BlockRef last_known_block() const;
    void store_memory();
    chain::SyncState state_to_store();
    void undo_memory_to(std::uint32_t height);
    void start_above(std::uint32_t height);
    void move_back_to(const chain::BlockRef& block);
    void drop_held_above(std::uint32_t height);
    void count_ready();
    void forget_settled();
    std::vector<chain::Outpoint> note_found(const Delivery& delivery, const HeightRanges& covered);
    std::vector<MatchedOutput> matched_by_base(const Delivery& delivery);
    void hold(chain::ProvenBlock block);
    std::vector<chain::BlockRef> blocks_at(const std::vector<std::uint32_t>& heights);
    std::vector<chain::ProvenBlock> take_ready();
    void remember(const std::vector<chain::ProvenBlock>& blocks);
    void remember_confirmed(const chain::ProvenBlock& block);
    std::vector<MatchedOutput> coins_of(const chain::Transaction& transaction,
                                        const chain::Txid& txid);
    // The same; nothing for a transaction that filters hold nothing of, neither it nor its inputs.
    std::optional<std::vector<MatchedOutput>> explained_coins(const chain::Transaction& transaction,
                                                              const chain::Txid& txid);
    std::optional<P2wpkhOutput> find_output(const chain::Outpoint& outpoint) const;
    void note_unjudged_spenders(const std::vector<MatchedOutput>& outputs);
    std::optional<chain::BlockRef> covered_by(const Coverage& coverage) const;
    void forget_irrelevant();
    void search_again_what_is_open();

    chain::HeaderChain& chain_;
    chain::Watcher& watcher_;
    SyncCheckpoint memory_;
    std::optional<FilterBase> filter_base_;  // made when it is needed first
    BlockSchedule schedule_;
    bool aligned_ = false;
    bool has_new_rate_ = false;  // that is not stored yet
    struct Unstored {
        chain::UnconfirmedTransaction transaction;
        chain::Bytes network_group;
    };
    std::vector<Unstored> unstored_;
    std::vector<chain::Txid> unjudged_;
    std::uint32_t applied_ = 0;  // the genesis block pays nobody
    std::uint32_t first_height_ = 0;
    std::uint32_t highest_taken_ = 0;  // on the present best chain
    std::map<std::uint32_t, chain::ProvenBlock> held_;
    std::size_t searched_again_ = 0;  // of held_: those up to applied_
    std::uint32_t run_end_ = 0;       // all from applied_ up to this one are held
    std::size_t held_bytes_ = 0;
    std::uint64_t refetched_ = 0;
    std::uint64_t false_positives_ = 0;
};

}  // namespace petal::net
