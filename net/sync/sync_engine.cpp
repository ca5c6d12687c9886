#include "net/sync/sync_engine.h"

#include <optional>
#include <utility>

#include "net/peer/timers.h"
#include "net/sync/block_fetcher.h"
#include "net/sync/block_intake.h"
#include "net/sync/cross_checker.h"
#include "net/sync/filters/watcher_refresher.h"
#include "net/sync/header_follower.h"
#include "net/sync/matches/chosen_source.h"
#include "net/sync/rebroadcaster.h"
#include "net/sync/relay/chosen_relay.h"
#include "net/sync/state/sync_context.h"
#include "net/sync/status_keeper.h"
#include "net/sync/unconfirmed_intake.h"
#include "net/sync/unconfirmed_listener.h"
#include "net/sync/withheld_blocks.h"

namespace petal::net {

using std::chrono::milliseconds;

/// The parts, and the dispatch of events to them. Each part makes its own decisions.
struct SyncEngine::Parts {
    Parts(chain::HeaderChain& chain, chain::Watcher& watcher, SyncOptions options,
          SharedHeaders* shared, const SyncEvents& events);

    void connect(PeerId peer, PeerIdentity identity, Now now);
    Outcome on_message(SyncPeer& peer, Message message, Now now);
    Outcome on_transaction(SyncPeer& peer, Tx message, Now now);
    void handle_chain_move();
    void start_over();
    void drop(SyncPeer& peer, const Violation& violation);
    void on_end(SyncPeer& peer);
    void handle_invalid_blocks();
    void drive(Now now);

    SyncContext sync;
    ChosenSource source{sync};
    ChosenRelay relay{sync, source};
    HeaderFollower headers{sync};
    CrossChecker cross_checker{sync};
    UnconfirmedIntake unconfirmed{sync, source, relay};
    FilterHashChecker filter_hashes{sync, source};
    BlockIntake intake{sync, source, cross_checker, filter_hashes, unconfirmed};
    BlockFetcher fetcher{sync, source, cross_checker, unconfirmed};
    WithheldBlocks withheld{sync, source, headers, fetcher};
    UnconfirmedListener listener{sync, source, relay, unconfirmed};
    Rebroadcaster rebroadcaster{sync};
    WatcherRefresher refresher{sync.watcher, sync.options.refresh_watcher_every};
    StatusKeeper progress{sync, headers, fetcher, cross_checker, filter_hashes, listener};
    Timers timers;
};

SyncEngine::Parts::Parts(chain::HeaderChain& chain, chain::Watcher& watcher, SyncOptions options,
                         SharedHeaders* shared, const SyncEvents& events)
    : sync(chain, watcher, std::move(options), shared, events) {
    sync.peers.on_end = [this](SyncPeer& peer) { on_end(peer); };
    unconfirmed.on_grown = [this] { start_over(); };
    source.on_changed = [this] {
        intake.start_over();
        filter_hashes.restart();
    };
    refresher.on_grown = [this] { start_over(); };
    intake.on_grown = [this] { listener.ask_again(); };
    // Stored at once: another process must not treat doubtful blocks as covered.
    filter_hashes.on_news = [this] { intake.apply(); };
    timers.add(refresher);
    timers.add(sync.peers);
    timers.add(source);
    timers.add(headers);
    timers.add(fetcher);
    timers.add(filter_hashes);
    timers.add(withheld);
    timers.add(listener);
    timers.add(relay);
    timers.add(unconfirmed);
    timers.add(intake);
    timers.add(rebroadcaster);
    timers.add(progress);
    timers.add(sync.tip_watch);
}

void SyncEngine::Parts::connect(PeerId peer, PeerIdentity identity, Now now) {
    const SyncOptions& options = sync.options;
    source.on_connected(headers.has_all_headers(), now);
    const PeerNeeds needs = source.needs_of_next_peer();
    const bool relays_all = relay.relays_all_from_next_peer();
    Version ours{.time = now.unix_seconds,
                 .nonce = sync.random.next(),
                 .user_agent = options.user_agent,
                 .relay = relays_all};
    const HandshakeAims aims{.services = needs.services,
                             .addresses = options.ask_for_addresses,
                             .accepts_pruned = needs.accepts_pruned};
    Peer connection{peer, std::move(ours), aims, options.timeouts, now.steady};
    // Two connections to one node would count as two witnesses.
    const bool is_duplicate = sync.peers.has_node(identity.node);
    if (!is_duplicate) sync.outbox.send(peer, connection.open());
    sync.peers.add(std::move(connection), std::move(identity), now.steady);
    SyncPeer& added = *sync.peers.find(peer);
    added.relays_all = relays_all;
    if (is_duplicate) sync.peers.drop(added, {DisconnectReason::duplicate, ""});
    progress.update(now);
}

Outcome SyncEngine::Parts::on_message(SyncPeer& peer, Message message, Now now) {
    const auto effect = peer.connection.on_message(message, sync.outbox, now);
    sync.peers.update_report(peer, now);
    if (!effect) return chain::Unexpected(effect.error());
    if (*effect == Peer::Effect::handshake_complete) {
        headers.on_handshake_complete(peer, now);
        relay.on_handshake_complete(peer);
        return source.on_handshake_complete(peer);
    }
    if (*effect != Peer::Effect::none) return {};

    if (const auto* pong = std::get_if<Pong>(&message)) {
        headers.on_pong(peer, *pong, now);
        listener.on_pong(peer, *pong);
        return fetcher.on_pong(peer, *pong, now);
    }
    if (const auto* shown = std::get_if<Headers>(&message)) {
        auto outcome = headers.on_headers(peer, *shown, now);
        handle_chain_move();  // also if headers after the valid ones are invalid
        return outcome;
    }
    if (const auto* inv = std::get_if<Inv>(&message)) {
        headers.on_announced(peer, *inv, now);
        unconfirmed.on_announced(peer, *inv, listener.has_begun());
    }
    if (auto* tx = std::get_if<Tx>(&message)) return on_transaction(peer, std::move(*tx), now);
    if (const auto* block = std::get_if<MerkleBlock>(&message)) {
        return intake.on_merkle_block(peer, *block, now);
    }
    if (const auto* full = std::get_if<FullBlock>(&message)) {
        return intake.on_full_block(peer, *full, now);
    }
    if (const auto* filter = std::get_if<CFilter>(&message)) {
        return intake.on_compact_filter(peer, *filter, now);
    }
    if (const auto* hashes = std::get_if<CFHeaders>(&message)) {
        return filter_hashes.on_hashes(peer, *hashes, now);
    }
    if (const auto* missing = std::get_if<NotFound>(&message)) {
        peer.transactions.on_not_found(*missing);
        return fetcher.on_not_found(peer, *missing, now);
    }
    if (const auto* wanted = std::get_if<GetData>(&message))
        rebroadcaster.on_request(peer, *wanted);
    return {};
}

// Call this before any other use of the chain: another engine may have moved it.
void SyncEngine::Parts::handle_chain_move() {
    const auto move = headers.tip_tracker().take_move();
    if (!move || !move->is_reorganisation()) return;
    unconfirmed.on_reorganised(move->fork.height);
    listener.on_reorganised();
    intake.on_reorganised(*move);
    headers.chains().on_reorganised();
    progress.on_reorganised(*move);
}

Outcome SyncEngine::Parts::on_transaction(SyncPeer& peer, Tx message, Now now) {
    const chain::Txid txid = message.transaction.txid();
    peer.transactions.on_decoded();
    if (peer.blocks.expects(txid)) {
        return intake.on_transaction(peer, std::move(message.transaction), txid, now);
    }
    // Once the wait has passed, a peer must not lengthen the sync by ever new transactions.
    const bool is_shown =
        listener.has_begun() && !listener.is_over() && relay.traits().shows_transactions;
    return unconfirmed.on_transaction(peer, std::move(message.transaction), txid, is_shown, now);
}

// The watch list grew, by unconfirmed transactions or by another process.
void SyncEngine::Parts::start_over() {
    listener.ask_again();
    intake.start_over();
}

void SyncEngine::Parts::drop(SyncPeer& peer, const Violation& violation) {
    // Bitcoin Core skips the blocks that it has pruned.
    const bool has_skipped =
        violation.reason == DisconnectReason::incomplete && peer.owes_older_block();
    const Violation why = has_skipped ? lacks_old_blocks(*peer.connection.version()) : violation;
    const bool searches_again = cross_checker.on_violation(peer.id(), why);
    sync.peers.drop(peer, why);
    if (searches_again) intake.apply();  // stored at once, as in accept_second_opinion()
}

void SyncEngine::Parts::on_end(SyncPeer& peer) {
    headers.on_end(peer);
    fetcher.on_end(peer);
    cross_checker.on_lost(peer.id());
    filter_hashes.on_lost(peer);
    unconfirmed.on_end(peer);
    relay.on_end(peer);
}

// Not while a peer's message is handled: the peer may be disconnected.
void SyncEngine::Parts::handle_invalid_blocks() {
    bool searches_again = false;
    for (const chain::InvalidBlock& invalid : intake.take_invalid_blocks()) {
        if (sync.events.on_invalid_block) sync.events.on_invalid_block(invalid);
        searches_again = cross_checker.on_invalid_block(invalid) || searches_again;
        if (invalid.block.height == sync.chain.root().height) continue;  // a trusted block
        sync.chain.exclude(invalid.block.hash, chain::Exclusion::invalid);
    }
    handle_chain_move();
    if (searches_again) intake.apply();  // stored at once, as in accept_second_opinion()
}

// Lets each part act after an event.
void SyncEngine::Parts::drive(Now now) {
    sync.peers.notice_sleep(now, source.traits().block_timeout);
    intake.apply_if_due();
    handle_invalid_blocks();
    headers.chains().update_switch_times(now);
    headers.take_turns(now);
    rebroadcaster.pause();
    const bool has_source = source.choose(headers.has_all_headers(), now);
    relay.choose();
    if (has_source && headers.has_required_work() && sync.scan.align(headers.has_all_headers())) {
        const auto missed = headers.has_all_headers() ? sync.scan.take_missed_move() : std::nullopt;
        if (missed) {
            listener.on_reorganised();
            intake.on_reorganised(*missed);
        }
        filter_hashes.ask(now);
        fetcher.fetch(now);
        if (progress.are_blocks_complete()) {
            listener.request_mempools(now);
            rebroadcaster.resume(now);
        }
    }
    relay.observe(listener.is_listening(), now);
    fetcher.observe(now);
    withheld.observe(now);
    progress.update(now);
    if (sync.status.phase == SyncPhase::done && filter_hashes.finish()) progress.update(now);
    sync.tip_watch.update(sync.status.phase == SyncPhase::listening, now);
}

SyncEngine::SyncEngine(chain::HeaderChain& chain, chain::Watcher& watcher, SyncOptions options,
                       SharedHeaders* shared)
    : parts_(std::make_unique<Parts>(chain, watcher, std::move(options), shared, events)) {
    parts_->progress.set_initial_status();
}

SyncEngine::~SyncEngine() = default;

void SyncEngine::on_connected(PeerId peer, PeerIdentity identity, Now now) {
    parts_->handle_chain_move();
    parts_->connect(peer, std::move(identity), now);
}

chain::Expected<bool, Violation> SyncEngine::expects(PeerId peer, const Frame& frame) const {
    const SyncPeer* const from = parts_->sync.peers.find(peer);
    return from == nullptr ? false : from->expects(frame);
}

void SyncEngine::on_message(PeerId peer, Message message, Now now) {
    SyncPeer* const from = parts_->sync.peers.find(peer);
    if (from == nullptr) return;
    parts_->handle_chain_move();
    const auto outcome = parts_->on_message(*from, std::move(message), now);
    if (!outcome) parts_->drop(*from, outcome.error());
    parts_->drive(now);
}

void SyncEngine::on_bad_bytes(PeerId peer, DisconnectReason reason, std::string detail, Now now) {
    SyncPeer* const from = parts_->sync.peers.find(peer);
    if (from == nullptr) return;
    parts_->handle_chain_move();
    parts_->sync.peers.drop(*from, {reason, std::move(detail)});
    parts_->drive(now);
}

void SyncEngine::on_closed(PeerId peer, Now now) {
    SyncPeer* const closed = parts_->sync.peers.find(peer);
    if (closed == nullptr) return;
    parts_->handle_chain_move();
    parts_->sync.peers.on_closed(*closed);
    parts_->drive(now);
}

void SyncEngine::on_time(Now now) {
    parts_->handle_chain_move();
    parts_->timers.wake(now);
    parts_->handle_chain_move();  // a branch without blocks may have been excluded
    parts_->drive(now);
}

std::vector<Command> SyncEngine::take_commands() {
    return parts_->sync.outbox.take();
}

std::optional<milliseconds> SyncEngine::next_deadline() const {
    if (finished()) return std::nullopt;
    return is_current() ? parts_->timers.next() : milliseconds{0};
}

bool SyncEngine::is_current() const {
    return parts_->headers.tip_tracker().is_current();
}

bool SyncEngine::finished() const {
    return status().phase == SyncPhase::done;
}

std::size_t SyncEngine::seen_from(const chain::Txid& txid) const {
    return parts_->unconfirmed.seen_from(txid);
}

const SyncStatus& SyncEngine::status() const {
    return parts_->sync.status;
}

const TipWatch& SyncEngine::tip_watch() const {
    return parts_->sync.tip_watch;
}

void SyncEngine::flush(Now now) {
    parts_->handle_chain_move();
    parts_->intake.apply();
    parts_->handle_invalid_blocks();
    parts_->unconfirmed.store();
    parts_->progress.update(now);
}

}  // namespace petal::net
