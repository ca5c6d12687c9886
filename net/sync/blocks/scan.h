/// The blocks that still have to be applied to a watcher, in flight or held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/watcher.h"
#include "net/sync/blocks/block_download.h"
#include "net/sync/blocks/block_schedule.h"
#include "net/sync/blocks/checkpoint_keeper.h"
#include "net/sync/blocks/growth_forecast.h"
#include "net/sync/blocks/held_blocks.h"

namespace petal::net {

/// The walk over the best chain, from the watcher's last synced block to the tip: collects blocks
/// as peers deliver them, and applies them in batches, in height order. Blocks that were searched
/// without an outpoint that was found later (see Coverage) are searched again once the tip is
/// reached. Exceptions of the watcher pass through.
class Scan {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// All must outlive the scan.
    /// max_held_bytes   see BlockOptions
    Scan(const chain::HeaderChain& chain, chain::Watcher& watcher, CheckpointKeeper& keeper,
         std::size_t max_held_bytes = kMaxHeldBytes)
        : chain_(chain), watcher_(watcher), keeper_(keeper), held_(max_held_bytes) {}

    /// Finds the watcher's last synced block on the chain, and undoes blocks that a reorganisation
    /// has disconnected. Returns whether it succeeded; if not, more headers are needed before the
    /// scan can start.
    /// headers_complete   no more headers are to be expected
    bool align(bool headers_complete);
    bool is_aligned() const { return aligned_; }

    /// For once all headers are there: a reorganisation that align() did not see, because the chain
    /// did not reach some of the watcher's blocks yet. Returns it once.
    std::optional<chain::ChainMove> take_missed_move();

    /// The best chain has moved. Blocks that have left it are undone once the first block of the
    /// new branch has arrived: a branch without blocks must not change the watcher. They are undone
    /// at once if they are invalid, if there is no new branch, or if more than kReorganisationReach
    /// blocks left the chain: filters then need what the watcher watches after that.
    void on_chain_moved(const chain::ChainMove& move);

    /// The next blocks to request from this peer, at most `max`, up to the height `last`.
    /// may_take   see BlockSchedule::take()
    std::vector<chain::BlockRef> take(PeerId peer, std::size_t max, std::uint32_t last,
                                      const BlockSchedule::MayTake& may_take, Milliseconds now);
    /// Blocks that other peers have in flight, to be requested from the helper too.
    std::vector<chain::BlockRef> take_over(const BlockSchedule::Helper& helper, std::size_t max,
                                           Milliseconds now);
    const BlockSchedule& schedule() const { return schedule_; }

    /// Adds a wanted block. Returns the new outpoints, which are to be added to the filters of all
    /// other servers now.
    std::vector<chain::Outpoint> deliver(Delivery delivery);
    /// Adds a second peer's answer for a delivered block, which holds more transactions. Returns
    /// the new outpoints, as deliver() does. Ignored if the block was dropped since.
    std::vector<chain::Outpoint> deliver_more(Delivery delivery);
    /// The server of these blocks is not reliable; they are searched again.
    void distrust(const HeightRanges& blocks) {
        disputed_.remove(blocks);
        keeper_.distrust(blocks, schedule_.next() - 1);
    }
    /// Peers contradict the answers by which these blocks were searched. The blocks do not count as
    /// covered. They are not requested again before distrust().
    void dispute(const HeightRanges& blocks);
    /// The answers count again for those of these blocks that are in disputed().
    void end_dispute(const HeightRanges& blocks);
    /// The blocks for which neither distrust() nor end_dispute() was called.
    const HeightRanges& disputed() const { return disputed_; }

    /// The block's filter matches, or does not suffice. The next request for the block asks for the
    /// full block, and does not count as a repeated request.
    void expect_full_block(std::uint32_t height) { due_in_full_.add(height); }
    /// The peer will not deliver these requested blocks.
    void on_lost(PeerId peer, const std::vector<std::uint32_t>& heights) {
        schedule_.on_lost(peer, heights);
    }
    /// The watch list grew: all blocks that were not applied, or must be searched again, are
    /// requested again.
    void restart();

    /// The result of apply().
    struct Applied {
        /// The watch list grew: all blocks from next_height() on are to be searched again, by new
        /// filters.
        bool grew = false;
        std::vector<chain::InvalidBlock> invalid_blocks;  ///< of the best chain
    };
    /// Applies the delivered blocks.
    Applied apply();

    /// The blocks that were delivered and not applied.
    const HeldBlocks& held() const { return held_; }

    /// Whether every block up to the tip was applied, and none is to be searched again.
    bool complete() const;
    /// The same, but for disputed() blocks.
    bool is_complete_but_for_disputes() const;

    /// The lowest block that was not applied.
    std::uint32_t next_height() const { return held_.applied() + 1; }
    /// The lowest block that has not arrived, which may be above the tip; only once aligned.
    std::uint32_t lowest_missing() const { return held_.lowest_missing(); }
    /// The height up to which some peer has served the best chain's blocks, in this run or before;
    /// the root's if none has.
    std::uint32_t served_height() const;
    /// The height up to which the watcher is covered; if no block was applied, the height before
    /// the scan's first block.
    std::uint32_t synced_height() const;
    /// The first block of this run's scan; 0 before align() succeeded.
    std::uint32_t first_height() const { return first_height_; }
    /// The number of blocks of this run's scan that have arrived.
    std::uint64_t scanned_blocks() const;
    struct Counts {
        std::uint64_t refetched_blocks = 0;
        std::uint64_t false_positives = 0;
    };
    const Counts& counts() const { return counts_; }

private:
    bool align_new_watcher(bool headers_complete);
    bool align_known_watcher(bool headers_complete);
    void start_above(std::uint32_t height, bool headers_complete);
    void undo_later_above(std::uint32_t height, std::uint32_t old_height);
    bool new_branch_has_begun() const;
    void undo();
    std::vector<chain::BlockRef> blocks_at(const std::vector<std::uint32_t>& heights);

    const chain::HeaderChain& chain_;
    chain::Watcher& watcher_;
    CheckpointKeeper& keeper_;
    BlockSchedule schedule_;
    HeldBlocks held_;
    bool aligned_ = false;
    bool has_unknown_blocks_ = false;  // the watcher, above the headers there were
    std::uint32_t first_height_ = 0;
    // Above this height, the watcher's blocks that are not on the best chain are to be undone.
    std::optional<std::uint32_t> undo_above_;
    HeightRanges disputed_;
    HeightRanges due_in_full_;         // expect_full_block(), until they are taken
    std::uint32_t skipped_up_to_ = 0;  // a new watcher needs no block up to this one
    std::uint32_t highest_taken_ = 0;  // on the present best chain
    GrowthForecast growth_;
    Counts counts_;
};

}  // namespace petal::net
