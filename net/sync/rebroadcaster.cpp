#include "net/sync/rebroadcaster.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace petal::net {

using std::chrono::milliseconds;

namespace {

// Between two attempts to find a peer that takes transactions.
constexpr milliseconds kShortestPause{1'000};

}  // namespace

void Rebroadcaster::on_request(const SyncPeer& peer, const GetData& message) {
    tx_server_.answer(peer.id(), message, sync_.outbox);
}

void Rebroadcaster::resume(Now now) {
    is_paused_ = false;
    const auto within = sync_.options.announce_own_within;
    const chain::BlockHash tip = sync_.chain.tip().hash;
    if (!within || planned_at_tip_ == tip) return;
    planned_at_tip_ = tip;
    announce_at_ = now.steady + draw_delay(*within);
}

milliseconds Rebroadcaster::draw_delay(milliseconds within) {
    const auto range = static_cast<std::uint64_t>(within.count()) + 1;
    return milliseconds{static_cast<milliseconds::rep>(sync_.random.next() % range)};
}

void Rebroadcaster::on_wake(Now now) {
    announce_at_.reset();
    tx_server_.start(sync_.watcher.own_unconfirmed());
    if (tx_server_.empty() || announce_to_half()) return;
    // No peer accepts them now. Each attempt reads the watcher's store.
    const milliseconds delay = draw_delay(*sync_.options.announce_own_within);
    announce_at_ = now.steady + std::max(kShortestPause, delay);
}

bool Rebroadcaster::announce_to_half() {
    bool any_takes_them = false;
    std::vector<SyncPeer*> takers;
    for (auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready() || !peer.connection.takes_transactions()) continue;
        const auto rate = peer.connection.least_fee_rate();
        any_takes_them = any_takes_them || tx_server_.has_for(rate);
        if (tx_server_.has_for(rate, peer.connection.announced_by_peer())) takers.push_back(&peer);
    }
    // A peer with a filter can tell whose they are.
    const auto has_filter = [this](const SyncPeer* peer) {
        return sync_.peers.report(peer->id()).has_filter;
    };
    if (!std::ranges::all_of(takers, has_filter)) std::erase_if(takers, has_filter);
    const std::size_t first = takers.empty() ? 0 : sync_.random.next() % takers.size();
    for (std::size_t i = 0; 2 * i < takers.size(); ++i) {
        Peer& peer = takers[(first + i) % takers.size()]->connection;
        peer.announce(
            tx_server_.announce(peer.id(), peer.least_fee_rate(), peer.announced_by_peer()),
            sync_.outbox);
    }
    return any_takes_them;
}

}  // namespace petal::net
