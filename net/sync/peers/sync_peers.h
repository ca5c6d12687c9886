/// All connections of a sync.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/peer/peer.h"
#include "net/peer/peer_identity.h"
#include "net/peer/timers.h"
#include "net/sync/filters/height_ranges.h"
#include "net/sync/peers/peer_report.h"
#include "net/sync/peers/sync_peer.h"

namespace petal::net {

using Outcome = chain::Expected<void, Violation>;

/// State that outlives the peer's connection, while an answer of another peer may still show that
/// the peer left out transactions.
struct PeerTrace {
    HeightRanges served;  ///< the blocks that the scan took from it
    chain::Bytes network_group;
    bool caught = false;  ///< at leaving out matching transactions
};

/// Holds the peers, and reports them. As Timed, it ends overdue handshakes and pings silent peers.
class SyncPeers final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// All must outlive the peers.
    SyncPeers(std::vector<PeerReport>& reports, SecretNumbers& random, Outbox& outbox)
        : reports_(reports), random_(random), outbox_(outbox) {}
    ~SyncPeers() = default;
    SyncPeers(const SyncPeers&) = delete;
    SyncPeers& operator=(const SyncPeers&) = delete;

    /// Called for each peer whose connection ends, before the peer is removed.
    std::function<void(SyncPeer&)> on_end;

    void add(Peer&& connection, PeerIdentity identity, Milliseconds now);
    SyncPeer* find(PeerId peer);
    /// Whether a connected peer is this node (PeerIdentity::node).
    bool has_node(const std::string& node) const;
    auto begin() { return peers_.begin(); }
    auto end() { return peers_.end(); }
    auto begin() const { return peers_.begin(); }
    auto end() const { return peers_.end(); }
    std::size_t size() const { return peers_.size(); }
    bool empty() const { return peers_.empty(); }
    /// Each peer's share of kMaxTxids.
    std::size_t max_txids_per_peer() const { return net::max_txids_per_peer(size()); }

    /// Updates the report with the peer's claims.
    void update_report(SyncPeer& peer, Now now);
    /// The report of a connected peer.
    PeerReport& report(PeerId peer);
    /// The trace of a peer that is connected, or was connected and served blocks.
    PeerTrace& trace(PeerId peer) { return traces_[peer]; }
    /// The peers from which the scan took the block at this height.
    std::vector<PeerId> servers_of(std::uint32_t height) const;
    /// The blocks above this height are not on the best chain any more.
    void forget_served_above(std::uint32_t height);
    /// Forgets the traces of disconnected peers that are not needed any more.
    void forget_traces(const std::function<bool(PeerId)>& is_needed);

    /// Ends the connection and removes the peer.
    void drop(SyncPeer& peer, const Violation& why);
    /// The connection has ended.
    void remove(SyncPeer& peer, DisconnectReason reason);
    /// The peer, or the way to it, has closed the connection.
    void on_closed(SyncPeer& peer);

    /// The earliest deadline of all peers. `next(peer)` returns a peer's deadline.
    template <class Next>
    std::optional<Milliseconds> earliest(Next next) const {
        std::optional<Milliseconds> at;
        for (const auto& [id, peer] : peers_) {
            const auto due = next(peer);
            if (due) at = earlier_of(at, due->at);
        }
        return at;
    }
    /// Calls `act(peer, what)` for each deadline that has passed. A peer for which it fails is
    /// dropped.
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
    /// Detects that the machine was suspended: meanwhile the steady clock stops, the wall clock
    /// does not. Connections rarely survive that, so each peer is sent a keep-alive ping with a
    /// shorter deadline than usual.
    /// busy   the deadline of a peer with blocks in flight, which it sends before the pong
    void notice_sleep(Now now, Milliseconds busy);
    /// When the last suspension was noticed. Empty without a suspension.
    std::optional<Milliseconds> woke_at() const { return woke_at_; }

private:
    bool has_refused_mempool(const SyncPeer& peer);
    void forget_old_reports();

    std::vector<PeerReport>& reports_;
    SecretNumbers& random_;
    Outbox& outbox_;
    std::set<std::string> left_at_mempool_;  // nodes (PeerIdentity)
    std::map<PeerId, SyncPeer> peers_;
    std::map<PeerId, PeerTrace> traces_;        // including disconnected peers
    std::optional<std::int64_t> clock_offset_;  // seconds from the steady clock's to the date's
    std::optional<Milliseconds> woke_at_;
};

}  // namespace petal::net
