#include "net/broadcast/broadcast_engine.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "bloom/bloom_filter.h"
#include "net/peer/byte_budget.h"
#include "net/peer/received_message.h"
#include "net/peer/recent_txids.h"

namespace petal::net {

using std::chrono::milliseconds;

namespace {

// A node serves a transaction only after it has announced its newer transactions: after five
// seconds on average, exponentially distributed (Bitcoin Core: net_processing.cpp, trickle to
// inbound peers). One in some fifty takes longer than twenty seconds, one in 100,000 longer than a
// minute. The user's own node may serve it at once: the first request is sent early, the next ones
// at pauses that double.
constexpr milliseconds kFirstRequest{20};
constexpr milliseconds kRequestAgain{3'000};

// How long a transaction is withheld from nodes that have a filter while another node may be found;
// up to twice as long while another node has it or may request it, and has not announced it. At
// most half of the timeout.
constexpr milliseconds kPatienceForOthers{20'000};

// Bitcoin Core: validation.cpp ("txn-already-in-mempool", "txn-already-known"), with the code that
// its net_processing.cpp sent up to 0.17; "already have transaction" is sent by other nodes.
bool says_it_has_it(const Reject& message) {
    constexpr std::uint8_t kDuplicate = 0x12;  // BIP61
    return message.code == kDuplicate && (message.reason.starts_with("txn-already") ||
                                          message.reason.starts_with("already have"));
}

AnnouncementPolicy::Patience patience_of(const BroadcastOptions& options, milliseconds start) {
    if (!options.has_filter) return {};
    const milliseconds most = options.timeout / 2;
    return {.search_until = start + std::min(kPatienceForOthers, most),
            .until = start + std::min(2 * kPatienceForOthers, most)};
}

}  // namespace

BroadcastEngine::BroadcastEngine(chain::OwnTransaction transaction, BroadcastOptions options,
                                 Now start)
    : txid_(transaction.transaction.txid()),
      options_(std::move(options)),
      random_(options_.random_seed),
      policy_(patience_of(options_, start.steady)),
      deadline_(start.steady + options_.timeout) {
    std::vector<chain::OwnTransaction> all = options_.ancestors;
    all.push_back(std::move(transaction));
    tx_server_.start(std::move(all));
    sessions_.on_due = std::bind_front(&BroadcastEngine::act_on_deadline, this);
    timers_.add(sessions_);
    timers_.add(policy_);
}

void BroadcastEngine::drop(BroadcastSession& session, const Violation& why) {
    outbox_.disconnect(session.peer.id(), why);
    session.shown.ended = why.reason;
}

void BroadcastEngine::on_connected(PeerId peer, PeerIdentity identity, Now now) {
    const bool known = sessions_.has_node(identity.node);
    Version ours;
    ours.time = now.unix_seconds;
    ours.nonce = random_.next();
    ours.user_agent = options_.user_agent;
    constexpr HandshakeAims kAnyPeer{.filters = false, .blocks = false, .addresses = false};
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
    drive(now);
}

chain::Expected<bool, Violation> BroadcastEngine::expects(PeerId peer, const Frame& frame) const {
    const BroadcastSession* session = sessions_.find_open(peer);
    if (session == nullptr) return false;
    if (!session->peer.is_greeted()) return is_of_handshake(frame.command);
    if (frame.command == Tx::kCommand) {
        return session->is_recipient() && !session->shown.has_it &&
               frame.payload.size() <= tx_server_.largest_bytes();
    }
    return !carries_answer(frame.command) && !is_of_block_filters(frame.command);
}

void BroadcastEngine::on_message(PeerId peer, const Message& message, Now now) {
    BroadcastSession* const session = sessions_.find_open(peer);
    if (session == nullptr) return;
    const auto effect = session->peer.on_message(message, outbox_, now);
    session->shown.claims = session->peer.claims();
    if (!effect) {
        drop(*session, effect.error());
    } else if (*effect == Peer::Effect::greeted) {
        // The pong arrives after the messages that a node sends at once after the handshake,
        // including its feefilter.
        session->shown.greeted = true;
        const auto due = session->peer.connected_at() + options_.handshake_timeout;
        session->peer.ping(due, random_, outbox_);
    } else if (*effect == Peer::Effect::none) {
        on_other_message(*session, message, now);
    }
    drive(now);
}

void BroadcastEngine::on_other_message(BroadcastSession& session, const Message& message, Now now) {
    if (std::holds_alternative<Pong>(message)) {
        session.settled = session.settled || !session.peer.owes_pong();
    } else if (std::holds_alternative<FeeFilter>(message)) {
        if (session.is_recipient()) return;
        session.shown.refuses_fee = is_refused_by(session.peer.least_fee_rate());
    } else if (const auto* inv = std::get_if<Inv>(&message)) {
        on_inventory(session, *inv, now);
    } else if (const auto* request = std::get_if<GetData>(&message)) {
        on_request(session, *request, now);
    } else if (const auto* tx = std::get_if<Tx>(&message)) {
        if (session.is_recipient() && tx->transaction.txid() == txid_) note_held(session, now);
    } else if (const auto* reject = std::get_if<Reject>(&message)) {
        on_refusal(session, *reject, now);
    }
}

/// Whether the transaction itself pays less than this rate; its ancestors' fees do not matter.
bool BroadcastEngine::is_refused_by(chain::Satoshis least_fee_rate) const {
    RecentTxids ancestors(options_.ancestors.size());
    for (const auto& own : options_.ancestors) ancestors.insert(own.transaction.txid());
    return !tx_server_.has_for(least_fee_rate, ancestors);
}

void BroadcastEngine::note_held(BroadcastSession& session, Now now) {
    session.shown.has_it = true;
    if (!milestones_.first_held) milestones_.first_held = now.steady;
}

// An announcement by a peer to which ours was not announced shows that the transaction has spread.
// Any other peer may only echo our announcement: it is asked for the transaction at once, unless it
// got the transaction from us.
void BroadcastEngine::on_inventory(BroadcastSession& session, const Inv& message, Now now) {
    const auto names_it = [this](const Inventory& entry) {
        return entry.type == InventoryType::tx && entry.hash.bytes == txid_.bytes;
    };
    if (std::ranges::none_of(message.entries, names_it)) return;
    BroadcastPeer& shown = session.shown;
    if (shown.announced && !shown.fetched) return request_back(session, now);
    note_held(session, now);
    if (shown.announced) return;
    shown.saw_it = true;
    if (!milestones_.first_seen) milestones_.first_seen = now.steady;
}

void BroadcastEngine::on_request(BroadcastSession& session, const GetData& message, Now now) {
    const auto sent = tx_server_.answer(session.peer.id(), message, outbox_);
    if (std::ranges::find(sent, txid_) == sent.end()) return;  // ancestors, or nothing
    session.shown.fetched = true;
    if (!session.fetched_at) {
        session.fetched_at = now.steady;
        session.overdue = false;
    }
    milestones_.last_fetched = now.steady;
    session.request_pause = kFirstRequest;
    session.request_at = now.steady + session.request_pause;
}

void BroadcastEngine::on_refusal(BroadcastSession& session, const Reject& message, Now now) {
    const bool is_ours =
        message.command == Tx::kCommand && message.subject && message.subject->bytes == txid_.bytes;
    if (!is_ours || !session.is_recipient()) return;
    if (says_it_has_it(message)) {
        // It may claim so to keep the transaction from others.
        return session.shown.fetched ? note_held(session, now) : request_back(session, now);
    }
    session.shown.refusal = message.reason;
    session.request_at.reset();
}

void BroadcastEngine::on_bad_bytes(PeerId peer, DisconnectReason reason, std::string detail,
                                   Now now) {
    BroadcastSession* const session = sessions_.find_open(peer);
    if (session == nullptr) return;
    drop(*session, {reason, std::move(detail)});
    drive(now);
}

void BroadcastEngine::on_closed(PeerId peer, Now now) {
    if (BroadcastSession* const session = sessions_.find_open(peer))
        session->shown.ended = DisconnectReason::gone;
    drive(now);
}

void BroadcastEngine::on_availability(PeerAvailability availability, Now now) {
    sessions_.availability = availability;
    drive(now);
}

void BroadcastEngine::on_time(Now now) {
    timers_.wake(now);
    drive(now);
}

void BroadcastEngine::act_on_deadline(BroadcastSession& session, BroadcastSession::Due what,
                                      Now now) {
    switch (what) {
        case BroadcastSession::Due::connection: {
            const auto alive = session.peer.on_wake(now, random_, outbox_);
            if (!alive) drop(session, alive.error());
            return;
        }
        case BroadcastSession::Due::request:
            return request_back(session, now);
        case BroadcastSession::Due::overdue:
            session.overdue = true;
            return;
    }
}

std::vector<Command> BroadcastEngine::take_commands() {
    return outbox_.take();
}

void BroadcastEngine::drive(Now now) {
    if (finished()) return;
    if (BroadcastSession* const replaced = policy_.choose_replaced(sessions_)) {
        sessions_.availability = PeerAvailability::now;
        drop(*replaced, {DisconnectReason::finished, ""});
    }
    const bool has_spread = milestones_.first_seen.has_value();
    for (BroadcastSession* session : policy_.choose_recipients(sessions_, has_spread)) {
        announce_to(*session, now);
    }
    const auto end = next_end();
    if (now.steady >= end.at) end_ = end.what;
}

BroadcastReport BroadcastEngine::report() const {
    std::vector<BroadcastPeer> peers;
    peers.reserve(sessions_.all.size());
    for (const BroadcastSession& session : sessions_.all) peers.push_back(session.shown);
    BroadcastReport report = make_report(std::move(peers));
    report.timed_out = end_ == End::timed_out;
    return report;
}

void BroadcastEngine::announce_to(BroadcastSession& session, Now now) {
    session.peer.announce(tx_server_.announce(session.peer.id(), session.peer.least_fee_rate()),
                          outbox_);
    session.shown.announced = true;
    session.announced_at = milestones_.last_announced = now.steady;
    session.request_pause = kRequestAgain;
    session.request_at = now.steady + session.request_pause;
}

void BroadcastEngine::request_back(BroadcastSession& session, Now now) {
    session.request_at.reset();
    if (session.shown.has_it) return;
    request_mempool(session);
    outbox_.send(session.peer.id(), GetData{{{InventoryType::tx, {txid_.bytes}}}});
    session.request_pause = std::clamp(2 * session.request_pause, kFirstRequest, kRequestAgain);
    session.request_at = now.steady + session.request_pause;
}

// A node that had the transaction before serves it only after it has announced it to us (Bitcoin
// Core: FindTxForGetData). On a `mempool` request it announces the transactions that match a filter
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
    next.consider(enough_at(milestones_, sessions_), End::enough);
    next.consider(deadline_, End::timed_out);
    return *next.get();
}

milliseconds BroadcastEngine::next_deadline() const {
    return *earlier_of(timers_.next(), next_end().at);
}

}  // namespace petal::net
