#include "net/sync/sync_engine.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "net/peer/received_message.h"
#include "net/sync/engine_state.h"

namespace petal::net {

using std::chrono::milliseconds;

PeerReport& SyncEngine::State::report(PeerId peer) {
    PeerReport* found = find_report(status, peer);
    assert(found);
    return *found;
}

// Of those that are gone, a sync that goes on for months can't keep all.
void SyncEngine::State::forget_old_reports() {
    const auto has_ended = [](const PeerReport& of) { return of.ended.has_value(); };
    auto& peers = status.peers;
    if (std::count_if(peers.begin(), peers.end(), has_ended) <= kMaxEndedReports) return;
    peers.erase(std::find_if(peers.begin(), peers.end(), has_ended));
}

// What the peer had been asked for is open again; what it delivered stays.
void SyncEngine::State::end_session(PeerSession& session, DisconnectReason reason) {
    PeerReport& ended = report(session.id);
    ended.ended = reason;
    if (is_misbehaviour(reason)) ++ended.misbehaviour;
    if (header_peer == session.id) header_peer.reset();
    scan.on_lost(session.id, session.blocks.wanted());
    cross_check.on_lost(session.id);
    const auto trace = traces.find(session.id);
    if (trace->second.served.empty() && !trace->second.caught) traces.erase(trace);
    sessions.erase(session.id);
    forget_old_reports();
}

void SyncEngine::State::drop(PeerSession& session, const Violation& violation) {
    commands.emplace_back(Disconnect{session.id, violation.reason, violation.detail});
    end_session(session, violation.reason);
}

// Whatever happened, this is what can be done next.
void SyncEngine::State::drive(Now now) {
    last_time = now.steady;
    notice_sleep(now);
    if (is_batch_due(now)) apply_held();
    follow_headers(now);
    if (has_required_work() && scan.align(headers_settled())) {
        for (auto& [peer, session] : sessions) serve(session, now);
        listen(now);
        announce_own(now);
    }
    for (auto& [peer, session] : sessions) {
        session.crawl.observe(session.blocks.in_flight() > 0, now.steady);
    }
    update_status(now);
}

// Until then the chain may hold headers that were stored under a lower threshold, or the first ones
// of a chain that has less work than another one on disk. The watcher is not told of either.
bool SyncEngine::State::has_required_work() const {
    return chain.chainwork() >= options.threshold.of(chain.network());
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
    return scan.complete() && headers_settled() && !checks_pending();
}

Patience SyncEngine::State::patience() const {
    return {options.handshake_timeout, options.answer_timeout,
            options.full_blocks ? options.whole_block_timeout : options.answer_timeout};
}

void SyncEngine::State::check_deadlines(PeerSession& session, Now now) {
    const auto& headers = session.headers;
    const auto give_up_at = session.give_up_at(patience());
    if (give_up_at && now.steady >= *give_up_at) {
        drop(session, {DisconnectReason::timed_out, ""});
    } else if (is_to_be_replaced(session, now)) {
        drop(session, {DisconnectReason::timed_out, "sends blocks far too slowly"});
    } else if (headers && headers->short_since() &&
               now.steady >= *headers->short_since() + options.answer_timeout) {
        drop(session, headers->shortfall(chain));
    } else if (session.behind_since &&
               now.steady >= *session.behind_since + options.answer_timeout &&
               last_block_of(session) < chain.tip().height) {
        drop(session, {DisconnectReason::timed_out, "does not have the blocks that are missing"});
    } else if (headers && headers->ask_again_at() && now.steady >= *headers->ask_again_at()) {
        request_headers(session, now);
    } else if (headers && !session.sign_of_life_due &&
               now.steady >= session.heard_at + kKeepAlive) {
        ask_for_sign_of_life(session, now.steady + options.answer_timeout);
    }
}

// Where nobody can take its place, or one is free for whoever may be found, a slow peer is better
// than none. So they go one at a time: it may be this machine's line that is slow.
bool SyncEngine::State::is_to_be_replaced(PeerSession& session, Now now) {
    session.crawl.observe(session.blocks.in_flight() > 0, now.steady);
    const bool takes_a_place = options.has_substitutes && sessions.size() >= options.expected_peers;
    return takes_a_place && session.crawl.is_crawling();
}

void SyncEngine::State::ask_for_sign_of_life(PeerSession& session, milliseconds due) {
    session.sign_of_life_nonce = random.next();
    send(session, Ping{session.sign_of_life_nonce});
    session.sign_of_life_due = due;
}

// The steady clock stands still while the machine sleeps, the date does not.
void SyncEngine::State::notice_sleep(Now now) {
    const auto offset =
        now.unix_seconds - std::chrono::duration_cast<std::chrono::seconds>(now.steady).count();
    const auto before = std::exchange(clock_offset, offset);
    if (!before || offset < *before + kSleepSeconds) return;
    for (auto& [peer, session] : sessions) {
        if (!session.is_ready()) continue;
        // Who is at work gets to the ping only after that.
        const bool busy = session.blocks.in_flight() > 0;
        ask_for_sign_of_life(session, now.steady + (busy ? patience().block : kAfterSleep));
    }
}

void SyncEngine::State::update_status(Now now) {
    const std::uint32_t tip = chain.tip().height;
    status.header_height = tip;
    status.target_height = tip;
    // A claim is worth as much as the peer: what those that are gone had claimed is forgotten.
    for (const auto& [peer, session] : sessions) {
        if (!session.is_ready()) continue;
        status.target_height = std::max(status.target_height, session.claimed_height);
    }
    status.first_height = scan.first_height();
    status.synced_height = scan.synced_height();
    status.scanned_blocks = scan.scanned_blocks();
    status.refetched_blocks = scan.refetched_blocks();
    status.false_positives = scan.false_positives();
    status.cross_checked_blocks = cross_check.compared_blocks();
    for (const auto& [peer, session] : sessions) {
        const Mirror* mirror = session.blocks.mirror();
        if (mirror == nullptr) continue;
        status.filter_false_positive_rate = mirror->false_positive_rate();
        status.filter_bytes = mirror->filter().bytes().size();
        status.filter_hash_functions = mirror->filter().hash_functions();
        break;
    }
    status.phase = phase(now);
    status.presync_height.reset();
    for (const auto& [peer, session] : sessions) {
        if (!session.is_ready()) continue;
        status.presync_height = std::max(status.presync_height, session.headers->presync_height());
    }
    const std::uint64_t come = status.headers + status.filtered_blocks + status.full_blocks +
                               status.presync_height.value_or(0);
    const bool moves =
        come != std::exchange(arrivals, come) || status.phase >= SyncPhase::listening;
    if (moves || !moved_at) moved_at = now.steady;
    const bool explains_itself = now.steady < *moved_at + kUnexplained;
    status.stall_reason = explains_itself ? StallReason::none : stall_reason();
    if (status.phase == SyncPhase::blocks && all_crawl())
        status.stall_reason = StallReason::slow_blocks;
    if (status.phase >= SyncPhase::listening && all_have_lighter_chains()) {
        status.stall_reason = StallReason::lighter_chain;
    }
}

// As far as the peers that are there have shown and claimed.
bool SyncEngine::State::all_have_lighter_chains() const {
    bool any = false;
    for (const auto& [peer, session] : sessions) {
        if (!session.is_ready()) continue;
        any = true;
        const bool is_on_branch = session.shown && !chain.is_on_best_chain(*session.shown);
        const bool has_less = is_on_branch ? chain.chainwork_at(*session.shown) < chain.chainwork()
                                           : last_block_of(session) < chain.tip().height;
        if (!has_less) return false;
    }
    return any;
}

// Some owe blocks, and all of those send hardly any.
bool SyncEngine::State::all_crawl() const {
    bool any = false;
    for (const auto& [peer, session] : sessions) {
        if (session.blocks.in_flight() == 0) continue;
        if (!session.crawl.is_crawling()) return false;
        any = true;
    }
    return any;
}

SyncPhase SyncEngine::State::phase(Now now) const {
    // Who has listened for long enough needs no peer to be done.
    const bool complete = sessions.empty() ? scan.complete() : blocks_complete();
    const bool is_over = listening_until && now.steady >= *listening_until;
    if (is_over && complete && !scan.has_unstored()) return SyncPhase::done;
    if (sessions.empty()) return SyncPhase::no_peer;
    const bool any_ready = std::any_of(sessions.begin(), sessions.end(),
                                       [](const auto& entry) { return entry.second.is_ready(); });
    if (!any_ready) return SyncPhase::handshake;
    if (complete) return SyncPhase::listening;
    return scan.first_height() == 0 ? SyncPhase::headers : SyncPhase::blocks;
}

// The first of what everything else waits for.
StallReason SyncEngine::State::stall_reason() const {
    if (sessions.empty()) return StallReason::no_peer;
    const auto any = [this](auto condition) {
        return std::any_of(sessions.begin(), sessions.end(), [&](const auto& entry) {
            return entry.second.is_ready() && condition(entry.second);
        });
    };
    if (!any([](const PeerSession&) { return true; })) return StallReason::silent_handshake;
    if (any([](const PeerSession& session) { return session.blocks.in_flight() > 0; })) {
        return StallReason::silent_blocks;
    }
    if (!headers_settled()) {
        const bool has_low_work = any([this](const PeerSession& session) {
            return session.headers->short_since() &&
                   session.headers->shortfall(chain).reason == DisconnectReason::low_work;
        });
        return has_low_work ? StallReason::low_work : StallReason::silent_headers;
    }
    return scan.is_aligned() ? StallReason::peers_behind : StallReason::short_chain;
}

SyncEngine::SyncEngine(chain::HeaderChain& chain, chain::Watcher& watcher, SyncOptions options)
    : state_(std::make_unique<State>(*this, chain, watcher, std::move(options))) {
    state_->update_status({});
    state_->moved_at.reset();  // time has not begun
}

SyncEngine::~SyncEngine() = default;

void SyncEngine::on_connected(PeerId peer, PeerIdentity identity, Now now) {
    PeerReport report;
    report.id = peer;
    report.address = std::move(identity.address);
    state_->status.peers.push_back(std::move(report));
    Version ours;
    ours.time = now.unix_seconds;
    ours.nonce = state_->random.next();
    ours.user_agent = state_->options.user_agent;
    // Without a filter, all unconfirmed transactions or none.
    ours.relay = state_->options.full_blocks && state_->options.wait_unconfirmed;
    const HandshakeAims aims{.filters = !state_->options.full_blocks,
                             .blocks = true,
                             .addresses = state_->options.ask_for_addresses};
    state_->traces[peer].network_group = std::move(identity.group);
    auto& session =
        state_->sessions.try_emplace(peer, peer, std::move(ours), aims, now.steady).first->second;
    state_->send(session, session.handshake.open());
    for (auto& [id, each] : state_->sessions) {
        each.announced_by_peer.limit_to(state_->txids_of_each());
        each.announced_to_peer.limit_to(state_->txids_of_each());
    }
    state_->update_status(now);
}

chain::Expected<bool, Violation> SyncEngine::expects(PeerId peer, const Frame& frame) const {
    const auto found = state_->sessions.find(peer);
    if (found == state_->sessions.end()) return false;
    const PeerSession& session = found->second;
    if (!session.is_ready()) return is_of_handshake(frame.command);
    if (frame.command == Tx::kCommand) return session.expects_transaction(frame.payload.size());
    if (frame.command != FullBlock::kCommand) return true;
    const auto hash = hash_of_block_payload(frame.payload);
    if (!hash || session.blocks.expects_whole_block(*hash)) return true;
    return chain::Unexpected(Violation{DisconnectReason::unrequested, hash->to_hex()});
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
    if (state_->are_unconfirmed_due(now)) state_->store_unconfirmed();
    state_->drive(now);
}

std::vector<Command> SyncEngine::take_commands() {
    return std::exchange(state_->commands, {});
}

std::optional<milliseconds> SyncEngine::next_deadline() const {
    std::optional<milliseconds> next;
    const auto consider = [&next](std::optional<milliseconds> at) {
        if (at && (!next || *at < *next)) next = at;
    };
    if (finished()) return next;
    const State& state = *state_;
    const bool complete = state.sessions.empty() ? state.scan.complete() : state.blocks_complete();
    if (complete) consider(state.listening_until);
    if (state.held_since) consider(*state.held_since + kHoldTime);
    if (state.scan.has_unstored()) consider(state.store_unconfirmed_at);
    consider(state.announce_own_at);
    consider(state.cross_check.patience_ends(state.last_time));
    for (const auto& [peer, session] : state.sessions) {
        consider(session.give_up_at(state.patience()));
        if (!session.is_ready()) continue;
        if (!session.sign_of_life_due) consider(session.heard_at + kKeepAlive);
        const auto& headers = *session.headers;
        if (headers.waiting_since() && !session.headers_overdue) {
            consider(session.headers_moved_at + kHeaderPatience);
        }
        if (session.behind_since && state.last_block_of(session) < state.chain.tip().height) {
            consider(*session.behind_since + state.options.answer_timeout);
        }
        if (headers.short_since()) consider(*headers.short_since() + state.options.answer_timeout);
        consider(headers.ask_again_at());
        const auto falls_silent = session.served_at + CrossCheck::kPatience;
        if (session.blocks.in_flight() > 0 && falls_silent > state.last_time)
            consider(falls_silent);
        if (session.blocks.in_flight() == 0 && state.sessions.size() > 1) {
            consider(state.scan.schedule().next_take_over(peer, state.last_block_to_ask(session),
                                                          2 * session.pace.expected_wait()));
        }
    }
    return next;
}

bool SyncEngine::finished() const {
    return state_->status.phase == SyncPhase::done;
}

std::size_t SyncEngine::seen_from(const chain::Txid& txid) const {
    return state_->announcements.count(txid);
}

const SyncStatus& SyncEngine::status() const {
    return state_->status;
}

void SyncEngine::flush(Now now) {
    state_->apply_held();
    state_->store_unconfirmed();
    state_->update_status(now);
}

}  // namespace petal::net
