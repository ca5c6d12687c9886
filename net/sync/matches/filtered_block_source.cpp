#include "net/sync/matches/filtered_block_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "net/sync/filters/filter_policy.h"

namespace petal::net {

namespace {

// Blocks in flight from a single peer cost nothing: the peer inserts new outpoints itself.
constexpr std::size_t kLoneFactor = 4;
// Relative to the rate of a new filter, the rate up to which replacing a filter is not worthwhile.
constexpr double kAsGoodAsNew = 1.05;

}  // namespace

FilteredBlockSource::FilteredBlockSource(SyncContext& sync)
    : MatchSource(sync, {.block_timeout = sync.options.timeouts.answer,
                         .covers_as_of_request = true,
                         .loads_filters = true}) {
    sync.keeper.search_again_for_false_positives();
}

void FilteredBlockSource::request(SyncPeer& peer, std::span<const chain::BlockRef> blocks,
                                  BlockPurpose purpose) {
    prepare(peer);
    std::vector<WantedBlock> wanted;
    wanted.reserve(blocks.size());
    for (const chain::BlockRef& block : blocks) {
        const bool in_full = purpose == BlockPurpose::scan && full_blocks_.contains(block.hash);
        wanted.push_back({block, in_full ? BlockForm::full : BlockForm::filtered});
    }
    send_request(peer, wanted, purpose);
}

chain::Expected<std::optional<Delivery>, Violation> FilteredBlockSource::search(
    SyncPeer& peer, const FullBlock& block) {
    WatchIndex index = make_watch_index();  // few full blocks are requested
    return search_by(index, peer, block);
}

bool FilteredBlockSource::settle(Delivery& answer) {
    const chain::BlockRef& block = answer.block.block;
    if (answer.needs_full_block) request_in_full(block);
    return !answer.filter || !full_blocks_.contains(block.hash);
}

void FilteredBlockSource::on_watched_changed() {
    for (auto& [id, peer] : sync_.peers) peer.filter_stale = true;
}

bool FilteredBlockSource::must_apply_first() {
    return std::any_of(sync_.peers.begin(), sync_.peers.end(), [this](const auto& entry) {
        return !entry.second.filter_stale && is_saturating(entry.second);
    });
}

void FilteredBlockSource::prepare(SyncPeer& peer) {
    if (!std::exchange(peer.filter_stale, false)) return;
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

void FilteredBlockSource::on_found(const std::vector<chain::Outpoint>& outpoints,
                                   const SyncPeer* has_them) {
    for (auto& [id, peer] : sync_.peers) {
        if (&peer == has_them || peer.blocks.filter().latest() == nullptr) continue;
        for (const chain::Outpoint& outpoint : outpoints) {
            sync_.outbox.send(id, peer.blocks.add_to_filter(outpoint));
        }
    }
}

std::size_t FilteredBlockSource::busy_window(const SyncPeer& peer) const {
    const std::size_t limit = sync_.options.blocks.in_flight;
    if (sync_.options.expected_peers > 1) return peer.pacer.window(limit);
    return std::max(limit, peer.pacer.window(kLoneFactor * limit, kLoneReserve));
}

std::size_t FilteredBlockSource::window(SyncPeer& peer) {
    peer.filter_stale = peer.filter_stale || is_saturating(peer);
    const std::size_t window = busy_window(peer);
    const double insertions = peer.blocks.insertions_per_block();
    const double room = room_of(peer);
    if (insertions * static_cast<double>(window) <= room) return window;
    return std::max<std::size_t>(static_cast<std::size_t>(room / insertions), 1);
}

std::size_t FilteredBlockSource::outpoints_of_next_filter() const {
    const SyncCheckpoint& checkpoint = sync_.keeper.checkpoint();
    return checkpoint.outpoints.size() + checkpoint.unconfirmed.size();
}

double FilteredBlockSource::rate_of_next_filter() {
    return rate_of_new_filter(sync_.keeper.filter_base(), outpoints_of_next_filter());
}

double FilteredBlockSource::room_of_next_filter() {
    return room_of_new_filter(sync_.keeper.filter_base(), outpoints_of_next_filter());
}

// The number of outpoints for which the filter, the present one or the one that is due, has room.
double FilteredBlockSource::room_of(const SyncPeer& peer) {
    const Mirror* const mirror = peer.blocks.filter().latest();
    if (mirror == nullptr || peer.filter_stale) return room_of_next_filter();
    const double rate = std::max(mirror->initial_false_positive_rate(), rate_of_next_filter());
    return mirror->room(in_flight_rate(rate));
}

// The maximum number of blocks that will be in flight from the peer, as far as the chain is known.
std::size_t FilteredBlockSource::expected_in_flight(const SyncPeer& peer) const {
    const std::uint32_t end = sync_.chain.tip().height + 1;
    const std::size_t left = end - std::min(sync_.scan.schedule().next(), end);
    return std::min(busy_window(peer), peer.blocks.in_flight() + left);
}

// True if the rate has grown too much, or if the room of a new filter is needed. But the filter of
// a wallet with many coins fills with their outpoints, which a new filter would hold, too.
bool FilteredBlockSource::is_saturating(const SyncPeer& peer) {
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
