/// All connections of a sync.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "net/peer/peer.h"
#include "net/peer/peer_identity.h"
#include "net/peer/timers.h"
#include "net/sync/filters/height_ranges.h"
#include "net/sync/sync_peer.h"
#include "net/sync/sync_status.h"

namespace petal::net {

using Outcome = chain::Expected<void, Violation>;

/// What is kept of a peer beyond its connection.
struct PeerTrace {
    HeightRanges served;  ///< blocks of the scan for which its word was taken
    chain::Bytes network_group;
    bool caught = false;  ///< leaving out what it should have sent
};

/// Holds the peers, and reports them. As Timed, it wakes the connections: handshakes that take too
/// long, and peers that have been silent.
class SyncPeers final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// All must outlive the peers.
    SyncPeers(SyncStatus& status, SecretNumbers& random, Outbox& outbox)
        : status_(status), random_(random), outbox_(outbox) {}
    ~SyncPeers() = default;
    SyncPeers(const SyncPeers&) = delete;
    SyncPeers& operator=(const SyncPeers&) = delete;

    /// Called for each peer that is about to go, however it ends.
    std::function<void(SyncPeer&)> on_end;

    void add(Peer connection, PeerIdentity identity, Milliseconds now);
    SyncPeer* find(PeerId peer);
    const SyncPeer* find(PeerId peer) const;
    auto begin() { return peers_.begin(); }
    auto end() { return peers_.end(); }
    auto begin() const { return peers_.begin(); }
    auto end() const { return peers_.end(); }
    std::size_t size() const { return peers_.size(); }
    bool empty() const { return peers_.empty(); }
    /// How many ids of transactions are remembered of each.
    std::size_t txids_of_each() const { return txids_of_each_of(size()); }

    /// Of one that is there.
    PeerReport& report(PeerId peer);
    /// Of any that was seen and served something, or is there.
    PeerTrace& trace(PeerId peer) { return traces_[peer]; }

    /// Ends the connection; the peer is gone then.
    void drop(SyncPeer& peer, const Violation& why);
    /// The connection has ended.
    void remove(SyncPeer& peer, DisconnectReason reason);

    /// The earliest of the peers' deadlines, where `next` says a peer's.
    template <class Next>
    std::optional<Milliseconds> earliest(Next next) const {
        std::optional<Milliseconds> at;
        for (const auto& [id, peer] : peers_) {
            const auto due = next(peer);
            if (due) at = earlier_of(at, due->at);
        }
        return at;
    }
    /// Does what is due of each, one thing after the other. `act` does it; a peer for which it
    /// fails is dropped.
    template <class Next, class Act>
    void work_off_each(Now now, Next next, Act act) {
        for (auto entry = peers_.begin(); entry != peers_.end();) {
            SyncPeer& peer = (entry++)->second;  // it may be dropped
            Outcome outcome;
            const auto due = [&] { return outcome ? next(peer) : decltype(next(peer)){}; };
            work_off(now, due, [&](auto what) { outcome = act(peer, what); });
            if (!outcome) drop(peer, outcome.error());
        }
    }

    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now now) override;
    /// The steady clock stands still while the machine sleeps, the date does not. Connections
    /// rarely survive that: each peer is asked for a sign of life, and given less time than usual.
    /// busy   how long a peer may take that has blocks to send first
    void notice_sleep(Now now, Milliseconds busy);

private:
    void forget_old_reports();

    SyncStatus& status_;
    SecretNumbers& random_;
    Outbox& outbox_;
    std::map<PeerId, SyncPeer> peers_;
    std::map<PeerId, PeerTrace> traces_;        // also of those that are gone
    std::optional<std::int64_t> clock_offset_;  // seconds from the steady clock's to the date's
};

}  // namespace petal::net
