#include "net/sync/peers/sync_peers.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace petal::net {

using std::chrono::milliseconds;

namespace {

constexpr std::ptrdiff_t kMaxEndedReports = 200;
// After a sleep of this machine's, which connections rarely survive.
constexpr milliseconds kAfterSleep{5'000};
constexpr std::int64_t kSleepSeconds = 30;

std::optional<Deadline<int>> connection_deadline(const SyncPeer& peer) {
    return EarliestDeadline<int>{}.consider(peer.connection.wakes_at(), 0).get();
}

}  // namespace

void SyncPeers::add(Peer&& connection, PeerIdentity identity, Milliseconds now) {
    const PeerId id = connection.id();
    PeerReport report;
    report.id = id;
    report.address = std::move(identity.address);
    report.node = std::move(identity.node);
    report.group = identity.group;
    reports_.push_back(std::move(report));
    traces_[id].network_group = identity.group;
    peers_.try_emplace(id, std::move(connection), std::move(identity.group), now);
    for (auto& [other, each] : peers_) each.connection.limit_inventory(max_txids_per_peer());
}

SyncPeer* SyncPeers::find(PeerId peer) {
    const auto found = peers_.find(peer);
    return found == peers_.end() ? nullptr : &found->second;
}

bool SyncPeers::has_node(const std::string& node) const {
    return std::ranges::any_of(peers_, [&](const auto& entry) {
        const PeerReport* const of = find_report(reports_, entry.first);
        return of != nullptr && of->node == node;
    });
}

PeerReport& SyncPeers::report(PeerId peer) {
    PeerReport* found = find_report(reports_, peer);
    assert(found);
    return *found;
}

void SyncPeers::update_report(SyncPeer& peer, Now now) {
    PeerReport& of = report(peer.id());
    of.claims.least_fee_rate = peer.connection.least_fee_rate();
    if (peer.is_ready() || !peer.connection.version()) return;
    of.claims = peer.connection.claims();
    peer.pacer.on_round_trip(now.steady - peer.connection.connected_at());
}

void SyncPeers::drop(SyncPeer& peer, const Violation& why) {
    outbox_.disconnect(peer.id(), why);
    remove(peer, why.reason);
}

// The peer's open requests are reassigned. Delivered blocks are kept.
void SyncPeers::remove(SyncPeer& peer, DisconnectReason reason) {
    PeerReport& ended = report(peer.id());
    ended.ended = reason;
    if (is_misbehaviour(reason)) ++ended.misbehaviour;
    if (on_end) on_end(peer);
    const auto trace = traces_.find(peer.id());
    if (trace->second.served.empty() && !trace->second.caught) traces_.erase(trace);
    peers_.erase(peer.id());
    forget_old_reports();
}

// Bitcoin Core disconnects at the first request for a filtered or old block, and at `mempool`, once
// its upload target is reached (net_processing.cpp, OutboundTargetReached). A node that is stopped
// while it serves blocks has served some.
void SyncPeers::on_closed(SyncPeer& peer) {
    const bool has_refused_blocks = peer.blocks.in_flight() > 0 && report(peer.id()).blocks == 0;
    const bool has_refused = has_refused_mempool(peer) || has_refused_blocks;
    remove(peer, peer.owes_older_block() ? DisconnectReason::pruned
                 : has_refused           ? DisconnectReason::upload_limit
                                         : DisconnectReason::gone);
}

// A node that is stopped may have got a `mempool` request just before: only the second time counts.
bool SyncPeers::has_refused_mempool(const SyncPeer& peer) {
    if (!peer.mempool.asked && !peer.mempool.fence) return false;
    const std::string& node = report(peer.id()).node;
    if (!peer.mempool.fence) {
        left_at_mempool_.erase(node);
        return false;
    }
    if (std::ssize(left_at_mempool_) >= kMaxEndedReports) left_at_mempool_.clear();
    return !left_at_mempool_.insert(node).second;
}

// A sync of months cannot keep the reports of all ended connections.
void SyncPeers::forget_old_reports() {
    const auto has_ended = [](const PeerReport& of) { return of.ended.has_value(); };
    if (std::count_if(reports_.begin(), reports_.end(), has_ended) <= kMaxEndedReports) return;
    reports_.erase(std::find_if(reports_.begin(), reports_.end(), has_ended));
}

std::vector<PeerId> SyncPeers::servers_of(std::uint32_t height) const {
    std::vector<PeerId> servers;
    for (const auto& [id, trace] : traces_) {
        if (trace.served.contains(height)) servers.push_back(id);
    }
    return servers;
}

void SyncPeers::forget_served_above(std::uint32_t height) {
    for (auto& [id, trace] : traces_) trace.served.remove_above(height);
}

void SyncPeers::forget_traces(const std::function<bool(PeerId)>& is_needed) {
    std::erase_if(traces_, [&](const auto& entry) {
        return !peers_.contains(entry.first) && !is_needed(entry.first);
    });
}

std::optional<milliseconds> SyncPeers::wakes_at() const {
    return earliest(connection_deadline);
}

void SyncPeers::on_wake(Now now) {
    work_off_each(now, connection_deadline, [&](SyncPeer& peer, int) {
        return peer.connection.on_wake(now, random_, outbox_);
    });
}

void SyncPeers::notice_sleep(Now now, Milliseconds busy) {
    const auto offset =
        now.unix_seconds - std::chrono::duration_cast<std::chrono::seconds>(now.steady).count();
    const auto before = std::exchange(clock_offset_, offset);
    if (!before || offset < *before + kSleepSeconds) return;
    woke_at_ = now.steady;
    for (auto& [id, peer] : peers_) {
        if (!peer.is_ready()) continue;
        // A peer that is at work gets to the ping only after that.
        const Milliseconds patience = peer.blocks.in_flight() > 0 ? busy : kAfterSleep;
        peer.connection.ping(now.steady + patience, random_, outbox_);
    }
}

}  // namespace petal::net
