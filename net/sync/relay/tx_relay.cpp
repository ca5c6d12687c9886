#include "net/sync/relay/tx_relay.h"

#include <chrono>

#include "net/sync/relay/awaited_relay.h"
#include "net/sync/relay/full_relay.h"

namespace petal::net {

namespace {

using std::chrono::milliseconds;

// How long a sync listens without a peer that relays, until the user is told.
constexpr milliseconds kSearchTime{10'000};

/// By the filters that the peers have for blocks. Each peer relays what matches.
class BlockFilterRelay final : public TxRelay {
public:
    BlockFilterRelay(SyncContext& sync, MatchSource& source)
        : TxRelay(sync, {.finds_undone = true, .may_show_matches = true}), source_(source) {}

    void request_mempools(Now /*now*/) override {
        for (auto& [id, peer] : sync_.peers) {
            if (!peer.is_ready() || peer.mempool.asked) continue;
            source_.prepare(peer);
            request_mempool(peer);
        }
    }
    void ask_again() override {
        for (auto& [id, peer] : sync_.peers) peer.mempool.asked = false;
    }
    // Even while blocks are missing: the mirror of the peer's filter needs the transactions.
    bool takes_from(const SyncPeer& peer, bool blocks_are_in) const override {
        return blocks_are_in || peer.blocks.filter().latest() != nullptr;
    }

private:
    MatchSource& source_;
};

/// None. A peer with a filter for blocks relays what matches all the same, and the mirror of the
/// filter needs these transactions.
class NoRelay final : public TxRelay {
public:
    explicit NoRelay(SyncContext& sync)
        : TxRelay(sync, {.shows_transactions = false, .may_show_matches = true}) {}

    void request_mempools(Now /*now*/) override {}
    bool takes_from(const SyncPeer& peer, bool /*blocks_are_in*/) const override {
        return peer.blocks.filter().latest() != nullptr;
    }
};

}  // namespace

void TxRelay::request_mempool(SyncPeer& peer) {
    peer.mempool = {true, sync_.random.next()};
    sync_.outbox.send(peer.id(), Mempool{});
    sync_.outbox.send(peer.id(), Ping{*peer.mempool.fence});
}

void TxRelay::observe(bool is_listening, Now now) {
    const SyncPeer* const peer = single_peer();
    if (peer == nullptr || peer->transactions.open() == 0) {
        waiting_.reset();
    } else if (!waiting_ || waiting_->peer != peer->id() ||
               waiting_->answered != peer->transactions.answered()) {
        waiting_ = Waiting{peer->id(), peer->transactions.answered(), now.steady};
    }
    const bool lacks_peer = traits_.by_single_peer && is_listening && peer == nullptr;
    if (!lacks_peer) lacks_peer_since_.reset();
    if (lacks_peer && !lacks_peer_since_) lacks_peer_since_ = now.steady;
    sync_.status.relay_mode =
        sync_.options.wait_unconfirmed ? traits_.by_single_peer : std::nullopt;
    sync_.status.relay_peer = peer == nullptr ? std::nullopt : std::optional{peer->id()};
    sync_.status.lacks_relay_peer = lacks_peer && has_come(*lacks_peer_since_ + kSearchTime, now);
}

// A node answers in order, and may be busy with blocks.
std::optional<milliseconds> TxRelay::withheld_at() const {
    const SyncPeer* const peer = single_peer();
    if (peer == nullptr || !waiting_ || peer->blocks.in_flight() > 0) return std::nullopt;
    return waiting_->since + sync_.options.timeouts.answer;
}

std::optional<milliseconds> TxRelay::wakes_at() const {
    const bool is_told = sync_.status.lacks_relay_peer;
    return earlier_of(withheld_at(), lacks_peer_since_ && !is_told
                                         ? std::optional{*lacks_peer_since_ + kSearchTime}
                                         : std::nullopt);
}

void TxRelay::on_wake(Now now) {
    if (!has_come(withheld_at(), now)) return;
    sync_.peers.drop(*sync_.peers.find(waiting_->peer),
                     {DisconnectReason::incomplete, "announced transactions"});
}

std::unique_ptr<TxRelay> make_tx_relay(SyncContext& sync, MatchSource& source) {
    const UnconfirmedMode mode = sync.options.unconfirmed;
    if (mode == UnconfirmedMode::none) return std::make_unique<NoRelay>(sync);
    if (source.traits().loads_filters) return std::make_unique<BlockFilterRelay>(sync, source);
    if (mode == UnconfirmedMode::bloom) return std::make_unique<AwaitedRelay>(sync, source);
    return std::make_unique<FullRelay>(sync);
}

}  // namespace petal::net
