// What is done next: batches, headers, blocks and filters.
#include <algorithm>
#include <utility>

#include "net/sync/engine_state.h"
#include "net/sync/filter_policy.h"

namespace petal::net {

using std::chrono::milliseconds;

namespace {

// So many at a time: few enough messages, and small enough steps for the pipeline never to run dry.
constexpr std::size_t kBlocksPerRequest = 250;
// A node reads ahead of what it sends; more would only be late elsewhere.
constexpr std::size_t kFullBlocksInFlight = 128;
// What lies in flight with a lone peer costs nobody anything: it puts into its filter itself what
// it finds. A fast one is asked for more, or it would be idle whenever we are at work on a batch.
constexpr std::size_t kLoneFactor = 4;
constexpr milliseconds kLoneReserve{200};

}  // namespace

bool SyncEngine::State::is_batch_due(Now now) {
    if (scan.ready_blocks() >= options.blocks_per_batch || scan.held_bytes() >= kHoldBytes ||
        scan.schedule().open() == 0 || (held_since && now.steady >= *held_since + kHoldTime)) {
        return true;
    }
    // What was spent meanwhile need not be in a new filter.
    return std::ranges::any_of(sessions, [this](const auto& entry) {
        return !entry.second.filter_stale && is_saturating(entry.second);
    });
}

void SyncEngine::State::apply_held() {
    held_since.reset();
    if (!scan.apply()) return;
    cached_watch_index.reset();
    discard_above(scan.next_height() - 1);
    for (auto& [peer, session] : sessions) session.filter_stale = true;
}

// What comes by the hundred, as a memory pool does, is stored together.
bool SyncEngine::State::are_unconfirmed_due(Now now) const {
    const bool is_last = listening_until && now.steady >= *listening_until;
    return scan.has_unstored() && (now.steady >= store_unconfirmed_at || is_last);
}

void SyncEngine::State::store_unconfirmed() {
    if (!scan.has_unstored()) return;
    const auto stored = scan.store_unconfirmed();
    ++status.stored_batches;
    cached_watch_index.reset();
    add_to_filters(stored.found);
    if (!stored.grew) return;
    for (auto& [peer, session] : sessions) {
        session.filter_stale = true;
        session.mempool_asked = false;
    }
    discard_above(scan.next_height() - 1);
    scan.restart();
}

void SyncEngine::State::discard_above(std::uint32_t height) {
    for (auto& [peer, session] : sessions) session.blocks.discard_above(height);
    cross_check.drop_above(height);
}

// One peer's headers are followed to their end; then the others are asked whether they have more.
void SyncEngine::State::follow_headers(Now now) {
    for (auto& [peer, session] : sessions) {
        if (!session.is_ready()) continue;
        session.headers_overdue = session.headers->waiting_since() &&
                                  now.steady >= session.headers_moved_at + kHeaderPatience;
        if (session.headers_overdue && header_peer == peer) header_peer.reset();
    }
    for (auto& [peer, session] : sessions) {
        if (!session.is_ready() || session.headers_asked) continue;
        if (header_peer && sessions.at(*header_peer).headers->waiting_since()) return;
        if (!header_peer) header_peer = peer;
        request_headers(session, now);
    }
}

// A peer that is asked for nothing needs no filter, and learns nothing.
void SyncEngine::State::serve(PeerSession& session, Now now) {
    if (!session.is_ready()) return;
    session.filter_stale |= is_saturating(session);
    while (true) {
        const Task task = next_task(session, now);
        if (task.blocks.empty()) return;
        refresh_filter(session);
        if (session.blocks.in_flight() == 0) session.served_at = now.steady;
        const auto asked_at = scan.memory().coverage.mark();
        for (Message& message :
             session.blocks.request(task.blocks, task.purpose, asked_at, random.next())) {
            send(session, std::move(message));
        }
        session.pace.on_asked(task.blocks.size(), session.blocks.in_flight(), now.steady);
    }
}

SyncEngine::State::Task SyncEngine::State::next_task(PeerSession& session, Now now) {
    const std::size_t window = window_of(session);
    const std::size_t in_flight = session.blocks.in_flight();
    const std::size_t share = std::clamp<std::size_t>(window / 4, 1, kBlocksPerRequest);
    if (in_flight > 0 && in_flight + share > window) return {};
    const std::uint32_t last = last_block_to_ask(session);
    const auto is_allowed = [&](PeerId first) { return may_cross_check(session, first); };
    auto blocks = cross_check.take(session.id, share, last, is_allowed, now.steady);
    if (!blocks.empty()) return {std::move(blocks), BlockPurpose::second_opinion};
    if (cross_check.is_full() && checks_pending()) return {};
    blocks = scan.take(session.id, share, last, now.steady);
    if (blocks.empty() && in_flight == 0 && sessions.size() > 1) {
        const auto wait = 2 * session.pace.expected_wait();
        blocks = scan.take_over(session.id, share, last, wait, now.steady);
    }
    return {std::move(blocks), BlockPurpose::scan};
}

std::uint32_t SyncEngine::State::last_block_of(const PeerSession& session) const {
    return std::min(std::max(session.claimed_height, session.shown_height), chain.tip().height);
}

// A filter must show the transactions that take the place of unconfirmed matches, so newer blocks
// than the matches wait until the timer has stored those. Blocks that their senders had do not: an
// honest node shows nothing that conflicts with its chain.
std::uint32_t SyncEngine::State::last_block_to_ask(const PeerSession& session) const {
    const std::uint32_t last = last_block_of(session);
    const bool waits = scan.has_unstored() && !options.full_blocks;
    return waits ? std::min(last, unconfirmed_seen_at) : last;
}

std::size_t SyncEngine::State::window_of(const PeerSession& session) {
    if (options.full_blocks) {
        return options.expected_peers > 1 ? session.pace.window(kFullBlocksInFlight)
                                          : kFullBlocksInFlight;
    }
    const std::size_t window = busy_window_of(session);
    // What is in flight can fill the filter before any other one reaches the peer.
    const double insertions = session.blocks.insertions_per_block();
    const double room = room_of(session);
    if (insertions * static_cast<double>(window) <= room) return window;
    return std::max<std::size_t>(static_cast<std::size_t>(room / insertions), 1);
}

// So much keeps the peer busy.
std::size_t SyncEngine::State::busy_window_of(const PeerSession& session) const {
    const std::size_t limit = options.blocks_in_flight;
    if (options.expected_peers > 1) return session.pace.window(limit);
    return std::max(limit, session.pace.window(kLoneFactor * limit, kLoneReserve));
}

double SyncEngine::State::room_of_next_filter() {
    const SyncCheckpoint& memory = scan.memory();
    return room_of_new_filter(scan.filter_base(),
                              memory.outpoints.size() + memory.unconfirmed.size());
}

// How many outpoints the filter may still get, the present one or the one that is due.
double SyncEngine::State::room_of(const PeerSession& session) {
    const Mirror* const mirror = session.blocks.mirror();
    if (mirror == nullptr || session.filter_stale) return room_of_next_filter();
    return mirror->room(busy_rate(mirror->initial_false_positive_rate()));
}

// Or has got so much that a new one would have more room, which is needed.
bool SyncEngine::State::is_saturating(const PeerSession& session) {
    const Mirror* const mirror = session.blocks.mirror();
    if (mirror == nullptr) return false;
    if (mirror->false_positive_rate() > worn_rate(mirror->initial_false_positive_rate())) {
        return true;
    }
    const double wanted =
        session.blocks.insertions_per_block() * static_cast<double>(busy_window_of(session));
    const auto insertions = static_cast<double>(mirror->insertions());
    return room_of(session) < wanted && insertions > room_of_next_filter() / 2;
}

// Made anew when the list has grown, or what is unconfirmed.
WatchIndex& SyncEngine::State::watch_index() {
    if (!cached_watch_index) {
        cached_watch_index.emplace(watcher.watch_list());
        cached_watch_index->match_also(scan.filter_base());
        for (const auto& outpoint : scan.memory().matched()) cached_watch_index->insert(outpoint);
    }
    return *cached_watch_index;
}

void SyncEngine::State::refresh_filter(PeerSession& session) {
    if (options.full_blocks) return;
    if (!std::exchange(session.filter_stale, false)) return;
    auto filter = make_filter(scan.filter_base(), watcher.watch_list().outpoints, scan.memory());
    send(session, session.blocks.load_filter(std::move(filter)));
    ++status.filter_loads;
}

bool SyncEngine::State::checks_pending() const {
    const auto can_ask = [this](PeerId first, std::uint32_t height) {
        return can_ask_about(first, height);
    };
    return cross_check.is_pending(can_ask, last_time);
}

void SyncEngine::State::listen(Now now) {
    if (!blocks_complete()) return;
    if (!listening_until) {
        listening_until = now.steady + options.wait_unconfirmed.value_or(milliseconds{0});
    }
    if (!options.wait_unconfirmed || scan.has_unstored()) return;
    for (auto& [peer, session] : sessions) {
        if (!session.is_ready() || session.mempool_asked || options.full_blocks) continue;
        session.mempool_asked = true;
        refresh_filter(session);
        send(session, Mempool{});
    }
}

}  // namespace petal::net
