/// Notices that no peer sends the next block of the best chain.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "net/peer/timers.h"
#include "net/sync/block_fetcher.h"
#include "net/sync/header_follower.h"
#include "net/sync/matches/match_source.h"
#include "net/sync/state/sync_context.h"

namespace petal::net {

/// Excludes a branch from the best chain (HeaderChain::exclude()) if its blocks are withheld: its
/// headers are known, no connected peer sends its first block, and a peer is on another branch or
/// the branch is short. See "Branches without blocks" in the README.
class WithheldBlocks final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    WithheldBlocks(SyncContext& sync, const MatchSource& source, HeaderFollower& headers,
                   BlockFetcher& fetcher)
        : sync_(sync), source_(source), headers_(headers), fetcher_(fetcher) {}

    /// Notes since when the next block has been awaited, and since when no peer has it. Call this
    /// after every possible change of the peers, their chains, or the scan.
    void observe(Now now);

    /// When the peers are to be looked at, all are to be asked for the block, or its branch is to
    /// be excluded.
    std::optional<Milliseconds> wakes_at() const override;
    /// May exclude a branch, which moves the best chain.
    void on_wake(Now now) override;

private:
    /// The block that the scan needs next, and the times that lead to its exclusion.
    struct Awaited {
        chain::BlockRef block;
        Milliseconds since{0};   ///< since when it has been the next one, with a peer connected
        bool is_judged = false;  ///< whether the members below are known
        std::optional<Milliseconds> denied_since{};  ///< since when no peer has had it
        /// Whether a peer that does not have it has shown another branch, which is stored.
        bool is_contested = false;
        /// Whether all peers lack it, and the branch has only a few blocks.
        bool is_extension = false;
        /// The first block of the branch, which is to be excluded: it was never served, and no peer
        /// without the awaited block has it.
        std::uint32_t first = 0;
        bool must_stay = false;  ///< the chain without the branch would have too little work
    };

    std::optional<chain::BlockRef> next_block() const;
    bool claims_awaited(const SyncPeer& peer) const;
    void judge(Now now);
    bool would_leave_enough_work() const;
    bool can_be_got_elsewhere() const;
    void exclude();
    std::optional<Milliseconds> judged_at() const;
    std::optional<Milliseconds> excluded_at() const;
    std::optional<Milliseconds> all_asked_at() const;

    SyncContext& sync_;
    const MatchSource& source_;
    HeaderFollower& headers_;
    BlockFetcher& fetcher_;
    std::optional<Awaited> awaited_;
};

}  // namespace petal::net
