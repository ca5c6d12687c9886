/// The SyncCheckpoint in use, which the watcher stores with each batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/watcher.h"
#include "net/sync/blocks/block_download.h"
#include "net/sync/blocks/held_blocks.h"
#include "net/sync/filters/sync_checkpoint.h"
#include "net/sync/filters/watched_base.h"
#include "net/sync/unconfirmed/unconfirmed_queue.h"

namespace petal::net {

/// Keeps the SyncCheckpoint: the outpoints in filters, the blocks that were searched without some
/// of these outpoints, and the height up to which the watcher is covered. Only this class calls
/// Watcher::apply() and apply_unconfirmed(). Exceptions of the watcher pass through.
class CheckpointKeeper {
public:
    /// Reads the stored checkpoint. Both must outlive the keeper.
    /// rate   the false positive rate of the watcher's filters. Empty: the stored one, or that of
    ///        Privacy::fast
    /// bytes  the size of the filters
    CheckpointKeeper(const chain::HeaderChain& chain, chain::Watcher& watcher,
                     std::optional<double> rate, std::size_t bytes = kFilterBytes);
    // Not copyable: its parts refer to each other.
    CheckpointKeeper(const CheckpointKeeper&) = delete;
    CheckpointKeeper& operator=(const CheckpointKeeper&) = delete;

    const SyncCheckpoint& checkpoint() const { return checkpoint_; }
    /// The base of the filters for the present watch list.
    const FilterBase& filter_base() { return base_.get(); }
    /// The watch list grew. Rolls the checkpoint back to below the blocks that must be searched
    /// again (Watcher::take_unsearched_from()).
    void on_grown();
    /// on_grown() before the scan is aligned: relies only on Watcher::sync_state().
    void on_grown_before_scan();
    /// The unconfirmed transactions. None may be added before the scan is aligned.
    UnconfirmedQueue& unconfirmed() { return unconfirmed_; }
    const UnconfirmedQueue& unconfirmed() const { return unconfirmed_; }

    /// A block was delivered that was requested at this mark.
    void on_served(std::uint32_t height, Coverage::Mark asked_at) {
        checkpoint_.coverage.on_served(height, asked_at);
    }
    /// Adds the outpoints that a delivered block inserted into its server's filter. Returns the
    /// outpoints to add to the filters of all other servers: the new outpoints, and the outpoints
    /// whose spend the watcher has seen before the output, as after a peer left the output out.
    /// missed   the higher blocks that are being searched without the new outpoints
    std::vector<chain::Outpoint> add_found(const Delivery& delivery, const HeightRanges& missed);
    /// Marks these blocks, up to `last`, to be searched again: their server is not reliable.
    void distrust(const HeightRanges& blocks, std::uint32_t last);
    /// Takes back distrust().
    void trust(const HeightRanges& blocks) { checkpoint_.coverage.trust(blocks); }

    /// Rolls the checkpoint back to `block`, without storing it.
    void roll_back_to(const chain::BlockRef& block);
    /// Stores a checkpoint that was rolled back. Called before Watcher::undo_to(), so that a crash
    /// in between never leaves a checkpoint that claims undone blocks as applied.
    ///
    /// searched_again   blocks that wait for the next batch, here and in the functions below
    void store_rolled_back(const HeightRanges& searched_again);

    /// Whether there is something to store without any block: the height up to which the watcher
    /// is covered has changed, or filters were compared.
    bool has_news() const {
        return has_compared_ || covered_by(checkpoint_.coverage) != checkpoint_.covered;
    }
    /// Applies blocks to the watcher, with the checkpoint of those that it takes. If the last of
    /// these makes the watch list grow, the checkpoint ends at, or is rolled back to, its parent.
    /// applied_height     the highest block that the watcher had applied before this call
    /// lowest_in_flight   the lowest block that may still be served by an older filter
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             std::uint32_t applied_height, std::uint32_t lowest_in_flight);
    /// Stores a new false positive rate before the first filter of that rate is sent.
    void store_new_rate();
    struct StoredUnconfirmed {
        /// To be added to all servers' filters only after this call.
        std::vector<chain::Outpoint> found;
        bool grew = false;  ///< the watch list; Scan::restart() is due
    };
    /// Passes the waiting unconfirmed transactions to the watcher, with the checkpoint that tracks
    /// them. From it a later process knows that filters hold their outpoints.
    /// sources   see Watcher::apply_unconfirmed()
    StoredUnconfirmed store_unconfirmed(std::span<const chain::PresentSources> sources,
                                        const HeightRanges& searched_again);
    /// The watcher undoes blocks. Sets SyncCheckpoint::may_have_undone.
    void mark_undone() { checkpoint_.may_have_undone = true; }
    /// Forgets the transactions of undone blocks, here and with the watcher. Due once peers were
    /// asked for them, if SyncCheckpoint::may_have_undone.
    void forget_undone(const HeightRanges& searched_again);

    /// The block is searched for the watch list alone, not for false positives of the base.
    void mark_without_false_positives(std::uint32_t height);
    /// The block is searched by a compact filter that was not compared with another node's.
    void mark_uncompared(std::uint32_t height) { checkpoint_.uncompared.add(height); }
    /// The comparison of these blocks' filters does not count.
    void mark_uncompared(const HeightRanges& blocks);
    /// The filters of these blocks were compared.
    void mark_compared(const HeightRanges& blocks);
    /// The block is searched without its compact filter.
    void mark_compared(std::uint32_t height);
    /// For a source that loads filters: blocks that were not searched for false positives of the
    /// base are searched again. Otherwise filters would hold the outpoints of the watcher's coins
    /// in these blocks, and no others. Call this before the scan is aligned.
    void search_again_for_false_positives();
    /// The first block that search_again_for_false_positives() has searched again. Empty if it
    /// found none.
    const std::optional<std::uint32_t>& searched_again_from() const { return again_from_; }
    /// Forgets outpoints that the watcher does not need, if blocks were searched without some
    /// outpoints, or there are too many.
    void forget_irrelevant(const HeldBlocks& held);

private:
    void rely_on(const std::optional<chain::BlockRef>& synced);
    void start_again_above(std::uint32_t height);
    void store(const HeightRanges& searched_again);
    chain::SyncState state_to_store(const HeightRanges& searched_again);
    std::vector<MatchedOutput> matched_by_base(const Delivery& delivery);
    void remember(std::span<const chain::ProvenBlock> blocks, std::uint32_t applied_height,
                  std::uint32_t lowest_in_flight);
    std::optional<chain::BlockRef> covered_by(const Coverage& coverage) const;

    const chain::HeaderChain& chain_;
    chain::Watcher& watcher_;
    SyncCheckpoint checkpoint_;
    WatchedBase base_;
    UnconfirmedQueue unconfirmed_;
    // Where the scan starts because of false positives, see search_again_for_false_positives().
    std::optional<std::uint32_t> false_positives_from_;
    std::optional<std::uint32_t> again_from_;  // searched_again_from()
    bool has_compared_ = false;                // `uncompared` has changed, and is not stored yet
    bool has_new_rate_ = false;                // that is not stored yet
    bool is_rolled_back_ = false;              // since it was last stored by store_rolled_back()
};

}  // namespace petal::net
