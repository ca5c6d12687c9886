#include "net/sync/broadcast_engine.h"

#include <algorithm>
#include <utility>

#include "net/sync/received_message.h"

namespace petal::net {

using std::chrono::milliseconds;

namespace {

// A node asks within some six seconds (Bitcoin Core: node/txdownloadman.h); then others are told.
constexpr milliseconds kFetchPatience{10'000};
// Who has not asked by now has it, or does not want it.
constexpr milliseconds kIgnoredAfter{30'000};
// A node gives a transaction only once it has announced what came since: after five seconds in the
// mean, exponentially distributed (Bitcoin Core: net_processing.cpp, trickle to inbound peers). One
// in some fifty takes longer than twenty seconds, one in 100,000 longer than a minute.
constexpr milliseconds kFirstAsk{1'000};
constexpr milliseconds kAskBackAgain{3'000};
constexpr milliseconds kDroppedAfter{60'000};
// A few hops, each with its delays.
constexpr milliseconds kRelayPatience{60'000};
// When one has announced it, others are about to.
constexpr milliseconds kLinger{5'000};
// Where so many more are of no use, those that follow are not likely to be.
constexpr int kMostReplaced = 16;

// Bitcoin Core: validation.cpp ("txn-already-in-mempool", "txn-already-known"), with the code that
// its net_processing.cpp sent up to 0.17; "already have transaction" is of others.
bool says_it_has_it(const Reject& message) {
    constexpr std::uint8_t kDuplicate = 0x12;  // BIP61
    return message.code == kDuplicate && (message.reason.starts_with("txn-already") ||
                                          message.reason.starts_with("already have"));
}

}  // namespace

BroadcastEngine::BroadcastEngine(chain::OwnTransaction transaction, BroadcastOptions options,
                                 Now start)
    : txid_(transaction.transaction.txid()),
      options_(std::move(options)),
      random_(options_.random_seed),
      deadline_(start.steady + options_.timeout) {
    std::vector<chain::OwnTransaction> one;
    one.push_back(std::move(transaction));
    broadcaster_.start(std::move(one));
}

void BroadcastEngine::send(PeerId peer, Message message) {
    commands_.emplace_back(Send{peer, std::move(message)});
}

void BroadcastEngine::end(PeerId peer, DisconnectReason reason) {
    const auto session = sessions_.find(peer);
    if (session == sessions_.end()) return;
    peer_of(session->second).ended = reason;
    sessions_.erase(session);
}

void BroadcastEngine::drop(PeerId peer, DisconnectReason reason, std::string detail) {
    commands_.emplace_back(Disconnect{peer, reason, std::move(detail)});
    end(peer, reason);
}

void BroadcastEngine::on_connected(PeerId peer, PeerIdentity identity, Now now) {
    const bool known = is_known(identity.node);
    BroadcastPeer report;
    report.id = peer;
    report.identity = std::move(identity);
    peers_.push_back(std::move(report));
    if (known) {
        peers_.back().ended = DisconnectReason::duplicate;
        commands_.emplace_back(Disconnect{peer, DisconnectReason::duplicate, ""});
        return drive(now);
    }
    Version ours;
    ours.time = now.unix_seconds;
    ours.nonce = random_.next();
    ours.user_agent = options_.user_agent;
    constexpr HandshakeAims kAnybody{.filters = false, .blocks = false, .addresses = false};
    Session session{.handshake = Handshake{std::move(ours), kAnybody},
                    .index = peers_.size() - 1,
                    .connected_at = now.steady,
                    .fence = random_.next(),
                    .told_at = {},
                    .ask_at = {}};
    send(peer, session.handshake.open());
    sessions_.emplace(peer, std::move(session));
    drive(now);
}

// Whether the node is connected already, or was told.
bool BroadcastEngine::is_known(const std::string& node) const {
    return std::any_of(peers_.begin(), peers_.end(), [&](const BroadcastPeer& peer) {
        return peer.identity.node == node && (!peer.ended || peer.announced);
    });
}

bool BroadcastEngine::expects(PeerId peer, const Frame& frame) const {
    const auto found = sessions_.find(peer);
    if (found == sessions_.end()) return false;
    const Session& session = found->second;
    if (!session.handshake.complete()) return is_of_handshake(frame.command);
    if (frame.command == Tx::kCommand) {
        return session.told_at && frame.payload.size() <= broadcaster_.largest_bytes();
    }
    return frame.command != FullBlock::kCommand && frame.command != MerkleBlock::kCommand;
}

void BroadcastEngine::on_message(PeerId peer, const Message& message, Now now) {
    const auto found = sessions_.find(peer);
    if (found == sessions_.end()) return;
    Session& session = found->second;
    if (!session.handshake.complete()) {
        on_handshake(peer, session, message);
    } else if (const auto* ping = std::get_if<Ping>(&message)) {
        send(peer, Pong{ping->nonce});
    } else if (const auto* pong = std::get_if<Pong>(&message)) {
        if (pong->nonce == session.fence) session.ready = true;
    } else if (const auto* fee = std::get_if<FeeFilter>(&message)) {
        on_fee_filter(session, fee->fee_rate);
    } else if (const auto* inv = std::get_if<Inv>(&message)) {
        on_inventory(session, *inv, now);
    } else if (const auto* request = std::get_if<GetData>(&message)) {
        on_request(peer, session, *request, now);
    } else if (const auto* tx = std::get_if<Tx>(&message)) {
        on_transaction(session, tx->transaction, now);
    } else if (const auto* reject = std::get_if<Reject>(&message)) {
        on_refusal(session, *reject, now);
    }
    drive(now);
}

// Behind the ping comes whatever a node says at once after the handshake, its feefilter too.
void BroadcastEngine::on_handshake(PeerId id, Session& session, const Message& message) {
    auto answers = session.handshake.on_message(message);
    BroadcastPeer& peer = peer_of(session);
    if (const auto& version = session.handshake.peer()) {
        peer.user_agent = version->user_agent;
        peer.services = version->services;
        peer.takes_transactions = version->relay;
    }
    if (!answers) return drop(id, answers.error().reason, answers.error().detail);
    for (Message& answer : *answers) send(id, std::move(answer));
    if (!session.handshake.complete()) return;
    peer.greeted = true;
    send(id, Ping{session.fence});
}

void BroadcastEngine::on_fee_filter(Session& session, chain::Satoshis rate) {
    if (rate < 0 || rate > chain::kMaxMoney) return;
    BroadcastPeer& peer = peer_of(session);
    peer.least_fee_rate = rate;
    if (!peer.announced) peer.refuses_fee = !broadcaster_.has_for(rate);
}

// Told by others than those who were told, it shows that it has spread. Who was told may only echo
// that, and is asked for it at once, unless it has got it from us.
void BroadcastEngine::on_inventory(Session& session, const Inv& message, Now now) {
    const auto names_it = [this](const Inventory& entry) {
        return entry.type == InventoryType::tx && entry.hash.bytes == txid_.bytes;
    };
    if (std::none_of(message.entries.begin(), message.entries.end(), names_it)) return;
    BroadcastPeer& peer = peer_of(session);
    if (peer.announced && !peer.fetched) {
        session.ask_at = now.steady;
        return;
    }
    peer.has_it = true;
    if (!first_held_at_) first_held_at_ = now.steady;
    if (peer.announced) return;
    peer.saw_it = true;
    if (!first_seen_at_) first_seen_at_ = now.steady;
}

void BroadcastEngine::on_request(PeerId id, Session& session, const GetData& message, Now now) {
    NotFound missing;
    for (const Inventory& entry : message.entries) {
        if (const auto* transaction = broadcaster_.hand_out(id, entry)) {
            send(id, Tx{*transaction});
            peer_of(session).fetched = true;
            last_fetched_at_ = now.steady;
            session.ask_at = now.steady + kFirstAsk;
        } else {
            missing.entries.push_back(entry);
        }
    }
    if (!missing.entries.empty()) send(id, std::move(missing));
}

void BroadcastEngine::on_transaction(Session& session, const chain::Transaction& transaction,
                                     Now now) {
    if (!session.told_at || transaction.txid() != txid_) return;
    peer_of(session).has_it = true;
    if (!first_held_at_) first_held_at_ = now.steady;
}

void BroadcastEngine::on_refusal(Session& session, const Reject& message, Now now) {
    const bool is_ours =
        message.command == Tx::kCommand && message.subject && message.subject->bytes == txid_.bytes;
    if (!is_ours || !session.told_at) return;
    if (says_it_has_it(message)) {
        peer_of(session).has_it = true;
        if (!first_held_at_) first_held_at_ = now.steady;
        return;
    }
    peer_of(session).refusal = message.reason;
    session.ask_at.reset();
}

void BroadcastEngine::on_bad_bytes(PeerId peer, DisconnectReason reason, Now now) {
    if (!sessions_.contains(peer)) return;
    drop(peer, reason, "");
    drive(now);
}

void BroadcastEngine::on_closed(PeerId peer, Now now) {
    end(peer, DisconnectReason::gone);
    drive(now);
}

void BroadcastEngine::on_availability(PeerAvailability availability, Now now) {
    availability_ = availability;
    drive(now);
}

void BroadcastEngine::on_time(Now now) {
    for (auto next = sessions_.begin(); next != sessions_.end();) {
        auto& [peer, session] = *next++;  // it may be dropped
        session.overdue =
            awaits_request(session) && now.steady >= *session.told_at + kFetchPatience;
        if (session.ready || now.steady < session.connected_at + options_.handshake_timeout)
            continue;
        drop(peer, DisconnectReason::timed_out, "");
    }
    drive(now);
}

std::vector<Command> BroadcastEngine::take_commands() {
    return std::exchange(commands_, {});
}

void BroadcastEngine::drive(Now now) {
    if (finished_) return;
    make_room();
    tell_some(now);
    ask_back(now);
    const auto enough = enough_at();
    const bool is_enough = enough && now.steady >= *enough;
    timed_out_ = !is_enough && now.steady >= deadline_;
    finished_ = is_enough || timed_out_;
}

BroadcastReport BroadcastEngine::report() const {
    BroadcastReport report = make_report(peers_);
    report.timed_out = timed_out_;
    return report;
}

// It has said by now what it takes, and this is part of it.
bool BroadcastEngine::takes_it(const Session& session) const {
    const BroadcastPeer& peer = peer_of(session);
    return session.ready && peer.takes_transactions && !peer.refuses_fee && !peer.refusal;
}

// Whoever refuses it is of use: it says what is wrong.
bool BroadcastEngine::is_useless(const Session& session) const {
    const BroadcastPeer& peer = peer_of(session);
    const bool ignores_it = session.overdue && awaits_request(session);
    return session.ready && (!peer.takes_transactions || peer.refuses_fee || ignores_it);
}

// It was told, and has not shown any interest.
bool BroadcastEngine::awaits_request(const Session& session) const {
    const BroadcastPeer& peer = peer_of(session);
    return session.told_at && !peer.fetched && !peer.has_it && !peer.refusal;
}

// Who has not asked for it in time, or refuses it, no longer counts, so that another is told in its
// place.
bool BroadcastEngine::counts_as_told(const Session& session) const {
    return session.told_at && !session.overdue && !peer_of(session).refusal;
}

bool BroadcastEngine::all_told_refuse() const {
    return any_told() && std::all_of(sessions_.begin(), sessions_.end(), [this](const auto& entry) {
               return !entry.second.told_at || peer_of(entry.second).refusal;
           });
}

bool BroadcastEngine::all_told_have_it() const {
    return any_told() && std::all_of(sessions_.begin(), sessions_.end(), [this](const auto& entry) {
               return !entry.second.told_at || peer_of(entry.second).has_it;
           });
}

bool BroadcastEngine::any_told() const {
    return std::any_of(sessions_.begin(), sessions_.end(),
                       [](const auto& entry) { return entry.second.told_at.has_value(); });
}

// Whether anybody is there, or may come, who could announce it unasked.
bool BroadcastEngine::anyone_watches() const {
    return expects_peers() ||
           std::any_of(sessions_.begin(), sessions_.end(), [this](const auto& entry) {
               return takes_it(entry.second) && !entry.second.told_at;
           });
}

// One at a time: nobody is sent away before it is known whether another waits.
void BroadcastEngine::make_room() {
    if (availability_ != PeerAvailability::later || replaced_ == kMostReplaced) return;
    const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                    [this](const auto& entry) { return is_useless(entry.second); });
    if (found == sessions_.end()) return;
    ++replaced_;
    availability_ = PeerAvailability::now;
    drop(found->first, DisconnectReason::finished, "");
}

void BroadcastEngine::tell_some(Now now) {
    const auto takers = std::count_if(sessions_.begin(), sessions_.end(),
                                      [this](const auto& entry) { return takes_it(entry.second); });
    auto told = std::count_if(sessions_.begin(), sessions_.end(),
                              [this](const auto& entry) { return counts_as_told(entry.second); });
    // Who came last first: who has watched for a while goes on watching.
    for (auto next = sessions_.rbegin(); next != sessions_.rend(); ++next) {
        if (told >= (takers + 1) / 2) return;
        if (tell(next->first, next->second, now)) ++told;
    }
}

// Returns whether there was anything to tell.
bool BroadcastEngine::tell(PeerId id, Session& session, Now now) {
    BroadcastPeer& peer = peer_of(session);
    if (!takes_it(session) || session.told_at || peer.has_it) return false;
    send(id, broadcaster_.announce(id, peer.least_fee_rate));
    peer.announced = true;
    session.told_at = last_told_at_ = now.steady;
    session.ask_at = now.steady + kAskBackAgain;
    return true;
}

void BroadcastEngine::ask_back(Now now) {
    for (auto& [id, session] : sessions_) {
        if (!session.ask_at || now.steady < *session.ask_at) continue;
        session.ask_at.reset();
        if (peer_of(session).has_it) continue;
        send(id, GetData{{{InventoryType::tx, {txid_.bytes}}}});
        session.ask_at = now.steady + kAskBackAgain;
    }
}

// Whether anybody may come who changes the picture.
bool BroadcastEngine::expects_peers() const {
    const bool any_new = std::any_of(sessions_.begin(), sessions_.end(),
                                     [](const auto& entry) { return !entry.second.ready; });
    return availability_ == PeerAvailability::now || any_new;
}

// When there is nothing more to wait for, should nothing else happen.
std::optional<milliseconds> BroadcastEngine::enough_at() const {
    if (sessions_.empty() && availability_ == PeerAvailability::none) return milliseconds{0};
    if (first_seen_at_) {
        const bool all = std::all_of(sessions_.begin(), sessions_.end(), [this](const auto& entry) {
            return entry.second.told_at || peer_of(entry.second).saw_it;
        });
        return all && !expects_peers() ? milliseconds{0} : *first_seen_at_ + kLinger;
    }
    if (!last_told_at_) {
        if (expects_peers() || sessions_.empty()) return std::nullopt;
        return milliseconds{0};
    }
    if (all_told_refuse() && !expects_peers()) return milliseconds{0};
    if (all_told_have_it() && !anyone_watches()) return milliseconds{0};
    if (last_fetched_at_) {
        return *last_fetched_at_ + (anyone_watches() ? kRelayPatience : kDroppedAfter);
    }
    if (first_held_at_) return *first_held_at_ + kLinger;
    return *last_told_at_ + kIgnoredAfter;
}

milliseconds BroadcastEngine::next_deadline() const {
    milliseconds next = std::min(deadline_, enough_at().value_or(deadline_));
    for (const auto& [id, session] : sessions_) {
        if (!session.ready)
            next = std::min(next, session.connected_at + options_.handshake_timeout);
        if (session.ask_at) next = std::min(next, *session.ask_at);
        if (awaits_request(session) && !session.overdue) {
            next = std::min(next, *session.told_at + kFetchPatience);
        }
    }
    return next;
}

}  // namespace petal::net
