/// Which blocks a watcher still has to be shown, and those that are on their way to it.
#pragma once

#include <cstdint>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/watcher.h"
#include "net/sync/blocks/block_download.h"
#include "net/sync/blocks/block_schedule.h"
#include "net/sync/blocks/checkpoint_keeper.h"
#include "net/sync/blocks/held_blocks.h"

namespace petal::net {

/// The walk over the best chain, from where the watcher stands to the tip: collects what peers
/// deliver, in whatever order, and hands it over in batches, in height order. Blocks that were
/// searched without something that was found too late are searched again, once the tip is reached;
/// which ones, CheckpointKeeper knows.
/// Exceptions of the watcher pass through.
class Scan {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// All must outlive the scan.
    Scan(const chain::HeaderChain& chain, chain::Watcher& watcher, CheckpointKeeper& keeper)
        : chain_(chain), watcher_(watcher), keeper_(keeper) {}

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

    /// Takes a second server's word on a block that was delivered before, with more in it. Returns
    /// what is new, as above.
    std::vector<chain::Outpoint> deliver_more(Delivery delivery, const HeightRanges& covered);
    /// What these blocks hold is not to be relied on; they are searched again.
    void distrust(const HeightRanges& blocks) { keeper_.distrust(blocks, schedule_.next() - 1); }

    /// The peer won't answer for these, which it was asked for.
    void on_lost(PeerId peer, const std::vector<std::uint32_t>& heights) {
        schedule_.on_lost(peer, heights);
    }
    /// The watch list grew: all that was not handed over is to be asked for again.
    void restart();

    /// Hands over what was delivered. Returns whether the watch list grew: then all from
    /// next_height() on is to be searched again, by filters that know what is new.
    bool apply();

    /// What was delivered and not handed over.
    const HeldBlocks& held() const { return held_; }

    /// Every block up to the tip was handed over, and none is to be searched again.
    bool complete() const;

    /// The lowest block that was not handed over.
    std::uint32_t next_height() const { return held_.applied() + 1; }
    /// Up to where the watcher is covered; the block before the scan's first where it has seen
    /// none.
    std::uint32_t synced_height() const;
    /// Where the scan of this run began.
    std::uint32_t first_height() const { return first_height_; }
    /// Blocks of this run's scan that have arrived.
    std::uint64_t scanned_blocks() const;
    struct Counts {
        std::uint64_t refetched_blocks = 0;
        std::uint64_t false_positives = 0;
    };
    const Counts& counts() const { return counts_; }

private:
    bool align_new_watcher(bool headers_complete);
    bool align_known_watcher(bool headers_complete);
    void start_above(std::uint32_t height);
    std::vector<chain::BlockRef> blocks_at(const std::vector<std::uint32_t>& heights);
    HeightRanges missed_in(const Delivery& delivery, const HeightRanges& covered) const;

    const chain::HeaderChain& chain_;
    chain::Watcher& watcher_;
    CheckpointKeeper& keeper_;
    BlockSchedule schedule_;
    HeldBlocks held_;
    bool aligned_ = false;
    std::uint32_t first_height_ = 0;
    std::uint32_t highest_taken_ = 0;  // on the present best chain
    Counts counts_;
};

}  // namespace petal::net
