#include "net/sync/sync_engine.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <unordered_set>
#include <utility>

#include "net/sync/block_download.h"
#include "net/sync/filter_policy.h"
#include "net/sync/handshake.h"
#include "net/sync/header_sync.h"
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

using Outcome = chain::Expected<void, Violation>;

// The connection that serves us, from its version message to its end.
struct Session {
    Session(PeerId peer, Version ours) : id(peer), handshake(std::move(ours)) {}

    PeerId id;
    Handshake handshake;
    std::optional<HeaderSync> headers;  // once the handshake is complete
    BlockDownload blocks;
    bool filter_stale = true;   // what is watched has grown: nothing may be asked for by the present filter
    bool filter_worn = false;   // it saturates: a new one is due once nothing is in flight
    bool mempool_asked = false;
    std::unordered_set<chain::Txid> requested_transactions;
    milliseconds progress_at{0};  // when it last gave what it owed, or began to owe
};

}  // namespace

std::string_view code_of(SyncPhase phase) {
    switch (phase) {
        case SyncPhase::no_peer: return "no-peer";
        case SyncPhase::handshake: return "handshake";
        case SyncPhase::headers: return "headers";
        case SyncPhase::blocks: return "blocks";
        case SyncPhase::listening: return "listening";
        case SyncPhase::done: return "done";
    }
    return "unknown";
}

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
    std::deque<PeerId> waiting;  // connected, and not needed yet
    std::optional<Session> session;
    std::optional<milliseconds> held_since;        // the oldest block that waits for its batch
    std::optional<milliseconds> listening_until;   // set when the blocks were complete for the first time
    SyncStatus status;

    void send(Message message) { commands.emplace_back(Send{session->id, std::move(message)}); }
    PeerReport& report(PeerId peer);

    void start_session(Now now);
    void end_session(DisconnectReason reason);
    void drop(const Violation& violation, Now now);

    Outcome dispatch(Message message, Now now);
    Outcome on_handshake(const Message& message, Now now);
    void request_headers(Now now);
    Outcome on_headers(const Headers& message, Now now);
    void follow_chain(const chain::BlockRef& old_tip);
    Outcome on_inventory(const Inv& message, Now now);
    Outcome on_transaction(Tx message, Now now);
    void on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid, Now now);
    Outcome on_delivery(chain::Expected<std::optional<Delivery>, Violation> delivery, Now now);

    void drive(Now now);
    void apply_held();
    void refresh_filter();
    void request_blocks(Now now);
    void listen(Now now);
    void update_status(Now now);
    bool blocks_complete() const;
    bool awaits_answer() const;
};

PeerReport& SyncEngine::State::report(PeerId peer) {
    const auto found = std::find_if(status.peers.begin(), status.peers.end(),
                                    [peer](const PeerReport& r) { return r.id == peer; });
    assert(found != status.peers.end());
    return *found;
}

void SyncEngine::State::start_session(Now now) {
    if (session || waiting.empty()) return;
    Version ours;
    ours.time = now.unix_seconds;
    ours.nonce = random.next();
    ours.user_agent = options.user_agent;
    ours.relay = false;
    session.emplace(waiting.front(), std::move(ours));
    waiting.pop_front();
    session->progress_at = now.steady;
    send(session->handshake.open());
}

// What the peer had been asked for is open again; what it delivered stays.
void SyncEngine::State::end_session(DisconnectReason reason) {
    PeerReport& ended = report(session->id);
    ended.ended = reason;
    if (is_misbehaviour(reason)) ++ended.misbehaviour;
    session.reset();
    scan.rewind();
}

void SyncEngine::State::drop(const Violation& violation, Now now) {
    commands.emplace_back(Disconnect{session->id, violation.reason, violation.detail});
    end_session(violation.reason);
    start_session(now);
}

Outcome SyncEngine::State::dispatch(Message message, Now now) {
    if (!session->handshake.complete()) return on_handshake(message, now);
    if (const auto* ping = std::get_if<Ping>(&message)) return send(Pong{ping->nonce}), Outcome{};
    if (const auto* pong = std::get_if<Pong>(&message)) {
        if (session->headers->on_pong(*pong, chain, now)) request_headers(now);
        return session->blocks.on_pong(*pong);
    }
    if (const auto* headers = std::get_if<Headers>(&message)) return on_headers(*headers, now);
    if (const auto* inv = std::get_if<Inv>(&message)) return on_inventory(*inv, now);
    if (auto* tx = std::get_if<Tx>(&message)) return on_transaction(std::move(*tx), now);
    if (const auto* block = std::get_if<MerkleBlock>(&message)) {
        return on_delivery(session->blocks.on_merkle_block(*block), now);
    }
    if (const auto* missing = std::get_if<NotFound>(&message)) {
        for (const Inventory& entry : missing->entries) {
            session->requested_transactions.erase(chain::Txid{entry.hash.bytes});
        }
        return session->blocks.on_not_found(*missing);
    }
    return {};
}

Outcome SyncEngine::State::on_handshake(const Message& message, Now now) {
    auto answers = session->handshake.on_message(message);
    if (const auto& version = session->handshake.peer()) {
        PeerReport& peer = report(session->id);
        peer.user_agent = version->user_agent;
        peer.services = version->services;
        peer.height = version->start_height;
    }
    if (!answers) return Unexpected(answers.error());
    for (Message& answer : *answers) send(std::move(answer));
    if (!session->handshake.complete()) return {};
    session->progress_at = now.steady;
    // Whoever connects was named by the user.
    session->headers.emplace(session->handshake.peer()->start_height,
                             HeaderSyncOptions{.vouched = true, .salt = random.next()});
    request_headers(now);
    return {};
}

void SyncEngine::State::request_headers(Now now) {
    if (!awaits_answer()) session->progress_at = now.steady;
    for (Message& message : session->headers->request(chain, random.next(), now)) {
        send(std::move(message));
    }
}

Outcome SyncEngine::State::on_headers(const Headers& message, Now now) {
    const chain::BlockRef old_tip = chain.tip();
    auto progress = session->headers->on_headers(message, chain, now);
    // Headers before a bad one are good, and may have moved the best chain.
    follow_chain(old_tip);
    if (!progress) return Unexpected(progress.error());
    if (progress->advanced) session->progress_at = now.steady;
    status.headers += progress->result.added;
    // Before any request for blocks: the server gets to it only when those before it are served.
    if (progress->ask_on) request_headers(now);
    return {};
}

void SyncEngine::State::follow_chain(const chain::BlockRef& old_tip) {
    const auto fork = chain.fork_point(old_tip.hash);
    assert(fork);
    const chain::ChainMove move{old_tip, *fork, chain.tip()};
    if (!move.is_reorganisation()) return;
    session->blocks.discard_above(move.fork.height);
    scan.on_chain_moved(move);
    ++status.reorgs;
    if (engine.on_reorganisation) engine.on_reorganisation(move);
}

Outcome SyncEngine::State::on_inventory(const Inv& message, Now now) {
    GetData wanted;
    for (const Inventory& entry : message.entries) {
        if (entry.type == InventoryType::block) {
            const chain::BlockHash announced{entry.hash.bytes};
            if (session->headers->on_block_announced(announced, chain)) request_headers(now);
        }
        if (entry.type != InventoryType::tx) continue;
        const chain::Txid txid{entry.hash.bytes};
        session->blocks.on_announced(txid);
        auto& requested = session->requested_transactions;
        if (!listening_until || requested.size() >= kMaxRequestedTransactions) continue;
        if (requested.insert(txid).second) wanted.entries.push_back(entry);
    }
    if (!wanted.entries.empty()) send(std::move(wanted));
    return {};
}

Outcome SyncEngine::State::on_transaction(Tx message, Now now) {
    const chain::Txid txid = message.transaction.txid();
    if (session->blocks.expects(txid)) {
        return on_delivery(
            session->blocks.on_transaction(std::move(message.transaction), txid), now);
    }
    // What nobody asked for is nobody's: a peer may not choose what the wallet looks at.
    if (session->requested_transactions.erase(txid) != 0) {
        on_unconfirmed(message.transaction, txid, now);
    }
    return {};
}

void SyncEngine::State::on_unconfirmed(const chain::Transaction& transaction,
                                       const chain::Txid& txid, Now now) {
    ++status.transactions;
    if (Mirror* mirror = session->blocks.mirror()) {
        scan.memory().outpoints.on_unconfirmed(mirror->replay(transaction, txid).inserted);
    }
    if (watcher.apply_unconfirmed(transaction, now.unix_seconds)) {
        apply_held();
        session->blocks.discard_above(scan.synced_height());
        scan.rewind();
        session->filter_stale = true;
        session->mempool_asked = false;
    }
}

Outcome SyncEngine::State::on_delivery(
    chain::Expected<std::optional<Delivery>, Violation> delivery, Now now) {
    if (!delivery) return Unexpected(delivery.error());
    if (!*delivery) return {};
    Delivery block = **std::move(delivery);
    session->progress_at = now.steady;
    ++report(session->id).blocks;
    ++status.filtered_blocks;
    if (!block.wanted) return {};
    status.transactions += block.block.transactions.size();
    if (!held_since) held_since = now.steady;
    scan.deliver(std::move(block));
    return {};
}

// Whatever happened, this is what can be done next.
void SyncEngine::State::drive(Now now) {
    const bool more_to_come = session && session->blocks.wanted_in_flight() > 0;
    const bool batch_due = scan.held_blocks() >= options.blocks_per_batch ||
                           scan.held_bytes() >= kHoldBytes || !more_to_come ||
                           (held_since && now.steady >= *held_since + kHoldTime);
    if (batch_due) apply_held();
    if (session && session->headers) {
        if (scan.align(session->headers->at_end())) {
            // A peer that is asked for nothing needs no filter, and learns nothing.
            if (!scan.complete() || options.wait_unconfirmed) refresh_filter();
            request_blocks(now);
            listen(now);
        }
    }
    update_status(now);
}

void SyncEngine::State::apply_held() {
    held_since.reset();
    if (!scan.apply() || !session) return;
    session->blocks.discard_above(scan.next_height() - 1);
    session->filter_stale = true;
}

void SyncEngine::State::refresh_filter() {
    Mirror* mirror = session->blocks.mirror();
    if (mirror != nullptr && !session->filter_stale) {
        session->filter_worn = is_saturating(mirror->false_positive_rate(),
                                             mirror->initial_false_positive_rate(),
                                             options.false_positive_rate);
        // Blocks in flight may still find coins, which the new filter must hold.
        if (!session->filter_worn || session->blocks.wanted_in_flight() > 0) return;
        apply_held();
    }
    session->filter_stale = false;
    session->filter_worn = false;
    auto filter = make_filter(watcher.watch_list(), scan.memory().outpoints.outpoints(),
                              options.false_positive_rate, scan.memory().tweak);
    send(session->blocks.load_filter(std::move(filter)));
    ++status.filter_loads;
}

void SyncEngine::State::request_blocks(Now now) {
    BlockDownload& blocks = session->blocks;
    if (session->filter_worn) return;
    while (blocks.in_flight() + kBlocksPerRequest <= options.blocks_in_flight ||
           blocks.in_flight() == 0) {
        const auto wanted = scan.take_next(std::min(kBlocksPerRequest, options.blocks_in_flight));
        if (wanted.empty()) return;
        if (!awaits_answer()) session->progress_at = now.steady;
        for (Message& message : blocks.request(wanted, random.next())) send(std::move(message));
    }
}

bool SyncEngine::State::blocks_complete() const {
    return session && session->headers && session->headers->at_end() &&
           !session->headers->waiting_since() && scan.complete() &&
           session->blocks.wanted_in_flight() == 0;
}

void SyncEngine::State::listen(Now now) {
    if (!blocks_complete()) return;
    if (!listening_until) {
        listening_until = now.steady + options.wait_unconfirmed.value_or(milliseconds{0});
    }
    if (!options.wait_unconfirmed || session->mempool_asked) return;
    session->mempool_asked = true;
    send(Mempool{});
}

bool SyncEngine::State::awaits_answer() const {
    return !session->headers || session->headers->waiting_since() || session->blocks.in_flight() > 0;
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
    const Mirror* mirror = session ? session->blocks.mirror() : nullptr;
    if (mirror != nullptr) {
        status.filter_false_positive_rate = mirror->false_positive_rate();
        status.filter_bytes = mirror->filter().bytes().size();
        status.filter_hash_functions = mirror->filter().hash_functions();
    }

    if (listening_until && now.steady >= *listening_until && (session ? blocks_complete() : scan.complete())) {
        status.phase = SyncPhase::done;
    } else if (!session) {
        status.phase = SyncPhase::no_peer;
    } else if (!session->headers) {
        status.phase = SyncPhase::handshake;
    } else if (blocks_complete()) {
        status.phase = SyncPhase::listening;
    } else {
        status.phase = scan.first_height() == 0 ? SyncPhase::headers : SyncPhase::blocks;
    }
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
    state_->waiting.push_back(peer);
    state_->start_session(now);
    state_->update_status(now);
}

void SyncEngine::on_message(PeerId peer, Message message, Now now) {
    if (!state_->session || state_->session->id != peer) return;
    const auto outcome = state_->dispatch(std::move(message), now);
    if (!outcome) state_->drop(outcome.error(), now);
    state_->drive(now);
}

void SyncEngine::on_bad_bytes(PeerId peer, DisconnectReason reason, std::string detail, Now now) {
    if (!state_->session || state_->session->id != peer) return;
    state_->drop(Violation{reason, std::move(detail)}, now);
    state_->drive(now);
}

void SyncEngine::on_closed(PeerId peer, Now now) {
    std::erase(state_->waiting, peer);
    if (state_->session && state_->session->id == peer) {
        state_->end_session(DisconnectReason::gone);
        state_->start_session(now);
    }
    state_->drive(now);
}

void SyncEngine::on_time(Now now) {
    if (state_->session) {
        Session& session = *state_->session;
        const auto limit = session.headers ? state_->options.answer_timeout
                                           : state_->options.handshake_timeout;
        const auto& headers = session.headers;
        if (state_->awaits_answer() && now.steady >= session.progress_at + limit) {
            state_->drop({DisconnectReason::timed_out, ""}, now);
        } else if (headers && headers->short_since() &&
                   now.steady >= *headers->short_since() + limit) {
            state_->drop({DisconnectReason::incomplete, "fewer headers than it claims"}, now);
        } else if (headers && headers->ask_again_at() && now.steady >= *headers->ask_again_at()) {
            state_->request_headers(now);
        }
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
    const bool complete =
        state_->session ? state_->blocks_complete() : state_->scan.complete();
    if (complete) consider(state_->listening_until);
    if (state_->held_since) consider(*state_->held_since + kHoldTime);
    if (!state_->session) return next;
    const Session& session = *state_->session;
    const auto limit =
        session.headers ? state_->options.answer_timeout : state_->options.handshake_timeout;
    if (state_->awaits_answer()) consider(session.progress_at + limit);
    if (session.headers && session.headers->short_since()) {
        consider(*session.headers->short_since() + limit);
        consider(session.headers->ask_again_at());
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
