/// Notices a last block that is so old that peers may withhold newer ones.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "chain/headers/header_chain.h"
#include "net/peer/timers.h"
#include "net/sync/peers/sync_peers.h"

namespace petal::net {

/// Watches the last block of the best chain while the sync listens. If it is old by the clock, the
/// user is told (chain::is_old_tip()). If no new block has come for half an hour, another peer is
/// wanted besides the expected ones, as in Bitcoin Core (net_processing.cpp, TipMayBeStale):
/// honest peers are never replaced by it unless it shows a better chain.
class TipWatch final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// Bitcoin Core: STALE_CHECK_INTERVAL.
    static constexpr Milliseconds kBetweenExtraPeers{600'000};
    /// Bitcoin Core: MINIMUM_CONNECT_TIME. By then, a peer has shown the blocks that it has.
    static constexpr Milliseconds kExtraPeerTime{30'000};
    /// After a sleep of the machine, connections are made anew, and blocks are fetched.
    static constexpr Milliseconds kAfterSleep{60'000};

    struct Options {
        std::size_t expected_peers = 1;
        /// Whether there are other peers, and the sync stays to get their blocks.
        bool may_have_extra_peer = false;
        /// How long no new block may come until another peer is wanted.
        Milliseconds extra_peer_after{0};
    };

    /// All must outlive it.
    TipWatch(const chain::HeaderChain& chain, SyncPeers& peers, Options options)
        : chain_(chain), peers_(peers), options_(options) {}

    /// Call this after each event.
    /// is_listening   all blocks that the connected peers have are in
    void update(bool is_listening, Now now);

    /// Whether the last block is old, as seen while the sync listened.
    bool is_old() const { return is_old_; }
    /// Whether one peer more than Options::expected_peers should be connected.
    bool wants_extra_peer() const { return wants_extra_peer_; }

    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now now) override { update(is_listening_, now); }

private:
    void judge_age(Now now);
    void judge_peers(Now now);
    const SyncPeer* newest_peer() const;
    SyncPeer* least_useful_peer();
    std::optional<Milliseconds> extra_peer_wanted_at() const;
    std::optional<Milliseconds> extra_peer_ends_at() const;

    const chain::HeaderChain& chain_;
    SyncPeers& peers_;
    Options options_;
    bool is_listening_ = false;
    bool is_old_ = false;
    std::optional<Milliseconds> age_judged_at_;  // the next time; empty if only an event matters
    std::optional<chain::BlockHash> tip_;
    Milliseconds tip_moved_at_{0};
    Milliseconds next_extra_peer_at_{0};
    bool wants_extra_peer_ = false;
};

}  // namespace petal::net
