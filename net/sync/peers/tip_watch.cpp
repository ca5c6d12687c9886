#include "net/sync/peers/tip_watch.h"

#include <algorithm>
#include <iterator>

#include "chain/headers/header_rules.h"

namespace petal::net {

using std::chrono::milliseconds;
using std::chrono::seconds;

void TipWatch::update(bool is_listening, Now now) {
    is_listening_ = is_listening;
    if (tip_ != chain_.tip().hash) {
        tip_ = chain_.tip().hash;
        tip_moved_at_ = now.steady;
        wants_extra_peer_ = false;
    }
    judge_age(now);
    judge_peers(now);
}

void TipWatch::judge_age(Now now) {
    const auto limit = chain::old_tip_age(chain_.network());
    age_judged_at_.reset();
    if (!limit) return;
    const std::int64_t age = chain::block_age(chain_.tip_header(), now.unix_seconds);
    if (age < *limit) {
        is_old_ = false;
        age_judged_at_ = now.steady + seconds(*limit - age);
    } else if (is_listening_ && !is_old_) {
        const auto woke_at = peers_.woke_at();
        const milliseconds settled = woke_at ? *woke_at + kAfterSleep : milliseconds{0};
        is_old_ = now.steady >= settled;
        if (!is_old_) age_judged_at_ = settled;
    }
}

void TipWatch::judge_peers(Now now) {
    if (has_come(extra_peer_wanted_at(), now)) wants_extra_peer_ = true;
    if (!has_come(extra_peer_ends_at(), now)) return;
    wants_extra_peer_ = false;
    next_extra_peer_at_ = now.steady + kBetweenExtraPeers;
    peers_.drop(*least_useful_peer(), {DisconnectReason::finished, "has no newer block"});
}

std::optional<milliseconds> TipWatch::extra_peer_wanted_at() const {
    if (!options_.may_have_extra_peer || !is_listening_ || wants_extra_peer_) return std::nullopt;
    return std::max(tip_moved_at_ + options_.extra_peer_after, next_extra_peer_at_);
}

// A peer whose handshake, headers or blocks are awaited has deadlines of its own.
std::optional<milliseconds> TipWatch::extra_peer_ends_at() const {
    if (!options_.may_have_extra_peer) return std::nullopt;
    if (peers_.size() <= options_.expected_peers) return std::nullopt;
    const SyncPeer& newest = *newest_peer();
    if (!newest.is_ready() || newest.headers->is_awaited() || newest.blocks.in_flight() > 0) {
        return std::nullopt;
    }
    return newest.connection.connected_at() + kExtraPeerTime;
}

const SyncPeer* TipWatch::newest_peer() const {
    const SyncPeer* newest = nullptr;
    for (const auto& [id, peer] : peers_) newest = &peer;  // in the order of their ids
    return newest;
}

// The peer that has shown the least of the best chain, and among several such peers the newest. An
// honest peer that has no more headers shows no block, and counts as one that has shown the last
// one.
SyncPeer* TipWatch::least_useful_peer() {
    const auto shown_by = [this](const SyncPeer& peer) {
        return std::min(std::max(peer.chain.shown_height, peer.chain.ended_height),
                        chain_.tip().height);
    };
    SyncPeer* least = nullptr;
    for (auto& [id, peer] : peers_) {
        if (!least || shown_by(peer) <= shown_by(*least)) least = &peer;
    }
    return least;
}

std::optional<milliseconds> TipWatch::wakes_at() const {
    if (peers_.empty()) return std::nullopt;
    return earlier_of(is_listening_ ? age_judged_at_ : std::nullopt,
                      earlier_of(extra_peer_wanted_at(), extra_peer_ends_at()));
}

}  // namespace petal::net
