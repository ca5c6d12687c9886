#include "net/sync/relay/chosen_relay.h"

#include "net/sync/relay/full_relay.h"

namespace petal::net {

ChosenRelay::ChosenRelay(SyncContext& sync, MatchSource& source)
    : TxRelay(sync, {.shows_transactions = false}), source_(source) {
    choose();
}

void ChosenRelay::choose() {
    if (of_ == sync_.status.source) return;
    of_ = sync_.status.source;
    relay_ = of_ ? make_tx_relay(sync_, source_) : nullptr;
    set_traits(relay_ ? relay_->traits() : TxRelayTraits{.shows_transactions = false});
    for (auto& [id, peer] : sync_.peers) {
        if (peer.is_ready()) on_handshake_complete(peer);
    }
}

bool ChosenRelay::relays_all_from_next_peer() const {
    if (relay_) return relay_->relays_all_from_next_peer();
    return sync_.options.unconfirmed == UnconfirmedMode::all &&
           FullRelay(sync_).relays_all_from_next_peer();
}

void ChosenRelay::on_handshake_complete(SyncPeer& peer) {
    if (relay_) relay_->on_handshake_complete(peer);
}

void ChosenRelay::on_end(const SyncPeer& peer) {
    if (relay_) relay_->on_end(peer);
}

void ChosenRelay::on_reorganised() {
    if (relay_) relay_->on_reorganised();
}

void ChosenRelay::request_mempools(Now now) {
    if (relay_) relay_->request_mempools(now);
}

void ChosenRelay::ask_again() {
    if (relay_) relay_->ask_again();
}

Outcome ChosenRelay::check(const SyncPeer& peer, const chain::Transaction& transaction,
                           const chain::Txid& txid) {
    return relay_ ? relay_->check(peer, transaction, txid) : Outcome{};
}

std::optional<ChosenRelay::Milliseconds> ChosenRelay::wakes_at() const {
    return earlier_of(TxRelay::wakes_at(), relay_ ? relay_->wakes_at() : std::nullopt);
}

void ChosenRelay::on_wake(Now now) {
    TxRelay::on_wake(now);
    if (relay_ && has_come(relay_->wakes_at(), now)) relay_->on_wake(now);
}

}  // namespace petal::net
