#include "net/sync/relay/awaited_relay.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "bloom/transaction_match.h"
#include "net/sync/filters/filter_policy.h"

namespace petal::net {

namespace {

bool serves_filters(const SyncPeer& peer) {
    return peer.is_ready() && (peer.connection.version()->services & kNodeBloom) != 0;
}

// btcd tests empty pushes, too.
bool is_explained(bloom::BloomFilter& filter, const chain::Transaction& transaction,
                  const chain::Txid& txid) {
    return bloom::match_and_update(filter, transaction, txid).matched ||
           bloom::matches_by_an_empty_push(filter, transaction);
}

}  // namespace

// Without a wait, no filter is sent.
AwaitedRelay::AwaitedRelay(SyncContext& sync, MatchSource& source)
    : TxRelay(sync, {.finds_undone = sync.options.wait_unconfirmed.has_value(),
                     .by_single_peer = UnconfirmedMode::bloom}),
      source_(source) {}

void AwaitedRelay::on_handshake_complete(SyncPeer& /*peer*/) {
    if (!filter_) choose();
}

void AwaitedRelay::on_end(const SyncPeer& peer) {
    if (chosen_ != peer.id()) return;
    chosen_.reset();
    filter_.reset();
    earlier_filter_.reset();
    renews_at_.reset();
}

// Whether or not an undone block had a transaction of the watcher's, which the peer must not learn.
void AwaitedRelay::on_reorganised() {
    if (SyncPeer* const peer = chosen_ ? sync_.peers.find(*chosen_) : nullptr) {
        peer->mempool.asked = false;
    }
}

bool AwaitedRelay::is_remembered(const SyncPeer& peer) const {
    return sync_.options.relay_node &&
           *sync_.options.relay_node == sync_.peers.report(peer.id()).node;
}

void AwaitedRelay::choose() {
    if (!sync_.options.wait_unconfirmed) return;
    const auto rank = [this](const SyncPeer& peer) {
        return std::tuple(!is_remembered(peer), sync_.peers.report(peer.id()).blocks);
    };
    chosen_.reset();
    const SyncPeer* best = nullptr;
    for (const auto& [id, peer] : sync_.peers) {
        if (!serves_filters(peer)) continue;
        if (best == nullptr || rank(peer) < rank(*best)) best = &peer;
    }
    if (best != nullptr) chosen_ = best->id();
}

// Other peers may get the last block later. Those that lack more may have stopped.
bool AwaitedRelay::is_reserved(const SyncPeer& peer) const {
    if (chosen_ != peer.id() || !source_.traits().has_compact_filters) return false;
    const std::uint32_t tip = sync_.chain.tip().height;
    return std::ranges::any_of(sync_.peers, [&](const auto& entry) {
        const SyncPeer& other = entry.second;
        return other.is_ready() && chosen_ != other.id() && other.chain.last_block(tip) + 1 >= tip;
    });
}

// Not if as many peers as expected are connected: a slot would have to become free for it.
bool AwaitedRelay::awaits_remembered(Now now) {
    if (!sync_.options.relay_node || has_waited_) return false;
    if (sync_.peers.size() >= sync_.options.expected_peers) return false;
    if (chosen_ && is_remembered(*sync_.peers.find(*chosen_))) return false;
    if (!waits_until_) waits_until_ = now.steady + kPatience;
    return true;
}

void AwaitedRelay::request_mempools(Now now) {
    if (!filter_) {
        choose();
        if (!chosen_ || awaits_remembered(now)) return;
    }
    SyncPeer& peer = *sync_.peers.find(*chosen_);
    if (!filter_) load_filter(peer, now);
    if (filter_ && !peer.mempool.asked) request_mempool(peer);
}

void AwaitedRelay::load_filter(SyncPeer& peer, Now now) {
    renews_at_ = now.steady + kRenewal;
    auto groups = sync_.watcher.awaited_elements();
    if (groups.empty() || (filter_ && groups == groups_)) return;
    groups_ = std::move(groups);
    earlier_filter_ = std::move(filter_);
    filter_ = make_awaited_filter(groups_, sync_.watcher.filter_padding(),
                                  sync_.keeper.checkpoint().rate, sync_.options.filter_bytes);
    PeerReport& report = sync_.peers.report(peer.id());
    const bool is_first = !std::exchange(report.has_filter, true);
    if (is_first && sync_.events.on_first_filter) sync_.events.on_first_filter(report);
    if (is_first && sync_.events.on_relay_peer) sync_.events.on_relay_peer(report);
    sync_.outbox.send(peer.id(), FilterLoad{filter_->encode()});
    ++sync_.status.counts.filter_loads;
    sync_.status.filter = {.false_positive_rate = filter_->false_positive_rate(),
                           .bytes = filter_->bytes().size(),
                           .hash_functions = filter_->hash_functions()};
    peer.mempool.asked = false;  // what entered the peer's mempool before is not announced
}

Outcome AwaitedRelay::check(const SyncPeer& peer, const chain::Transaction& transaction,
                            const chain::Txid& txid) {
    if (!filter_ || chosen_ != peer.id() || is_explained(*filter_, transaction, txid)) return {};
    if (earlier_filter_ && is_explained(*earlier_filter_, transaction, txid)) return {};
    return chain::Unexpected(Violation{DisconnectReason::contradicts_filter, txid.to_hex()});
}

const SyncPeer* AwaitedRelay::single_peer() const {
    return chosen_ ? sync_.peers.find(*chosen_) : nullptr;
}

std::optional<AwaitedRelay::Milliseconds> AwaitedRelay::wakes_at() const {
    return earlier_of(TxRelay::wakes_at(), earlier_of(renews_at_, waits_until_));
}

void AwaitedRelay::on_wake(Now now) {
    TxRelay::on_wake(now);
    if (has_come(waits_until_, now)) {
        has_waited_ = true;
        waits_until_.reset();
    }
    if (has_come(renews_at_, now)) load_filter(*sync_.peers.find(*chosen_), now);
}

}  // namespace petal::net
