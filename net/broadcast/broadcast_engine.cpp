#include "net/broadcast/broadcast_engine.h"

#include <algorithm>
#include <utility>

#include "bloom/bloom_filter.h"
#include "net/peer/received_message.h"
#include "net/peer/recent_txids.h"

namespace petal::net {

using std::chrono::milliseconds;

namespace {

// A peer that has not asked by now has it, or does not want it.
constexpr milliseconds kIgnoredAfter{30'000};
// A node gives a transaction only once it has announced what came since: after five seconds in the
// mean, exponentially distributed (Bitcoin Core: net_processing.cpp, trickle to inbound peers). One
// in some fifty takes longer than twenty seconds, one in 100,000 longer than a minute.
// A node of one's own may give it at once: it is asked soon, then at pauses that double.
constexpr milliseconds kFirstAsk{20};
constexpr milliseconds kAskBackAgain{3'000};
constexpr milliseconds kDroppedAfter{60'000};
// An announcement comes back over a few hops, each with its delays.
constexpr milliseconds kRelayPatience{60'000};
// Once one peer has announced it, others are about to.
constexpr milliseconds kLinger{5'000};
// After so many useless peers were replaced, the next ones are likely to be useless, too.
constexpr int kMostReplaced = 16;

// Bitcoin Core: validation.cpp ("txn-already-in-mempool", "txn-already-known"), with the code that
// its net_processing.cpp sent up to 0.17; "already have transaction" is of others.
bool says_it_has_it(const Reject& message) {
    constexpr std::uint8_t kDuplicate = 0x12;  // BIP61
    return message.code == kDuplicate && (message.reason.starts_with("txn-already") ||
                                          message.reason.starts_with("already have"));
}

using Sessions = std::deque<BroadcastSession>;

/// The open connection of this id; null where there is none.
template <class AnySessions>
auto* find_open(AnySessions& sessions, PeerId peer) {
    const auto found = std::ranges::find_if(sessions, [peer](const BroadcastSession& session) {
        return session.is_open() && session.peer.id() == peer;
    });
    return found == sessions.end() ? nullptr : &*found;
}

/// Whether the node is connected already, or was told.
bool is_known(const Sessions& sessions, const std::string& node) {
    return std::ranges::any_of(sessions, [&](const BroadcastSession& session) {
        const BroadcastPeer& shown = session.shown;
        return shown.identity.node == node && (!shown.ended || shown.announced);
    });
}

/// How many of the open connections are such.
std::size_t count(const Sessions& sessions, bool (BroadcastSession::*is)() const) {
    return static_cast<std::size_t>(std::ranges::count_if(
        sessions,
        [is](const BroadcastSession& session) { return session.is_open() && (session.*is)(); }));
}

/// Whether a peer with the wallet's filter can be dropped for another one. The only one is kept:
/// there may be no other peer at all.
bool has_spare_holder(const Sessions& sessions) {
    return count(sessions, &BroadcastSession::watches_with_filter) > 1;
}

}  // namespace

BroadcastEngine::BroadcastEngine(chain::OwnTransaction transaction, BroadcastOptions options,
                                 Now start)
    : txid_(transaction.transaction.txid()),
      options_(std::move(options)),
      random_(options_.random_seed),
      deadline_(start.steady + options_.timeout) {
    if (options_.has_filter) {
        const milliseconds patience = options_.patience_for_others;
        sparing_.search_until = start.steady + std::min(patience, options_.timeout / 2);
        sparing_.until = start.steady + std::min(2 * patience, options_.timeout / 2);
    }
    std::vector<chain::OwnTransaction> all = options_.ancestors;
    all.push_back(std::move(transaction));
    tx_server_.start(std::move(all));
}

void BroadcastEngine::drop(BroadcastSession& session, const Violation& why) {
    outbox_.disconnect(session.peer.id(), why);
    session.shown.ended = why.reason;
}

void BroadcastEngine::on_connected(PeerId peer, PeerIdentity identity, Now now) {
    const bool known = is_known(sessions_, identity.node);
    Version ours;
    ours.time = now.unix_seconds;
    ours.nonce = random_.next();
    ours.user_agent = options_.user_agent;
    constexpr HandshakeAims kAnybody{.filters = false, .blocks = false, .addresses = false};
    const PeerTimeouts timeouts{.handshake = options_.handshake_timeout};
    BroadcastSession& session = sessions_.emplace_back(
        BroadcastSession{Peer{peer, std::move(ours), kAnybody, timeouts, now.steady}, {}});
    // What a peer announces is judged when it comes, and not looked up again.
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
    const BroadcastSession* session = find_open(sessions_, peer);
    if (session == nullptr) return false;
    if (!session->peer.is_greeted()) return is_of_handshake(frame.command);
    if (frame.command == Tx::kCommand) {
        return session->is_told() && frame.payload.size() <= tx_server_.largest_bytes();
    }
    return frame.command != FullBlock::kCommand && frame.command != MerkleBlock::kCommand;
}

void BroadcastEngine::on_message(PeerId peer, const Message& message, Now now) {
    BroadcastSession* const session = find_open(sessions_, peer);
    if (session == nullptr) return;
    const auto effect = session->peer.on_message(message, outbox_, now);
    if (const auto& version = session->peer.version()) {
        session->shown.user_agent = version->user_agent;
        session->shown.services = version->services;
        session->shown.takes_transactions = version->relay;
    }
    if (!effect) {
        drop(*session, effect.error());
    } else if (*effect == Peer::Effect::greeted) {
        // Behind the ping comes whatever a node says at once after the handshake, its feefilter
        // too.
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
        BroadcastPeer& shown = session.shown;
        shown.least_fee_rate = session.peer.least_fee_rate();
        if (!shown.announced) shown.refuses_fee = is_refused_by(shown.least_fee_rate);
    } else if (const auto* inv = std::get_if<Inv>(&message)) {
        on_inventory(session, *inv, now);
    } else if (const auto* request = std::get_if<GetData>(&message)) {
        on_request(session, *request, now);
    } else if (const auto* tx = std::get_if<Tx>(&message)) {
        if (session.is_told() && tx->transaction.txid() == txid_) note_held(session, now);
    } else if (const auto* reject = std::get_if<Reject>(&message)) {
        on_refusal(session, *reject, now);
    }
}

/// Whether the transaction itself pays less than this: what its ancestors pay does not matter.
bool BroadcastEngine::is_refused_by(chain::Satoshis least_fee_rate) const {
    RecentTxids ancestors(options_.ancestors.size());
    for (const auto& own : options_.ancestors) ancestors.insert(own.transaction.txid());
    return !tx_server_.has_for(least_fee_rate, ancestors);
}

void BroadcastEngine::note_held(BroadcastSession& session, Now now) {
    session.shown.has_it = true;
    if (!milestones_.first_held) milestones_.first_held = now.steady;
}

// An announcement by a peer that was not told shows that the transaction has spread. One by a peer
// that was told may only echo ours: that peer is asked for the transaction at once, unless it got
// it from us.
void BroadcastEngine::on_inventory(BroadcastSession& session, const Inv& message, Now now) {
    const auto names_it = [this](const Inventory& entry) {
        return entry.type == InventoryType::tx && entry.hash.bytes == txid_.bytes;
    };
    if (std::ranges::none_of(message.entries, names_it)) return;
    BroadcastPeer& shown = session.shown;
    if (shown.announced && !shown.fetched) return ask_back(session, now);
    note_held(session, now);
    if (shown.announced) return;
    shown.saw_it = true;
    if (!milestones_.first_seen) milestones_.first_seen = now.steady;
}

void BroadcastEngine::on_request(BroadcastSession& session, const GetData& message, Now now) {
    const PeerId peer = session.peer.id();
    NotFound missing;
    for (const Inventory& entry : message.entries) {
        if (const auto* transaction = tx_server_.hand_out(peer, entry)) {
            outbox_.send(peer, Tx{*transaction});
            if (entry.hash.bytes != txid_.bytes) continue;  // an ancestor
            session.shown.fetched = true;
            if (!session.fetched_at) {
                session.fetched_at = now.steady;
                session.overdue = false;
            }
            milestones_.last_fetched = now.steady;
            session.ask_pause = kFirstAsk;
            session.ask_at = now.steady + session.ask_pause;
        } else {
            missing.entries.push_back(entry);
        }
    }
    if (!missing.entries.empty()) outbox_.send(peer, std::move(missing));
}

void BroadcastEngine::on_refusal(BroadcastSession& session, const Reject& message, Now now) {
    const bool is_ours =
        message.command == Tx::kCommand && message.subject && message.subject->bytes == txid_.bytes;
    if (!is_ours || !session.is_told()) return;
    if (says_it_has_it(message)) return note_held(session, now);
    session.shown.refusal = message.reason;
    session.ask_at.reset();
}

void BroadcastEngine::on_bad_bytes(PeerId peer, DisconnectReason reason, std::string detail,
                                   Now now) {
    BroadcastSession* const session = find_open(sessions_, peer);
    if (session == nullptr) return;
    drop(*session, {reason, std::move(detail)});
    drive(now);
}

void BroadcastEngine::on_closed(PeerId peer, Now now) {
    if (BroadcastSession* const session = find_open(sessions_, peer))
        session->shown.ended = DisconnectReason::gone;
    drive(now);
}

void BroadcastEngine::on_availability(PeerAvailability availability, Now now) {
    availability_ = availability;
    drive(now);
}

void BroadcastEngine::on_time(Now now) {
    for (BroadcastSession& session : sessions_) {
        work_off(
            now, [&] { return session.next_deadline(); },
            [&](BroadcastSession::Due what) { act_on_deadline(session, what, now); });
    }
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
        case BroadcastSession::Due::ask:
            return ask_back(session, now);
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
    for (auto* until : {&sparing_.search_until, &sparing_.until}) {
        if (*until && now.steady >= **until) until->reset();
    }
    make_room();
    tell_some(now);
    const auto enough = enough_at();
    if (enough && now.steady >= *enough) {
        end_ = End::enough;
    } else if (now.steady >= deadline_) {
        end_ = End::timed_out;
    }
}

BroadcastReport BroadcastEngine::report() const {
    std::vector<BroadcastPeer> peers;
    peers.reserve(sessions_.size());
    for (const BroadcastSession& session : sessions_) peers.push_back(session.shown);
    BroadcastReport report = make_report(std::move(peers));
    report.timed_out = end_ == End::timed_out;
    return report;
}

// One at a time: no peer is sent away before it is known whether another waits.
void BroadcastEngine::make_room() {
    if (availability_ != PeerAvailability::later || replaced_ == kMostReplaced) return;
    const bool wants_others = sparing_.search_until && has_spare_holder(sessions_) &&
                              count(sessions_, &BroadcastSession::is_other_taker) == 0;
    const auto found = std::ranges::find_if(sessions_, [&](const BroadcastSession& session) {
        const bool is_in_the_way = wants_others && session.watches_with_filter();
        return session.is_open() && (session.is_useless() || is_in_the_way);
    });
    if (found == sessions_.end()) return;
    ++replaced_;
    availability_ = PeerAvailability::now;
    drop(*found, {DisconnectReason::finished, ""});
}

// A peer may take the transaction and keep it to itself, or never say what it takes: only one that
// shows it is waited for beyond the time.
bool BroadcastEngine::spares_filter_holders() const {
    if (milestones_.first_seen) return true;
    if (count(sessions_, &BroadcastSession::is_other_with_it) > 0) return true;
    if (!sparing_.until) return false;
    const auto may_show_it = sparing_.search_until ? &BroadcastSession::is_other_taker
                                                   : &BroadcastSession::is_known_other_taker;
    if (count(sessions_, may_show_it) > 0) return true;
    if (!sparing_.search_until || availability_ == PeerAvailability::none) return false;
    if (availability_ == PeerAvailability::now) return true;
    return replaced_ < kMostReplaced && has_spare_holder(sessions_);
}

// The latest connection first: a peer that has watched for a while goes on watching.
void BroadcastEngine::tell_some(Now now) {
    const bool spares = spares_filter_holders();
    const auto is_spared = [spares](const BroadcastSession& session) {
        return spares && session.shown.has_filter;
    };
    std::size_t takers = 0;
    std::size_t told = 0;
    for (const BroadcastSession& session : sessions_) {
        if (!session.is_open() || is_spared(session)) continue;
        if (session.takes_it() && !session.keeps_silent()) ++takers;
        if (session.counts_as_told()) ++told;
    }
    const std::size_t wanted = (takers + 1) / 2;
    for (auto next = sessions_.rbegin(); next != sessions_.rend() && told < wanted; ++next) {
        BroadcastSession& session = *next;
        if (!session.is_open() || !session.watches() || session.shown.has_it) continue;
        if (is_spared(session)) continue;
        tell(session, now);
        ++told;
    }
    if (!spares && !sparing_.until) tell_filter_holder(now);
}

// One is enough: the peers without the filter were told, but have not shown the transaction in
// time.
void BroadcastEngine::tell_filter_holder(Now now) {
    if (count(sessions_, &BroadcastSession::counts_as_told_with_filter) > 0) return;
    const auto holder = std::ranges::find_if(sessions_, [](const BroadcastSession& session) {
        return session.is_open() && session.watches_with_filter() && !session.shown.has_it;
    });
    if (holder != sessions_.end()) tell(*holder, now);
}

void BroadcastEngine::tell(BroadcastSession& session, Now now) {
    session.peer.announce(tx_server_.announce(session.peer.id(), session.peer.least_fee_rate()),
                          outbox_);
    session.shown.announced = true;
    session.told_at = milestones_.last_told = now.steady;
    session.ask_pause = kAskBackAgain;
    session.ask_at = now.steady + session.ask_pause;
}

void BroadcastEngine::ask_back(BroadcastSession& session, Now now) {
    session.ask_at.reset();
    if (session.shown.has_it) return;
    ask_mempool(session);
    outbox_.send(session.peer.id(), GetData{{{InventoryType::tx, {txid_.bytes}}}});
    session.ask_pause = std::clamp(2 * session.ask_pause, kFirstAsk, kAskBackAgain);
    session.ask_at = now.steady + session.ask_pause;
}

// A node that had the transaction before gives it only after it has announced it to us (Bitcoin
// Core: FindTxForGetData). It announces what matches a filter on request (BIP35). The filter tells
// nothing new to a peer that was told of the transaction.
void BroadcastEngine::ask_mempool(BroadcastSession& session) {
    const bool serves_filters = (session.shown.services & kNodeBloom) != 0;
    if (!serves_filters || std::exchange(session.asked_mempool, true)) return;
    constexpr double kRate = 1e-9;  // of a large memory pool, it alone
    bloom::BloomFilter filter(bloom::filter_size(1, kRate), 0, bloom::UpdateMode::none);
    filter.insert(txid_.bytes);
    outbox_.send(session.peer.id(), FilterLoad{filter.encode()});
    outbox_.send(session.peer.id(), Mempool{});
}

// When the broadcast ends if nothing else happens.
std::optional<milliseconds> BroadcastEngine::enough_at() const {
    const std::size_t open = count(sessions_, &BroadcastSession::is_open);
    const std::size_t told = count(sessions_, &BroadcastSession::is_told);
    // Whether a peer may come that changes the picture, or is there and could announce it unasked.
    const bool expects_peers =
        availability_ == PeerAvailability::now || count(sessions_, &BroadcastSession::is_new) > 0;
    const bool any_watches = expects_peers || count(sessions_, &BroadcastSession::watches) > 0;
    if (open == 0 && availability_ == PeerAvailability::none) return milliseconds{0};
    if (milestones_.first_seen) {
        const bool all = count(sessions_, &BroadcastSession::is_told_or_saw_it) == open;
        return all && !expects_peers ? milliseconds{0} : *milestones_.first_seen + kLinger;
    }
    if (!milestones_.last_told) {
        if (expects_peers || open == 0) return std::nullopt;
        return milliseconds{0};
    }
    const bool all_refuse =
        told > 0 && count(sessions_, &BroadcastSession::is_told_and_refuses) == told;
    if (all_refuse && !expects_peers) return milliseconds{0};
    const bool all_have_it =
        told > 0 && count(sessions_, &BroadcastSession::is_told_and_has_it) == told;
    if (all_have_it && !any_watches) return milliseconds{0};
    if (milestones_.last_fetched) {
        return *milestones_.last_fetched + (any_watches ? kRelayPatience : kDroppedAfter);
    }
    if (milestones_.first_held) return *milestones_.first_held + kLinger;
    return *milestones_.last_told + kIgnoredAfter;
}

milliseconds BroadcastEngine::next_deadline() const {
    milliseconds next = std::min(deadline_, enough_at().value_or(deadline_));
    next = std::min({next, sparing_.search_until.value_or(next), sparing_.until.value_or(next)});
    for (const BroadcastSession& session : sessions_) {
        if (const auto own = session.next_deadline()) next = std::min(next, own->at);
    }
    return next;
}

}  // namespace petal::net
