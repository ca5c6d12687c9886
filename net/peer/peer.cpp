#include "net/peer/peer.h"

#include <utility>

#include "chain/transaction_rules.h"

namespace petal::net {

using chain::Unexpected;

Peer::Peer(PeerId id, Version ours, HandshakeAims aims, PeerTimeouts timeouts, Milliseconds now)
    : id_(id),
      handshake_(std::move(ours), aims),
      timeouts_(timeouts),
      connected_at_(now),
      heard_at_(now) {}

chain::Expected<Peer::Effect, Violation> Peer::on_message(const Message& message, Outbox& outbox,
                                                          Now now) {
    heard_at_ = now.steady;
    if (!has_completed_handshake()) {
        auto answers = handshake_.on_message(message);
        if (!answers) return Unexpected(answers.error());
        for (Message& answer : *answers) outbox.send(id_, std::move(answer));
        return has_completed_handshake() ? Effect::handshake_complete : Effect::handled;
    }
    if (const auto* ping = std::get_if<Ping>(&message)) {
        outbox.send(id_, Pong{ping->nonce});
        return Effect::handled;
    }
    if (const auto* pong = std::get_if<Pong>(&message)) {
        if (pong->nonce == ping_nonce_) cancel_pong_deadline();
    } else if (const auto* fee = std::get_if<FeeFilter>(&message)) {
        const bool is_valid = fee->fee_rate >= 0 && fee->fee_rate <= chain::kMaxMoney;
        if (is_valid) least_fee_rate_ = fee->fee_rate;
    } else if (const auto* inv = std::get_if<Inv>(&message)) {
        for (const Inventory& entry : inv->entries) {
            if (entry.type != InventoryType::tx) continue;
            announced_by_peer_.insert(chain::Txid{entry.hash.bytes});
        }
    }
    return Effect::none;
}

PeerClaims Peer::claims() const {
    PeerClaims claims;
    claims.least_fee_rate = least_fee_rate_;
    if (!version()) return claims;
    claims.has_version = true;
    claims.user_agent = version()->user_agent;
    claims.services = version()->services;
    claims.height = version()->start_height;
    claims.takes_transactions = version()->relay;
    return claims;
}

void Peer::ping(Milliseconds due, SecretNumbers& random, Outbox& outbox) {
    ping_nonce_ = random.next();
    pong_due_ = due;
    outbox.send(id_, Ping{ping_nonce_});
}

void Peer::announce(Inv inv, Outbox& outbox) {
    for (const Inventory& entry : inv.entries) {
        announced_to_peer_.insert(chain::Txid{entry.hash.bytes});
    }
    outbox.send(id_, std::move(inv));
}

void Peer::limit_inventory(std::size_t txids) {
    announced_by_peer_.limit_to(txids);
    announced_to_peer_.limit_to(txids);
}

std::optional<Deadline<Peer::Due>> Peer::next_deadline() const {
    EarliestDeadline<Due> next;
    if (!has_completed_handshake())
        return next.consider(connected_at_ + timeouts_.handshake, Due::give_up).get();
    next.consider(pong_due_, Due::give_up);
    if (!pong_due_) next.consider(heard_at_ + kKeepAlive, Due::keep_alive);
    return next.get();
}

std::optional<Peer::Milliseconds> Peer::wakes_at() const {
    return time_of(next_deadline());
}

chain::Expected<void, Violation> Peer::on_wake(Now now, SecretNumbers& random, Outbox& outbox) {
    const auto next = next_deadline();
    if (!next || now.steady < next->at) return {};
    if (next->what == Due::give_up) return Unexpected(Violation{DisconnectReason::timed_out, ""});
    ping(now.steady + timeouts_.answer, random, outbox);
    return {};
}

}  // namespace petal::net
