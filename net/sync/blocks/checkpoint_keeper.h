/// What is remembered of matches, and stored by the watcher with each batch that it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/watcher.h"
#include "net/sync/blocks/block_download.h"
#include "net/sync/blocks/held_blocks.h"
#include "net/sync/blocks/unconfirmed_queue.h"
#include "net/sync/filters/sync_checkpoint.h"
#include "net/sync/filters/watched_base.h"

namespace petal::net {

/// Keeps the SyncCheckpoint: which outpoints filters hold, which blocks were searched without them,
/// and how far the watcher is covered by that. The only class that has the watcher store anything.
/// Exceptions of the watcher pass through.
class CheckpointKeeper {
public:
    /// Reads what the watcher has stored. Both must outlive the keeper.
    /// rate   that the watcher's filters are to have; nothing for the one that they had so far, or
    ///        that of Privacy::fast
    CheckpointKeeper(const chain::HeaderChain& chain, chain::Watcher& watcher,
                     std::optional<double> rate);
    // Its parts refer to each other.
    CheckpointKeeper(const CheckpointKeeper&) = delete;
    CheckpointKeeper& operator=(const CheckpointKeeper&) = delete;

    const SyncCheckpoint& checkpoint() const { return checkpoint_; }
    /// Of the filters for what is watched now.
    const FilterBase& filter_base() { return base_.get(); }
    /// The watch list grew.
    void on_grown() { base_.on_grown(); }
    /// Unconfirmed transactions, which nothing may be added to before the scan is aligned.
    UnconfirmedQueue& unconfirmed() { return unconfirmed_; }
    const UnconfirmedQueue& unconfirmed() const { return unconfirmed_; }

    /// A block was delivered that had been asked for at this mark.
    void on_served(std::uint32_t height, Coverage::Mark asked_at) {
        checkpoint_.coverage.on_served(height, asked_at);
    }
    /// Takes the outpoints that a delivered block added to its server's filter. Returns those that
    /// are new, for the filters of all other servers.
    /// missed   the higher blocks that are searched without them
    std::vector<chain::Outpoint> note_found(const Delivery& delivery, const HeightRanges& missed);
    /// What these blocks hold, of those up to `last`, is not to be relied on.
    void distrust(const HeightRanges& blocks, std::uint32_t last);

    /// The watcher has been shown nothing above this block that counts. Stored before anything is
    /// undone: of what is undone, another process must not believe that it was applied.
    /// searched_again   blocks that wait for the next batch, here and in the functions below
    void move_back_to(const chain::BlockRef& block, const HeightRanges& searched_again);

    /// Whether the watcher's place has changed since it was last stored.
    bool has_news() const { return covered_by(checkpoint_.coverage) != checkpoint_.covered; }
    /// Hands blocks to the watcher, with the checkpoint. If that makes the watch list grow, all
    /// from the last block on that was taken counts as not shown.
    /// shown_to      the watcher was shown all blocks up to this height before
    /// settled_from  blocks from this height on may still be searched without knowing of spends
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks, std::uint32_t shown_to,
                             std::uint32_t settled_from);
    /// Stores the filters' rate if it is a new one, before a filter shows it.
    void store_new_rate();
    struct StoredUnconfirmed {
        /// To be added to all servers' filters now, and not before.
        std::vector<chain::Outpoint> found;
        bool grew = false;  ///< the watch list; Scan::restart() is due
    };
    /// Hands the unconfirmed transactions that wait to the watcher, of which there are some,
    /// together with what is remembered of them: a later process has nothing else to tell it that
    /// filters hold them.
    StoredUnconfirmed store_unconfirmed(const HeightRanges& searched_again);
    /// Forgets outpoints that the watcher does not need, where some are missed in blocks, or there
    /// are too many.
    void forget_irrelevant(const HeldBlocks& held);

private:
    void store(const HeightRanges& searched_again);
    chain::SyncState state_to_store(const HeightRanges& searched_again);
    std::vector<MatchedOutput> matched_by_base(const Delivery& delivery);
    void remember(std::span<const chain::ProvenBlock> blocks, std::uint32_t shown_to,
                  std::uint32_t settled_from);
    std::optional<chain::BlockRef> covered_by(const Coverage& coverage) const;

    const chain::HeaderChain& chain_;
    chain::Watcher& watcher_;
    SyncCheckpoint checkpoint_;
    WatchedBase base_;
    UnconfirmedQueue unconfirmed_;
    bool has_new_rate_ = false;  // that is not stored yet
};

}  // namespace petal::net
