/// Downloads headers from one peer until it has no more, then from the other peers.
#pragma once

#include <cstdint>
#include <optional>

#include "net/peer/timers.h"
#include "net/sync/headers/shared_headers.h"
#include "net/sync/headers/tip_tracker.h"
#include "net/sync/peer_chains.h"
#include "net/sync/state/sync_context.h"

namespace petal::net {

class HeaderFollower final : public Timed, public SharedHeaders::Member {
public:
    using Milliseconds = std::chrono::milliseconds;

    explicit HeaderFollower(SyncContext& sync);
    ~HeaderFollower() override;
    HeaderFollower(const HeaderFollower&) = delete;
    HeaderFollower& operator=(const HeaderFollower&) = delete;

    /// The handshake is complete.
    void on_handshake_complete(SyncPeer& peer, Now now);
    void on_end(const SyncPeer& peer);

    /// Processes headers, which may move the chain's tip, even if the peer is to blame.
    Outcome on_headers(SyncPeer& peer, const Headers& message, Now now);
    void on_pong(SyncPeer& peer, const Pong& pong, Now now);
    /// Requests headers if the peer announces a block that is unknown here.
    void on_announced(SyncPeer& peer, const Inv& message, Now now);
    /// The tip that the engine noted last, to find out how the best chain has moved since.
    TipTracker& tip_tracker() { return tip_tracker_; }
    /// Distinguishes peers on the best chain from others.
    PeerChains& chains() { return chains_; }
    const PeerChains& chains() const { return chains_; }

    /// Requests headers from the next peers in turn, and early headers that count by now.
    void take_turns(Now now);
    /// A peer that has shown an early header is gone: at its time, every peer is asked.
    void expect_early(const TooNewHeader& header) override;
    /// Whether this block of the best chain was served here, or a peer claims to have it.
    bool can_get(const chain::BlockRef& block) const override;
    /// Until when the syncs that share the chain leave the header download to this sync. A time
    /// while one peer sends headers and no peer has sent all headers. Otherwise empty.
    std::optional<Milliseconds> downloads_until() const override;
    /// Whether a peer on the best chain has sent all of its headers, and each peer that may have
    /// more has had time to send them.
    bool has_all_headers() const;
    /// Whether the best chain has the required work. A chain with less work may hold headers that
    /// were stored under a lower threshold, or be the beginning of a chain with less work than a
    /// stored branch. The watcher is not shown such a chain.
    bool has_required_work() const;

    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now now) override;

private:
    enum class Due : std::uint8_t { overdue, give_up, short_chain, other_chain, ask_again };

    std::optional<Deadline<Due>> next_deadline(const SyncPeer& peer) const;
    Outcome act(SyncPeer& peer, Due what, Now now);
    bool is_downloading() const;
    bool is_judged_by_work(const SyncPeer& peer) const;
    std::optional<Deadline<PeerId>> next_turn() const;
    void ask_for_early(Now now);
    void request(SyncPeer& peer, Now now);
    void record_end_of_answer(SyncPeer& peer, bool was_open);
    void stop_waiting_for(SyncPeer& peer);

    /// Early headers of peers that are gone: only two times, however many there were.
    struct LostEarly {
        Milliseconds next;  ///< when every peer is asked
        Milliseconds last;  ///< the last time: by then, all of them count
    };

    SyncContext& sync_;
    TipTracker tip_tracker_;
    PeerChains chains_;
    std::optional<PeerId> header_peer_;  // asked for headers until it has no more
    std::optional<LostEarly> lost_early_;
};

}  // namespace petal::net
