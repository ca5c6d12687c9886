#include "net/sync/unconfirmed_listener.h"

namespace petal::net {

void UnconfirmedListener::request_mempools(Now now) {
    if (!has_begun_) {
        has_begun_ = true;
        const auto wait = sync_.options.wait_unconfirmed;
        is_over_ = !wait || *wait == Milliseconds{0};
        if (!is_over_) until_ = now.steady + *wait;
    }
    await_undone(now);
    if (is_over() || sync_.keeper.unconfirmed().has_unstored()) return;
    relay_.request_mempools(now);
}

void UnconfirmedListener::await_undone(Now now) {
    const SyncCheckpoint& checkpoint = sync_.keeper.checkpoint();
    if (!checkpoint.may_have_undone) return;
    const bool any_awaited = checkpoint.unconfirmed.any_undone() && relay_.traits().finds_undone;
    if (any_awaited && !awaits_undone_) {
        awaits_undone_ = true;
        undone_until_ = now.steady + sync_.options.wait_undone;
        ask_again();
    }
    if (any_awaited && undone_until_) return;
    // What has arrived is stored first.
    if (sync_.keeper.unconfirmed().has_unstored()) {
        if (any_awaited) unconfirmed_.store_at_next_wake();
        return;
    }
    stop_awaiting();
    sync_.keeper.forget_undone(sync_.scan.held().searched_again());
    ++sync_.status.counts.stored_batches;
    source_.on_unconfirmed_changed();
}

void UnconfirmedListener::stop_awaiting() {
    awaits_undone_ = false;
    undone_until_.reset();
}

void UnconfirmedListener::on_pong(SyncPeer& peer, const Pong& pong) {
    if (peer.mempool.fence == pong.nonce) peer.mempool.fence.reset();
}

void UnconfirmedListener::on_wake(Now now) {
    if (has_come(undone_until_, now)) {
        undone_until_.reset();
        // The next peer is asked again, by the next sync if need be.
        if (sync_.peers.empty()) stop_awaiting();
    }
    if (!has_come(until_, now)) return;
    until_.reset();
    is_over_ = true;
    unconfirmed_.store_at_next_wake();
}

}  // namespace petal::net
