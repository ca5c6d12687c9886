#include "net/sync/sync_engine.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "net/sync/filter_policy.h"
#include "net/sync/peer_session.h"
#include "net/sync/random.h"
#include "net/sync/scan.h"

namespace petal::net {

using chain::Unexpected;
using std::chrono::milliseconds;

namespace {

// So many at a time: few enough messages, and small enough steps for the pipeline never to run dry.
constexpr std::size_t kBlocksPerRequest = 250;
// What is delivered waits no longer for its batch than this, and is never more than this.
constexpr milliseconds kHoldTime{2'000};
constexpr std::size_t kHoldBytes = 4'000'000;
// Transactions asked for and not arrived; a node announces far fewer at a time.
constexpr std::size_t kMaxRequestedTransactions = 50'000;
// Another peer is asked for headers when the one that is asked has been silent for so long, and the sync is not
// held up by a peer that may or may not have more of them.
constexpr milliseconds kHeaderPatience{2'000};

using Outcome = chain::Expected<void, Violation>;

}  // namespace

struct SyncEngine::State {
    State(SyncEngine& face, chain::HeaderChain& headers, chain::Watcher& watched, SyncOptions how)
        : engine(face),
          chain(headers),
          watcher(watched),
          options(std::move(how)),
          random(options.random_seed),
          scan(headers, watched, static_cast<std::uint32_t>(random.next())) {}

    SyncEngine& engine;
    chain::HeaderChain& chain;
    chain::Watcher& watcher;
    SyncOptions options;
    SplitMix64 random;
    Scan scan;
    std::vector<Command> commands;
    std::map<PeerId, PeerSession> sessions;
    std::optional<PeerId> header_peer;  // whose headers are followed until it has no more
    std::optional<milliseconds> held_since;        // the oldest block that waits for its batch
    std::optional<milliseconds> listening_until;   // set when the blocks were complete for the first time
    SyncStatus status;

    void send(const PeerSession& session, Message message) {
        commands.emplace_back(Send{session.id, std::move(message)});
    }
    PeerReport& report(PeerId peer);

    void end_session(PeerSession& session, DisconnectReason reason);
    void drop(PeerSession& session, const Violation& violation);

    Outcome dispatch(PeerSession& session, Message message, Now now);
    Outcome on_handshake(PeerSession& session, const Message& message, Now now);
    Outcome on_pong(PeerSession& session, const Pong& pong, Now now);
    void request_headers(PeerSession& session, Now now);
    Outcome on_headers(PeerSession& session, const Headers& message, Now now);
    void follow_chain(const chain::BlockRef& old_tip);
    Outcome on_inventory(PeerSession& session, const Inv& message, Now now);
    Outcome on_transaction(PeerSession& session, Tx message, Now now);
    void on_unconfirmed(PeerSession& session, const chain::Transaction& transaction,
                        const chain::Txid& txid, Now now);
    Outcome on_not_found(PeerSession& session, const NotFound& message);
    Outcome on_delivery(PeerSession& session,
                        chain::Expected<std::optional<Delivery>, Violation> delivery, Now now);
    void accept(PeerSession& session, Delivery delivery, Now now);

    void drive(Now now);
    bool is_batch_due(Now now) const;
    void apply_held();
    void discard_above(std::uint32_t height);
    void follow_headers(Now now);
    void serve(PeerSession& session, Now now);
    std::vector<chain::BlockRef> next_blocks(PeerSession& session, Now now);
    std::uint32_t last_block_of(const PeerSession& session) const;
    std::size_t window_of(const PeerSession& session) const;
    void refresh_filter(PeerSession& session);
    void listen(Now now);
    void check_deadlines(PeerSession& session, Now now);
    void update_status(Now now);
    SyncPhase phase(Now now) const;
    bool headers_settled() const;
    bool blocks_complete() const;
};

PeerReport& SyncEngine::State::report(PeerId peer) {
    const auto found = std::find_if(status.peers.begin(), status.peers.end(),
                                    [peer](const PeerReport& r) { return r.id == peer; });
    assert(found != status.peers.end());
    return *found;
}

// What the peer had been asked for is open again; what it delivered stays.
void SyncEngine::State::end_session(PeerSession& session, DisconnectReason reason) {
    PeerReport& ended = report(session.id);
    ended.ended = reason;
    if (is_misbehaviour(reason)) ++ended.misbehaviour;
    if (header_peer == session.id) header_peer.reset();
    scan.on_lost(session.id, session.blocks.wanted());
    sessions.erase(session.id);
}

void SyncEngine::State::drop(PeerSession& session, const Violation& violation) {
    commands.emplace_back(Disconnect{session.id, violation.reason, violation.detail});
    end_session(session, violation.reason);
}

Outcome SyncEngine::State::dispatch(PeerSession& session, Message message, Now now) {
    if (!session.handshake.complete()) return on_handshake(session, message, now);
    if (const auto* ping = std::get_if<Ping>(&message)) {
        return send(session, Pong{ping->nonce}), Outcome{};
    }
    if (const auto* pong = std::get_if<Pong>(&message)) return on_pong(session, *pong, now);
    if (const auto* headers = std::get_if<Headers>(&message)) return on_headers(session, *headers, now);
    if (const auto* inv = std::get_if<Inv>(&message)) return on_inventory(session, *inv, now);
    if (auto* tx = std::get_if<Tx>(&message)) return on_transaction(session, std::move(*tx), now);
    if (const auto* block = std::get_if<MerkleBlock>(&message)) {
        return on_delivery(session, session.blocks.on_merkle_block(*block), now);
    }
    if (const auto* missing = std::get_if<NotFound>(&message)) return on_not_found(session, *missing);
    return {};
}

Outcome SyncEngine::State::on_handshake(PeerSession& session, const Message& message, Now now) {
    auto answers = session.handshake.on_message(message);
    if (const auto& version = session.handshake.peer()) {
        PeerReport& peer = report(session.id);
        peer.user_agent = version->user_agent;
        peer.services = version->services;
        peer.height = version->start_height;
        session.pace.on_round_trip(now.steady - session.connected_at);
    }
    if (!answers) return Unexpected(answers.error());
    for (Message& answer : *answers) send(session, std::move(answer));
    if (!session.handshake.complete()) return {};
    const std::int32_t claimed = session.handshake.peer()->start_height;
    session.headers.emplace(claimed, HeaderSyncOptions{options.vouched, random.next()});
    session.known_height = static_cast<std::uint32_t>(std::max(claimed, 0));
    return {};
}

Outcome SyncEngine::State::on_pong(PeerSession& session, const Pong& pong, Now now) {
    if (session.headers->on_pong(pong, chain, now)) request_headers(session, now);
    return session.blocks.on_pong(pong);
}

void SyncEngine::State::request_headers(PeerSession& session, Now now) {
    session.headers_asked = true;
    if (!session.headers->waiting_since()) session.headers_at = now.steady;
    for (Message& message : session.headers->request(chain, random.next(), now)) {
        send(session, std::move(message));
    }
}

Outcome SyncEngine::State::on_headers(PeerSession& session, const Headers& message, Now now) {
    const chain::BlockRef old_tip = chain.tip();
    auto progress = session.headers->on_headers(message, chain, now);
    // Headers before a bad one are good, and may have moved the best chain.
    follow_chain(old_tip);
    if (!progress) return Unexpected(progress.error());
    if (progress->advanced) session.headers_at = now.steady;
    status.headers += progress->result.added;
    if (!message.headers.empty()) {
        const auto height = chain.height_of(message.headers.back().hash());
        session.known_height = std::max(session.known_height, height.value_or(0));
    }
    // Before any request for blocks: the server gets to it only when those before it are served.
    if (progress->ask_on) request_headers(session, now);
    return {};
}

void SyncEngine::State::follow_chain(const chain::BlockRef& old_tip) {
    const auto fork = chain.fork_point(old_tip.hash);
    assert(fork);
    const chain::ChainMove move{old_tip, *fork, chain.tip()};
    if (!move.is_reorganisation()) return;
    discard_above(move.fork.height);
    scan.on_chain_moved(move);
    ++status.reorgs;
    if (engine.on_reorganisation) engine.on_reorganisation(move);
}

Outcome SyncEngine::State::on_inventory(PeerSession& session, const Inv& message, Now now) {
    GetData wanted;
    for (const Inventory& entry : message.entries) {
        if (entry.type == InventoryType::block) {
            const chain::BlockHash announced{entry.hash.bytes};
            if (session.headers->on_block_announced(announced, chain)) request_headers(session, now);
        }
        if (entry.type != InventoryType::tx) continue;
        const chain::Txid txid{entry.hash.bytes};
        session.blocks.on_announced(txid);
        auto& requested = session.requested_transactions;
        if (!listening_until || requested.size() >= kMaxRequestedTransactions) continue;
        if (requested.insert(txid).second) wanted.entries.push_back(entry);
    }
    if (!wanted.entries.empty()) send(session, std::move(wanted));
    return {};
}

Outcome SyncEngine::State::on_transaction(PeerSession& session, Tx message, Now now) {
    const chain::Txid txid = message.transaction.txid();
    if (session.blocks.expects(txid)) {
        auto delivery = session.blocks.on_transaction(std::move(message.transaction), txid);
        return on_delivery(session, std::move(delivery), now);
    }
    // What nobody asked for is nobody's: a peer may not choose what the wallet looks at.
    if (session.requested_transactions.erase(txid) != 0) {
        on_unconfirmed(session, message.transaction, txid, now);
    }
    return {};
}

// What it puts into the peer's filter stays with this peer: nothing proves that it will ever be in a block, and
// when it is, it is found there.
void SyncEngine::State::on_unconfirmed(PeerSession& session, const chain::Transaction& transaction,
                                       const chain::Txid& txid, Now now) {
    ++status.transactions;
    session.blocks.on_unconfirmed(transaction, txid);
    if (!watcher.apply_unconfirmed(transaction, now.unix_seconds)) return;
    apply_held();
    discard_above(scan.next_height() - 1);
    scan.restart();
    for (auto& [peer, each] : sessions) {
        each.filter_stale = true;
        each.mempool_asked = false;
    }
}

Outcome SyncEngine::State::on_not_found(PeerSession& session, const NotFound& message) {
    for (const Inventory& entry : message.entries) {
        session.requested_transactions.erase(chain::Txid{entry.hash.bytes});
    }
    return session.blocks.on_not_found(message);
}

Outcome SyncEngine::State::on_delivery(
    PeerSession& session, chain::Expected<std::optional<Delivery>, Violation> delivery, Now now) {
    if (!delivery) return Unexpected(delivery.error());
    if (!*delivery) return {};
    session.pace.on_answered(session.blocks.in_flight(), now.steady);
    session.served_at = now.steady;
    ++report(session.id).blocks;
    ++status.filtered_blocks;
    // What one that was given up puts into the peer's filter, only the mirror needs to know.
    if ((*delivery)->wanted) accept(session, **std::move(delivery), now);
    return {};
}

void SyncEngine::State::accept(PeerSession& session, Delivery delivery, Now now) {
    const std::uint32_t height = delivery.block.block.height;
    status.transactions += delivery.block.transactions.size();
    HeightRanges covered;
    if (!delivery.inserted.empty()) covered = session.blocks.covered_by_last();
    const Scan::Arrival arrival = scan.deliver(std::move(delivery), covered);
    if (!held_since && scan.ready_blocks() > 0) held_since = now.steady;
    for (auto& [peer, other] : sessions) {
        if (arrival.owed_twice) other.blocks.discard(height);
        // The server that found it has added it by itself, unless a new filter is on its way to it.
        if (other.blocks.mirror() == nullptr || (&other == &session && other.blocks.is_filter_in_use())) {
            continue;
        }
        for (const chain::Outpoint& outpoint : arrival.found) {
            send(other, other.blocks.add_to_filter(outpoint));
        }
    }
}

// Whatever happened, this is what can be done next.
void SyncEngine::State::drive(Now now) {
    if (is_batch_due(now)) apply_held();
    follow_headers(now);
    if (scan.align(headers_settled())) {
        for (auto& [peer, session] : sessions) serve(session, now);
        listen(now);
    }
    update_status(now);
}

bool SyncEngine::State::is_batch_due(Now now) const {
    return scan.ready_blocks() >= options.blocks_per_batch || scan.held_bytes() >= kHoldBytes ||
           scan.schedule().open() == 0 || (held_since && now.steady >= *held_since + kHoldTime);
}

void SyncEngine::State::apply_held() {
    held_since.reset();
    if (!scan.apply()) return;
    discard_above(scan.next_height() - 1);
    for (auto& [peer, session] : sessions) session.filter_stale = true;
}

void SyncEngine::State::discard_above(std::uint32_t height) {
    for (auto& [peer, session] : sessions) session.blocks.discard_above(height);
}

// One peer's headers are followed to their end; then the others are asked whether they have more.
void SyncEngine::State::follow_headers(Now now) {
    for (auto& [peer, session] : sessions) {
        if (!session.is_ready()) continue;
        session.headers_overdue = session.headers->waiting_since() &&
                                  now.steady >= session.headers_at + kHeaderPatience;
        if (session.headers_overdue && header_peer == peer) header_peer.reset();
    }
    for (auto& [peer, session] : sessions) {
        if (!session.is_ready() || session.headers_asked) continue;
        if (header_peer && !sessions.at(*header_peer).headers->at_end()) return;
        if (!header_peer) header_peer = peer;
        request_headers(session, now);
    }
}

// A peer that is asked for nothing needs no filter, and learns nothing.
void SyncEngine::State::serve(PeerSession& session, Now now) {
    if (!session.is_ready()) return;
    if (session.blocks.is_filter_in_use() && session.blocks.mirror() != nullptr) {
        const Mirror& mirror = *session.blocks.mirror();
        session.filter_stale |= is_saturating(mirror.false_positive_rate(),
                                              mirror.initial_false_positive_rate(),
                                              options.false_positive_rate);
    }
    while (true) {
        const auto wanted = next_blocks(session, now);
        if (wanted.empty()) return;
        refresh_filter(session);
        if (session.blocks.in_flight() == 0) session.served_at = now.steady;
        const auto asked_at = scan.memory().coverage.mark();
        for (Message& message : session.blocks.request(wanted, asked_at, random.next())) {
            send(session, std::move(message));
        }
        session.pace.on_asked(wanted.size(), session.blocks.in_flight(), now.steady);
    }
}

std::vector<chain::BlockRef> SyncEngine::State::next_blocks(PeerSession& session, Now now) {
    const std::size_t window = window_of(session);
    const std::size_t in_flight = session.blocks.in_flight();
    const std::size_t share = std::clamp<std::size_t>(window / 4, 1, kBlocksPerRequest);
    if (in_flight > 0 && in_flight + share > window) return {};
    const std::uint32_t last = last_block_of(session);
    auto wanted = scan.take(session.id, share, last, now.steady);
    if (wanted.empty() && in_flight == 0 && sessions.size() > 1) {
        const auto wait = 2 * session.pace.expected_wait();
        wanted = scan.take_over(session.id, share, last, wait, now.steady);
    }
    return wanted;
}

std::uint32_t SyncEngine::State::last_block_of(const PeerSession& session) const {
    return std::min(session.known_height, chain.tip().height);
}

std::size_t SyncEngine::State::window_of(const PeerSession& session) const {
    if (options.expected_peers <= 1) return options.blocks_in_flight;
    return session.pace.window(options.blocks_in_flight);
}

void SyncEngine::State::refresh_filter(PeerSession& session) {
    if (!std::exchange(session.filter_stale, false)) return;
    auto filter = make_filter(watcher.watch_list(), scan.memory().outpoints.outpoints(),
                              options.false_positive_rate, scan.memory().tweak);
    send(session, session.blocks.load_filter(std::move(filter)));
    ++status.filter_loads;
}

// Some peer has shown all headers that it has, and whoever may have more has had time to say so.
bool SyncEngine::State::headers_settled() const {
    bool any_at_end = false;
    for (const auto& [peer, session] : sessions) {
        if (!session.is_ready()) continue;
        any_at_end = any_at_end || session.headers->at_end();
        if (session.headers->waiting_since() && !session.headers_overdue) return false;
    }
    return any_at_end;
}

bool SyncEngine::State::blocks_complete() const {
    return scan.complete() && headers_settled();
}

void SyncEngine::State::listen(Now now) {
    if (!blocks_complete()) return;
    if (!listening_until) {
        listening_until = now.steady + options.wait_unconfirmed.value_or(milliseconds{0});
    }
    if (!options.wait_unconfirmed) return;
    for (auto& [peer, session] : sessions) {
        if (!session.is_ready() || session.mempool_asked) continue;
        session.mempool_asked = true;
        refresh_filter(session);
        send(session, Mempool{});
    }
}

void SyncEngine::State::check_deadlines(PeerSession& session, Now now) {
    const auto& headers = session.headers;
    const auto give_up_at = session.give_up_at(options.handshake_timeout, options.answer_timeout);
    if (give_up_at && now.steady >= *give_up_at) {
        drop(session, {DisconnectReason::timed_out, ""});
    } else if (headers && headers->short_since() &&
               now.steady >= *headers->short_since() + options.answer_timeout) {
        drop(session, {DisconnectReason::incomplete, "fewer headers than it claims"});
    } else if (headers && headers->ask_again_at() && now.steady >= *headers->ask_again_at()) {
        request_headers(session, now);
    }
}

void SyncEngine::State::update_status(Now now) {
    const std::uint32_t tip = chain.tip().height;
    status.header_height = tip;
    status.target_height = tip;
    for (const PeerReport& peer : status.peers) {
        if (peer.misbehaviour > 0 || peer.height < 0) continue;
        status.target_height = std::max(status.target_height, static_cast<std::uint32_t>(peer.height));
    }
    status.first_height = scan.first_height();
    status.synced_height = scan.synced_height();
    status.refetched_blocks = scan.refetched_blocks();
    status.false_positives = scan.false_positives();
    for (const auto& [peer, session] : sessions) {
        const Mirror* mirror = session.blocks.mirror();
        if (mirror == nullptr) continue;
        status.filter_false_positive_rate = mirror->false_positive_rate();
        status.filter_bytes = mirror->filter().bytes().size();
        status.filter_hash_functions = mirror->filter().hash_functions();
        break;
    }
    status.phase = phase(now);
}

SyncPhase SyncEngine::State::phase(Now now) const {
    // Who has listened for long enough needs no peer to be done.
    const bool complete = sessions.empty() ? scan.complete() : blocks_complete();
    if (listening_until && now.steady >= *listening_until && complete) return SyncPhase::done;
    if (sessions.empty()) return SyncPhase::no_peer;
    const bool any_ready = std::any_of(sessions.begin(), sessions.end(),
                                       [](const auto& entry) { return entry.second.is_ready(); });
    if (!any_ready) return SyncPhase::handshake;
    if (complete) return SyncPhase::listening;
    return scan.first_height() == 0 ? SyncPhase::headers : SyncPhase::blocks;
}

SyncEngine::SyncEngine(chain::HeaderChain& chain, chain::Watcher& watcher, SyncOptions options)
    : state_(std::make_unique<State>(*this, chain, watcher, std::move(options))) {
    state_->update_status({});
}

SyncEngine::~SyncEngine() = default;

void SyncEngine::on_connected(PeerId peer, std::string address, Now now) {
    PeerReport report;
    report.id = peer;
    report.address = std::move(address);
    state_->status.peers.push_back(std::move(report));
    Version ours;
    ours.time = now.unix_seconds;
    ours.nonce = state_->random.next();
    ours.user_agent = state_->options.user_agent;
    ours.relay = false;
    auto& session = state_->sessions.try_emplace(peer, peer, std::move(ours), now.steady).first->second;
    state_->send(session, session.handshake.open());
    state_->update_status(now);
}

void SyncEngine::on_message(PeerId peer, Message message, Now now) {
    const auto session = state_->sessions.find(peer);
    if (session == state_->sessions.end()) return;
    const auto outcome = state_->dispatch(session->second, std::move(message), now);
    if (!outcome) state_->drop(session->second, outcome.error());
    state_->drive(now);
}

void SyncEngine::on_bad_bytes(PeerId peer, DisconnectReason reason, std::string detail, Now now) {
    const auto session = state_->sessions.find(peer);
    if (session == state_->sessions.end()) return;
    state_->drop(session->second, Violation{reason, std::move(detail)});
    state_->drive(now);
}

void SyncEngine::on_closed(PeerId peer, Now now) {
    const auto session = state_->sessions.find(peer);
    if (session == state_->sessions.end()) return;
    state_->end_session(session->second, DisconnectReason::gone);
    state_->drive(now);
}

void SyncEngine::on_time(Now now) {
    auto& sessions = state_->sessions;
    for (auto next = sessions.begin(); next != sessions.end();) {
        const auto session = next++;  // it may be dropped
        state_->check_deadlines(session->second, now);
    }
    state_->drive(now);
}

std::vector<Command> SyncEngine::take_commands() { return std::exchange(state_->commands, {}); }

std::optional<milliseconds> SyncEngine::next_deadline() const {
    std::optional<milliseconds> next;
    const auto consider = [&next](std::optional<milliseconds> at) {
        if (at && (!next || *at < *next)) next = at;
    };
    if (finished()) return next;
    const State& state = *state_;
    if (state.scan.complete()) consider(state.listening_until);
    if (state.held_since) consider(*state.held_since + kHoldTime);
    for (const auto& [peer, session] : state.sessions) {
        consider(session.give_up_at(state.options.handshake_timeout, state.options.answer_timeout));
        if (!session.is_ready()) continue;
        const auto& headers = *session.headers;
        if (headers.waiting_since() && !session.headers_overdue) {
            consider(session.headers_at + kHeaderPatience);
        }
        if (headers.short_since()) consider(*headers.short_since() + state.options.answer_timeout);
        consider(headers.ask_again_at());
        if (session.blocks.in_flight() == 0 && state.sessions.size() > 1) {
            consider(state.scan.schedule().next_take_over(peer, state.last_block_of(session),
                                                          2 * session.pace.expected_wait()));
        }
    }
    return next;
}

bool SyncEngine::finished() const { return state_->status.phase == SyncPhase::done; }

const SyncStatus& SyncEngine::status() const { return state_->status; }

void SyncEngine::flush(Now now) {
    state_->apply_held();
    state_->update_status(now);
}

}  // namespace petal::net
