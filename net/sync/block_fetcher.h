/// Requests blocks from peers, and disconnects peers that stall.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "net/peer/timers.h"
#include "net/sync/cross_checker.h"
#include "net/sync/matches/match_source.h"
#include "net/sync/state/sync_context.h"
#include "net/sync/unconfirmed_intake.h"

namespace petal::net {

class BlockFetcher final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    BlockFetcher(SyncContext& sync, MatchSource& source, CrossChecker& cross_checker,
                 UnconfirmedIntake& unconfirmed)
        : sync_(sync), source_(source), cross_checker_(cross_checker), unconfirmed_(unconfirmed) {}

    void on_end(const SyncPeer& peer) {
        sync_.scan.on_lost(peer.id(), peer.blocks.requests().wanted());
    }
    /// After either message, blocks that were requested before it will not arrive.
    Outcome on_pong(SyncPeer& peer, const Pong& pong, Now now);
    Outcome on_not_found(SyncPeer& peer, const NotFound& message, Now now);

    /// Requests as many blocks from each peer as keep it busy.
    void fetch(Now now);
    /// A node's version message may be older than its last block, and a peer that has no new
    /// headers for us never shows that block. So if no peer claims the next block, it is requested
    /// from all: a peer that lacks it passes it over.
    void look_beyond_claims();
    /// Whether that would ask another peer.
    bool can_look_beyond_claims() const;
    /// Notes which peers have requests in flight, for SlowPeerDetector. Call this after every
    /// possible change.
    void observe(Now now);
    /// Whether some peers have blocks in flight, and all of these peers are too slow.
    bool all_are_slow() const;

    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now now) override;

private:
    struct Task {
        std::vector<chain::BlockRef> blocks;
        BlockPurpose purpose = BlockPurpose::scan;
    };
    enum class Due : std::uint8_t {
        stalling,
        judge_pace,
        replace,
        behind,
        silent,
        take_over,
        pruned
    };

    std::optional<Deadline<Due>> next_deadline(const SyncPeer& peer) const;
    Outcome act(SyncPeer& peer, Due what, Now now);
    Outcome on_passed_over(SyncPeer& peer, const std::vector<BlockRequest>& requests, Now now);
    bool may_have_more(const SyncPeer& peer) const;
    std::uint32_t lowest_needed() const;
    bool may_ask(const SyncPeer& peer) const;
    void serve(SyncPeer& peer, Now now);
    Task next_task(SyncPeer& peer, Now now);
    bool is_to_be_replaced(const SyncPeer& peer) const;
    std::optional<BlockSchedule::Helper> as_helper(const SyncPeer& peer) const;
    BlockSchedule::MayTake may_take(const SyncPeer& peer) const;
    bool any_has_the_tip() const;

    SyncContext& sync_;
    MatchSource& source_;
    CrossChecker& cross_checker_;
    UnconfirmedIntake& unconfirmed_;
    bool is_fetching_ = false;  // set by the first fetch(): headers and the scan are ready
};

}  // namespace petal::net
