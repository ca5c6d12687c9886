#include "net/sync/rebroadcaster.h"

#include <utility>
#include <vector>

namespace petal::net {

using std::chrono::milliseconds;

void Rebroadcaster::on_request(const SyncPeer& peer, const GetData& message) {
    NotFound missing;
    for (const Inventory& entry : message.entries) {
        if (const auto* transaction = tx_server_.hand_out(peer.id(), entry)) {
            sync_.outbox.send(peer.id(), Tx{*transaction});
        } else {
            missing.entries.push_back(entry);
        }
    }
    if (!missing.entries.empty()) sync_.outbox.send(peer.id(), std::move(missing));
}

void Rebroadcaster::resume(Now now) {
    is_paused_ = false;
    const auto within = sync_.options.announce_own_within;
    const chain::BlockHash tip = sync_.chain.tip().hash;
    if (!within || planned_at_tip_ == tip) return;
    planned_at_tip_ = tip;
    const auto range = static_cast<std::uint64_t>(within->count()) + 1;
    const auto delay = static_cast<milliseconds::rep>(sync_.random.next() % range);
    announce_at_ = now.steady + milliseconds{delay};
}

void Rebroadcaster::on_wake(Now /*now*/) {
    announce_at_.reset();
    tx_server_.start(sync_.watcher.own_unconfirmed());
    if (tx_server_.empty() || announce_to_half()) return;
    planned_at_tip_.reset();  // no peer was there to be told
}

bool Rebroadcaster::announce_to_half() {
    bool is_anybody_there = false;
    std::vector<SyncPeer*> takers;
    for (auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready() || !peer.connection.takes_transactions()) continue;
        const auto rate = peer.connection.least_fee_rate();
        is_anybody_there = is_anybody_there || tx_server_.has_for(rate);
        if (tx_server_.has_for(rate, peer.connection.announced_by_peer())) takers.push_back(&peer);
    }
    const std::size_t first = takers.empty() ? 0 : sync_.random.next() % takers.size();
    for (std::size_t i = 0; 2 * i < takers.size(); ++i) {
        Peer& peer = takers[(first + i) % takers.size()]->connection;
        peer.announce(
            tx_server_.announce(peer.id(), peer.least_fee_rate(), peer.announced_by_peer()),
            sync_.outbox);
    }
    return is_anybody_there;
}

}  // namespace petal::net
