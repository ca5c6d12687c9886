#include "net/sync/filter_keeper.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "net/sync/filters/filter_policy.h"

namespace petal::net {

namespace {

// Nodes read ahead of their output: a longer queue at one peer would only delay blocks that other
// peers could send.
constexpr std::size_t kFullBlocksInFlight = 128;
// Blocks in flight from a single peer cost nothing: the peer inserts new outpoints itself. A fast
// peer gets more requests; otherwise it would be idle while we process a batch.
constexpr std::size_t kLoneFactor = 4;
constexpr std::chrono::milliseconds kLoneReserve{200};
// Relative to the rate of a new filter, the rate up to which replacing a filter is not worthwhile.
constexpr double kAsGoodAsNew = 1.05;

}  // namespace

WatchIndex& FilterKeeper::watch_index() {
    if (!watch_index_) {
        watch_index_.emplace(sync_.watcher.watched_elements(0), sync_.watcher.watched_outpoints());
        watch_index_->match_also(sync_.keeper.filter_base());
        for (const auto& outpoint : sync_.keeper.checkpoint().matched())
            watch_index_->insert(outpoint);
    }
    return *watch_index_;
}

void FilterKeeper::mark_all_stale() {
    for (auto& [id, peer] : sync_.peers) peer.filter_stale = true;
}

bool FilterKeeper::any_saturates() {
    return std::any_of(sync_.peers.begin(), sync_.peers.end(), [this](const auto& entry) {
        return !entry.second.filter_stale && is_saturating(entry.second);
    });
}

void FilterKeeper::refresh(SyncPeer& peer) {
    if (sync_.options.blocks.full || !std::exchange(peer.filter_stale, false)) return;
    PeerReport& report = sync_.peers.report(peer.id());
    const bool is_first = !std::exchange(report.has_filter, true);
    if (is_first && sync_.events.on_first_filter) sync_.events.on_first_filter(report);
    auto filter =
        make_filter(sync_.keeper.filter_base(), sync_.watcher.watched_outpoints().confirmed,
                    sync_.keeper.checkpoint());
    for (Message& message : peer.blocks.load_filter(std::move(filter), sync_.random.next())) {
        sync_.outbox.send(peer.id(), std::move(message));
    }
    ++sync_.status.counts.filter_loads;
}

void FilterKeeper::add_to_all(const std::vector<chain::Outpoint>& outpoints,
                              const SyncPeer* has_them) {
    for (auto& [id, peer] : sync_.peers) {
        if (&peer == has_them || peer.blocks.filter().latest() == nullptr) continue;
        for (const chain::Outpoint& outpoint : outpoints) {
            sync_.outbox.send(id, peer.blocks.add_to_filter(outpoint));
        }
    }
}

std::size_t FilterKeeper::busy_window(const SyncPeer& peer) const {
    const std::size_t limit = sync_.options.blocks.in_flight;
    if (sync_.options.expected_peers > 1) return peer.pace.window(limit);
    return std::max(limit, peer.pace.window(kLoneFactor * limit, kLoneReserve));
}

std::size_t FilterKeeper::window(const SyncPeer& peer) {
    if (sync_.options.blocks.full) {
        return sync_.options.expected_peers > 1 ? peer.pace.window(kFullBlocksInFlight)
                                                : kFullBlocksInFlight;
    }
    const std::size_t window = busy_window(peer);
    const double insertions = peer.blocks.insertions_per_block();
    const double room = room_of(peer);
    if (insertions * static_cast<double>(window) <= room) return window;
    return std::max<std::size_t>(static_cast<std::size_t>(room / insertions), 1);
}

std::size_t FilterKeeper::outpoints_of_next_filter() const {
    const SyncCheckpoint& checkpoint = sync_.keeper.checkpoint();
    return checkpoint.outpoints.size() + checkpoint.unconfirmed.size();
}

double FilterKeeper::rate_of_next_filter() {
    return rate_of_new_filter(sync_.keeper.filter_base(), outpoints_of_next_filter());
}

double FilterKeeper::room_of_next_filter() {
    return room_of_new_filter(sync_.keeper.filter_base(), outpoints_of_next_filter());
}

// The number of outpoints for which the filter, the present one or the one that is due, has room.
double FilterKeeper::room_of(const SyncPeer& peer) {
    const Mirror* const mirror = peer.blocks.filter().latest();
    if (mirror == nullptr || peer.filter_stale) return room_of_next_filter();
    const double rate = std::max(mirror->initial_false_positive_rate(), rate_of_next_filter());
    return mirror->room(in_flight_rate(rate));
}

// The maximum number of blocks that will be in flight from the peer, as far as the chain is known.
std::size_t FilterKeeper::expected_in_flight(const SyncPeer& peer) const {
    const std::uint32_t end = sync_.chain.tip().height + 1;
    const std::size_t left = end - std::min(sync_.scan.schedule().next(), end);
    return std::min(busy_window(peer), peer.blocks.in_flight() + left);
}

// True if the rate has grown too much, or if the room of a new filter is needed. But the filter of
// a wallet with many coins fills with their outpoints, which a new filter would hold, too.
bool FilterKeeper::is_saturating(const SyncPeer& peer) {
    const Mirror* const mirror = peer.blocks.filter().latest();
    if (mirror == nullptr) return false;
    if (mirror->false_positive_rate() <= kAsGoodAsNew * rate_of_next_filter()) return false;
    if (mirror->false_positive_rate() > reload_rate(mirror->initial_false_positive_rate())) {
        return true;
    }
    const double wanted =
        peer.blocks.insertions_per_block() * static_cast<double>(expected_in_flight(peer));
    const auto insertions = static_cast<double>(mirror->insertions());
    return room_of(peer) < wanted && insertions > room_of_next_filter() / 2;
}

}  // namespace petal::net
