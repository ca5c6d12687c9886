#include "net/broadcast/broadcast_engine.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "bloom/bloom_filter.h"
#include "net/peer/byte_budget.h"
#include "net/peer/received_message.h"
#include "net/peer/recent_txids.h"

namespace petal::net {

using std::chrono::milliseconds;

namespace {

// How long a transaction is withheld from nodes that have a filter, while a node without a filter
// may be found. Twice as long while a node without a filter may still announce it. At most half of
// the timeout.
constexpr milliseconds kPatienceForOthers{20'000};

// Bitcoin Core: validation.cpp ("txn-already-in-mempool", "txn-already-known"), with the code that
// net_processing.cpp sent up to 0.17. "already have transaction" is of other software.
bool says_it_has_it(const Reject& message) {
    constexpr std::uint8_t kDuplicate = 0x12;  // BIP61
    return message.code == kDuplicate && (message.reason.starts_with("txn-already") ||
                                          message.reason.starts_with("already have"));
}

std::optional<AnnouncementPolicy::Patience> patience_of(const BroadcastOptions& options,
                                                        milliseconds start) {
    if (!options.has_filter) return std::nullopt;
    const milliseconds most = options.timeout / 2;
    return AnnouncementPolicy::Patience{.search_until = start + std::min(kPatienceForOthers, most),
                                        .until = start + std::min(2 * kPatienceForOthers, most)};
}

}  // namespace

BroadcastEngine::BroadcastEngine(chain::OwnTransaction transaction, BroadcastOptions options,
                                 Now start)
    : txid_(transaction.transaction.txid()),
      options_(std::move(options)),
      random_(options_.random_seed),
      policy_(patience_of(options_, start.steady)),
      now_(start),
      deadline_(start.steady + options_.timeout) {
    std::vector<chain::OwnTransaction> all = options_.ancestors;
    all.push_back(std::move(transaction));
    tx_server_.start(std::move(all));
}

void BroadcastEngine::drop(BroadcastSession& session, const Violation& why) {
    outbox_.disconnect(session.peer.id(), why);
    session.shown.ended = why.reason;
}

void BroadcastEngine::on_connected(PeerId peer, PeerIdentity identity, Now now) {
    now_ = now;
    const bool known = sessions_.has_node(identity.node);
    Version ours;
    ours.time = now.unix_seconds;
    ours.nonce = random_.next();
    ours.user_agent = options_.user_agent;
    constexpr HandshakeAims kAnyPeer{.services = 0};
    const PeerTimeouts timeouts{.handshake = options_.handshake_timeout};
    BroadcastSession& session = sessions_.all.emplace_back(
        BroadcastSession{Peer{peer, std::move(ours), kAnyPeer, timeouts, now.steady}, {}});
    // Announcements are handled when they arrive, and not looked up later.
    session.peer.limit_inventory(0);
    session.shown.id = peer;
    session.shown.has_filter = options_.has_filter && options_.has_filter(identity.node);
    session.shown.identity = std::move(identity);
    if (known) {
        drop(session, {DisconnectReason::duplicate, ""});
    } else {
        outbox_.send(peer, session.peer.open());
    }
    drive();
}

chain::Expected<bool, Violation> BroadcastEngine::expects(PeerId peer, const Frame& frame) const {
    const BroadcastSession* session = sessions_.find_open(peer);
    if (session == nullptr) return false;
    if (!session->peer.has_completed_handshake()) return is_of_handshake(frame.command);
    if (frame.command == Tx::kCommand) {
        return session->shown.was_announced_to() && !session->shown.has_it() &&
               frame.payload.size() <= tx_server_.largest_bytes();
    }
    return !carries_answer(frame.command) && !is_of_block_filters(frame.command);
}

void BroadcastEngine::on_message(PeerId peer, const Message& message, Now now) {
    now_ = now;
    BroadcastSession* const session = sessions_.find_open(peer);
    if (session == nullptr) return;
    const auto effect = session->peer.on_message(message, outbox_, now);
    session->shown.claims = session->peer.claims();
    if (!effect) {
        drop(*session, effect.error());
    } else if (*effect == Peer::Effect::handshake_complete) {
        // The pong arrives after the messages that a node sends at once after the handshake,
        // including its feefilter.
        apply(*session, session->peer.takes_transactions() ? RelayEvent::takes_some
                                                           : RelayEvent::declines_all);
        const auto due = session->peer.connected_at() + options_.handshake_timeout;
        session->peer.ping(due, random_, outbox_);
    } else if (*effect == Peer::Effect::none) {
        on_other_message(*session, message);
    }
    drive();
}

void BroadcastEngine::on_other_message(BroadcastSession& session, const Message& message) {
    if (std::holds_alternative<Pong>(message) || std::holds_alternative<FeeFilter>(message)) {
        if (session.peer.owes_pong()) return;
        const bool takes_fee = pays(session.peer.least_fee_rate());
        apply(session, takes_fee ? RelayEvent::takes_fee : RelayEvent::declines_fee);
    } else if (const auto* inv = std::get_if<Inv>(&message)) {
        on_inventory(session, *inv);
    } else if (const auto* request = std::get_if<GetData>(&message)) {
        on_request(session, *request);
    } else if (const auto* tx = std::get_if<Tx>(&message)) {
        if (tx->transaction.txid() == txid_) apply(session, RelayEvent::returned);
    } else if (const auto* reject = std::get_if<Reject>(&message)) {
        on_reject(session, *reject);
    }
}

/// Whether the transaction itself pays this rate. Its ancestors' fees do not matter.
bool BroadcastEngine::pays(chain::Satoshis least_fee_rate) const {
    RecentTxids ancestors(options_.ancestors.size());
    for (const auto& own : options_.ancestors) ancestors.insert(own.transaction.txid());
    return tx_server_.has_for(least_fee_rate, ancestors);
}

void BroadcastEngine::on_inventory(BroadcastSession& session, const Inv& message) {
    const auto names_it = [this](const Inventory& entry) {
        return entry.type == InventoryType::tx && entry.hash.bytes == txid_.bytes;
    };
    if (std::ranges::any_of(message.entries, names_it)) on_claim(session);
}

// A peer without the transaction may only echo our announcement, or claim to have the transaction
// so that no other peer gets it. The transaction is requested from the peer at once.
void BroadcastEngine::on_claim(BroadcastSession& session) {
    const bool has_changed = sessions_.apply(session, RelayEvent::announced_by_it, now_);
    if (!has_changed && session.shown.was_announced_to()) request_back(session);
}

void BroadcastEngine::on_request(BroadcastSession& session, const GetData& message) {
    const auto sent = tx_server_.answer(session.peer.id(), message, outbox_);
    if (std::ranges::find(sent, txid_) == sent.end()) return;  // ancestors, or nothing
    apply(session, RelayEvent::fetched);
}

void BroadcastEngine::on_reject(BroadcastSession& session, const Reject& message) {
    const bool is_ours =
        message.command == Tx::kCommand && message.subject && message.subject->bytes == txid_.bytes;
    if (!is_ours || !session.shown.was_announced_to()) return;
    if (says_it_has_it(message)) return on_claim(session);
    if (sessions_.apply(session, RelayEvent::rejected, now_))
        session.shown.refusal = message.reason;
}

void BroadcastEngine::on_bad_bytes(PeerId peer, DisconnectReason reason, std::string detail,
                                   Now now) {
    now_ = now;
    BroadcastSession* const session = sessions_.find_open(peer);
    if (session == nullptr) return;
    drop(*session, {reason, std::move(detail)});
    drive();
}

void BroadcastEngine::on_closed(PeerId peer, Now now) {
    now_ = now;
    if (BroadcastSession* const session = sessions_.find_open(peer))
        session->shown.ended = DisconnectReason::gone;
    drive();
}

void BroadcastEngine::on_availability(PeerAvailability availability, Now now) {
    now_ = now;
    sessions_.availability = availability;
    drive();
}

void BroadcastEngine::on_time(Now now) {
    now_ = now;
    for (BroadcastSession& session : sessions_.all) {
        work_off(
            now, [&] { return session.next_deadline(); },
            [&](BroadcastSession::Due what) { act_on_deadline(session, what); });
    }
    drive();
}

void BroadcastEngine::act_on_deadline(BroadcastSession& session, BroadcastSession::Due what) {
    switch (what) {
        case BroadcastSession::Due::connection: {
            const auto alive = session.peer.on_wake(now_, random_, outbox_);
            if (!alive) drop(session, alive.error());
            return;
        }
        case BroadcastSession::Due::request:
            return request_back(session);
        case BroadcastSession::Due::overdue:
            return apply(session, RelayEvent::overdue);
    }
}

std::vector<Command> BroadcastEngine::take_commands() {
    return outbox_.take();
}

void BroadcastEngine::drive() {
    if (finished()) return;
    if (BroadcastSession* const replaced = policy_.choose_replaced(sessions_, now_)) {
        sessions_.availability = PeerAvailability::now;
        drop(*replaced, {DisconnectReason::finished, ""});
    }
    for (BroadcastSession* session : policy_.choose_recipients(sessions_, now_)) {
        announce_to(*session);
    }
    const auto end = next_end();
    if (now_.steady >= end.at) end_ = end.what;
}

BroadcastReport BroadcastEngine::report() const {
    std::vector<BroadcastPeer> peers;
    peers.reserve(sessions_.all.size());
    for (const BroadcastSession& session : sessions_.all) peers.push_back(session.shown);
    BroadcastReport report = make_report(std::move(peers));
    report.timed_out = end_ == End::timed_out;
    return report;
}

void BroadcastEngine::announce_to(BroadcastSession& session) {
    session.peer.announce(tx_server_.announce(session.peer.id(), session.peer.least_fee_rate()),
                          outbox_);
    apply(session, RelayEvent::announced_to_it);
}

void BroadcastEngine::request_back(BroadcastSession& session) {
    session.request_at.reset();
    if (session.shown.has_it()) return;
    request_mempool(session);
    outbox_.send(session.peer.id(), GetData{{{InventoryType::tx, {txid_.bytes}}}});
    session.request_again(now_);
}

// A node that had the transaction before serves it only after announcing it to us (Bitcoin Core:
// FindTxForGetData). On a `mempool` request it announces the transactions that match a filter
// (BIP35). The filter reveals nothing new to a peer to which the transaction was announced.
void BroadcastEngine::request_mempool(BroadcastSession& session) {
    const bool serves_filters = (session.shown.claims.services & kNodeBloom) != 0;
    if (!serves_filters || std::exchange(session.has_mempool_request, true)) return;
    constexpr double kRate = 1e-9;  // matches only it, even in a large mempool
    bloom::BloomFilter filter(bloom::filter_size(1, kRate), 0, bloom::UpdateMode::none);
    filter.insert(txid_.bytes);
    outbox_.send(session.peer.id(), FilterLoad{filter.encode()});
    outbox_.send(session.peer.id(), Mempool{});
}

Deadline<BroadcastEngine::End> BroadcastEngine::next_end() const {
    EarliestDeadline<End> next;
    next.consider(sessions_.enough_at(), End::enough);
    next.consider(deadline_, End::timed_out);
    return *next.get();
}

milliseconds BroadcastEngine::next_deadline() const {
    auto next = earlier_of(policy_.next_change(now_), next_end().at);
    for (const BroadcastSession& session : sessions_.all) {
        next = earlier_of(next, time_of(session.next_deadline()));
    }
    return *next;
}

}  // namespace petal::net
