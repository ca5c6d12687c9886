#include "net/sync/unconfirmed_listener.h"

namespace petal::net {

void UnconfirmedListener::request_mempools(Now now) {
    if (!has_begun_) {
        has_begun_ = true;
        const auto wait = sync_.options.wait_unconfirmed;
        is_over_ = !wait || *wait == Milliseconds{0};
        if (!is_over_) until_ = now.steady + *wait;
    }
    if (is_over_ || sync_.keeper.unconfirmed().has_unstored()) return;
    for (auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready() || peer.mempool.asked || sync_.options.blocks.full) continue;
        peer.mempool = {true, sync_.random.next()};
        filters_.refresh(peer);
        sync_.outbox.send(id, Mempool{});
        sync_.outbox.send(id, Ping{*peer.mempool.fence});
    }
}

void UnconfirmedListener::ask_again() {
    for (auto& [id, peer] : sync_.peers) peer.mempool.asked = false;
}

void UnconfirmedListener::on_pong(SyncPeer& peer, const Pong& pong) {
    if (peer.mempool.fence == pong.nonce) peer.mempool.fence.reset();
}

void UnconfirmedListener::on_wake(Now /*now*/) {
    until_.reset();
    is_over_ = true;
    unconfirmed_.store_at_next_wake();
}

}  // namespace petal::net
