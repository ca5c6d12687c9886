/// Compares the compact filters that a sync has searched with the filters of the other peers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "chain/block_filters/block_filter.h"
#include "net/peer/timers.h"
#include "net/sync/filters/height_ranges.h"
#include "net/sync/matches/match_source.h"
#include "net/sync/state/sync_context.h"

namespace petal::net {

/// A peer can send a false filter, which lacks a script of its block. Each other connected peer is
/// therefore asked for the hashes of its filters (`getcfheaders`, BIP157). If a hash differs, the
/// block is searched again, in full. The sync does not end before the hashes of all peers that are
/// still connected are compared. A run that is stopped earlier leaves its blocks uncompared.
///
/// A false hash costs the download of one block. No peer is disconnected for it, because a light
/// client cannot compute a filter: a block lacks the scripts that it spends.
///
/// Memory: 32 bytes for each block of the run. Does nothing in a sync without compact filters.
class FilterHashChecker final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// Both must outlive the checker.
    FilterHashChecker(SyncContext& sync, MatchSource& source) : sync_(sync), source_(source) {}

    /// Called when blocks are to be searched again.
    std::function<void()> on_doubt;
    /// A block is settled by this answer.
    void on_searched(SyncPeer& peer, const Delivery& delivery);
    /// Requests hashes from each peer that has not stated them all.
    void ask(Now now);
    /// The answer to a request. If hashes differ, their blocks are searched again.
    Outcome on_hashes(SyncPeer& peer, const CFHeaders& message, Now now);
    /// The blocks above this height are searched again.
    void drop_above(std::uint32_t height);

    /// Whether a connected peer has hashes that are to be compared.
    bool is_pending() const;
    /// The number of filters that were compared with those of another peer.
    std::uint64_t compared_blocks() const { return compared_; }

    std::optional<Milliseconds> wakes_at() const override;
    /// Disconnects peers that do not answer.
    void on_wake(Now now) override;

private:
    enum class Due : std::uint8_t { overdue };
    struct Range {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
    };

    std::optional<Deadline<Due>> next_deadline(const SyncPeer& peer) const;
    std::optional<Range> next_range(const SyncPeer& peer) const;

    SyncContext& sync_;
    MatchSource& source_;
    HeightRanges searched_;  // the blocks that are settled by their filters
    std::uint32_t base_ = 0;
    std::vector<chain::FilterHash> hashes_;  // of the blocks from `base_` on, zero if not searched
    std::uint64_t compared_ = 0;
};

}  // namespace petal::net
