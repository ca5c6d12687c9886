#include "net/sync/filter_hash_checker.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace petal::net {

using chain::Unexpected;
using std::chrono::milliseconds;

namespace {

// The number of requests in flight to a peer: enough to hide the latency. An answer has 64 kB.
constexpr std::size_t kRequestsInFlight = 4;

}  // namespace

// A connection is not compared with an earlier one to the same node.
std::uint32_t FilterHashChecker::number_of_node(const SyncPeer& peer) {
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    return nodes_.try_emplace(sync_.peers.report(peer.id()).node, next).first->second;
}

// The lowest height may come late, as peers answer at different speeds.
void FilterHashChecker::on_searched(const SyncPeer& peer, const Delivery& delivery) {
    const std::uint32_t height = delivery.block.block.height;
    agreed_.remove(height);
    earlier_.remove(height);
    if (delivery.form != BlockForm::compact_filter) {
        searched_.remove(height);
        sync_.keeper.mark_compared(height);
        return;
    }
    if (filters_.empty()) base_ = height;
    if (height < base_) {
        filters_.insert(filters_.begin(), base_ - height, {});
        base_ = height;
    }
    filters_.resize(std::max<std::size_t>(filters_.size(), height - base_ + 1));
    filters_[height - base_] = {delivery.filter_hash, number_of_node(peer)};
    searched_.add(height);
    sync_.keeper.mark_uncompared(height);
    for (auto& [id, other] : sync_.peers) other.filter_hashes.asked.remove(height);
}

void FilterHashChecker::drop_above(std::uint32_t height) {
    searched_.remove_above(height);
    agreed_.remove_above(height);
    earlier_.remove_above(height);
    filters_.resize(
        std::min<std::size_t>(filters_.size(), height < base_ ? 0 : height - base_ + 1));
    for (auto& [id, peer] : sync_.peers) peer.filter_hashes.asked.remove_above(height);
}

/// The next blocks whose filters are to be compared with this peer's. Empty if there are none.
/// Blocks between them, which need no comparison, are included.
std::optional<FilterHashChecker::Range> FilterHashChecker::next_range(const SyncPeer& peer) const {
    if (!peer.is_ready()) return std::nullopt;
    const auto first = searched_.lowest_not_in(peer.filter_hashes.asked);
    if (!first) return std::nullopt;
    const std::uint32_t last = std::min(*searched_.highest(), peer.last_known_block(sync_.chain));
    if (*first > last) return std::nullopt;
    return Range{*first, std::min(last, *first + kMaxFilterHashesPerMessage - 1)};
}

// A request is for as many hashes as possible, or for the last ones. A block that is searched again
// would be asked for again.
bool FilterHashChecker::is_due(const Range& range) const {
    if (sync_.scan.complete()) return true;
    return range.last - range.first + 1 == kMaxFilterHashesPerMessage &&
           range.last < sync_.scan.lowest_missing() && sync_.keeper.checkpoint().coverage.empty();
}

void FilterHashChecker::begin() {
    earlier_ = sync_.keeper.checkpoint().uncompared;
    earlier_.remove_above(sync_.scan.next_height() - 1);
    if (!source_.traits().has_compact_filters) search_again(std::exchange(earlier_, {}));
}

void FilterHashChecker::ask(Now now) {
    if (!std::exchange(has_begun_, true)) begin();
    if (has_answers_ && !awaits_handshakes()) settle();
    if (!earlier_.empty()) ask_for_earlier(now);
    if (searched_.empty()) return;
    for (auto& [id, peer] : sync_.peers) {
        while (peer.filter_hashes.open.size() < kRequestsInFlight) {
            const auto range = next_range(peer);
            if (!range || !is_due(*range)) break;
            request(peer, *range, now);
        }
    }
}

void FilterHashChecker::request(SyncPeer& peer, const Range& range, Now now) {
    const chain::BlockHash stop = sync_.chain.hash_at(range.last);
    peer.filter_hashes.open.push_back({range.first, range.last, stop, now.steady});
    peer.filter_hashes.asked.add(range.first, range.last);
    sync_.outbox.send(peer.id(), GetCFHeaders{BlockFilterType::basic, range.first, stop});
}

// The filters of an earlier run are not stored, so they are downloaded again. That is of use only
// if two nodes state hashes: each is asked for one first. The watcher does not count as covered
// above a block that is searched again. So the last blocks come first, a few at a time, and the
// next ones once these are compared: a peer that states one hash alone costs no more than these.
void FilterHashChecker::ask_for_earlier(Now now) {
    if (!sync_.scan.complete() || is_pending()) return;
    const std::uint32_t known = last_block_of_two_nodes();
    if (known < *earlier_.lowest()) return;
    HeightRanges slice = earlier_;
    slice.remove_above(known);
    const std::uint32_t last = *slice.highest();
    std::set<std::uint32_t> stated;
    for (auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready() || peer.last_known_block(sync_.chain) < last) continue;
        if (peer.filter_hashes.has_stated_earlier) {
            stated.insert(number_of_node(peer));
        } else if (!peer.filter_hashes.asked.contains(last)) {
            request(peer, {last, last}, now);
        }
    }
    if (stated.size() < 2) return;
    if (last >= kMaxFilterHashesPerMessage) {
        HeightRanges below;
        below.add(0, last - kMaxFilterHashesPerMessage);
        slice.remove(below);
    }
    earlier_.remove(slice);
    search_again(slice);
}

/// The highest block that two nodes have. 0 if fewer than two nodes are connected.
std::uint32_t FilterHashChecker::last_block_of_two_nodes() {
    std::map<std::uint32_t, std::uint32_t> last_blocks;  // by node
    for (auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        auto& last = last_blocks[number_of_node(peer)];
        last = std::max(last, peer.last_known_block(sync_.chain));
    }
    std::uint32_t highest = 0;
    std::uint32_t second = 0;
    for (const auto& [node, last] : last_blocks) {
        second = std::max(second, std::min(highest, last));
        highest = std::max(highest, last);
    }
    return second;
}

void FilterHashChecker::search_again(const HeightRanges& blocks) {
    if (blocks.empty()) return;
    sync_.scan.distrust(blocks);
    if (on_news) on_news();
}

Outcome FilterHashChecker::on_hashes(SyncPeer& peer, const CFHeaders& message, Now now) {
    auto& hashes = peer.filter_hashes;
    if (hashes.open.empty() || hashes.open.front().stop != message.stop) {
        return Unexpected(Violation{DisconnectReason::unrequested, "filter hashes"});
    }
    const Range range{hashes.open.front().first, hashes.open.front().last};
    if (message.hashes.size() != range.last - range.first + 1) {
        return Unexpected(Violation{DisconnectReason::incomplete,
                                    std::to_string(message.hashes.size()) + " filter hashes"});
    }
    hashes.open.pop_front();
    hashes.answered_at = now.steady;
    if (earlier_.contains(range.last)) hashes.has_stated_earlier = true;
    has_answers_ = true;
    const bool is_current =
        range.last <= sync_.chain.tip().height && sync_.chain.hash_at(range.last) == message.stop;
    if (is_current) {
        compare(peer, range, message);
    } else {
        hashes.asked.remove(range.first, range.last);  // after a reorganisation
    }
    ask(now);
    return {};
}

void FilterHashChecker::compare(SyncPeer& peer, const Range& range, const CFHeaders& message) {
    const std::uint32_t node = number_of_node(peer);
    HeightRanges doubtful;
    for (std::uint32_t height = range.first; height <= range.last; ++height) {
        if (!searched_.contains(height)) continue;
        const Searched& filter = filters_[height - base_];
        if (filter.node != node) ++compared_;
        if (filter.hash != message.hashes[height - range.first]) {
            doubtful.add(height);
            source_.request_in_full({height, sync_.chain.hash_at(height)});
        } else if (filter.node != node) {
            agreed_.add(height);
        }
    }
    if (doubtful.empty()) return;
    agreed_.remove(doubtful);
    if (!std::exchange(peer.filter_hashes.has_contradicted, true)) {
        report_conflict(peer, *doubtful.lowest());
    }
    search_again(doubtful);
}

void FilterHashChecker::report_conflict(const SyncPeer& peer, std::uint32_t height) {
    if (!sync_.events.on_filter_conflict) return;
    const std::uint32_t server = filters_[height - base_].node;
    const auto named =
        std::ranges::find(nodes_, server, [](const auto& node) { return node.second; });
    sync_.events.on_filter_conflict(
        {{height, sync_.chain.hash_at(height)}, named->first, sync_.peers.report(peer.id()).node});
}

bool FilterHashChecker::finish() {
    return has_answers_ && settle();
}

// If the user has named the nodes, blocks wait for the handshakes of all, as those that have agreed
// may lie together.
bool FilterHashChecker::awaits_handshakes() const {
    if (sync_.options.has_substitutes) return false;
    return std::ranges::any_of(sync_.peers,
                               [](const auto& entry) { return !entry.second.is_ready(); });
}

// A block waits for all peers that have completed the handshake.
bool FilterHashChecker::settle() {
    has_answers_ = false;
    HeightRanges settled = agreed_;
    for (const auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        HeightRanges unstated = agreed_;
        unstated.remove(peer.filter_hashes.asked);
        for (const auto& open : peer.filter_hashes.open) unstated.add(open.first, open.last);
        unstated.remove_above(peer.last_known_block(sync_.chain));
        settled.remove(unstated);
    }
    if (settled.empty()) return false;
    agreed_.remove(settled);
    sync_.keeper.mark_compared(settled);
    // This may be the last event of the run.
    if (sync_.scan.complete() && on_news) on_news();
    return true;
}

bool FilterHashChecker::is_pending() const {
    return std::ranges::any_of(sync_.peers, [this](const auto& entry) {
        return !entry.second.filter_hashes.open.empty() || next_range(entry.second);
    });
}

// Blocks that the peer has sent since count as progress: it answers in order.
std::optional<Deadline<FilterHashChecker::Due>> FilterHashChecker::next_deadline(
    const SyncPeer& peer) const {
    EarliestDeadline<Due> next;
    const PeerFilterHashes& hashes = peer.filter_hashes;
    if (!hashes.open.empty()) {
        const milliseconds since =
            std::max({hashes.open.front().sent, hashes.answered_at, peer.served_at});
        next.consider(since + sync_.options.timeouts.answer, Due::overdue);
    }
    return next.get();
}

std::optional<milliseconds> FilterHashChecker::wakes_at() const {
    return sync_.peers.earliest([this](const SyncPeer& peer) { return next_deadline(peer); });
}

void FilterHashChecker::on_wake(Now now) {
    sync_.peers.work_off_each(
        now, [this](const SyncPeer& peer) { return next_deadline(peer); },
        [](const SyncPeer& /*peer*/, Due /*overdue*/) -> Outcome {
            return Unexpected(Violation{DisconnectReason::lacks_filters, "no hashes of filters"});
        });
}

}  // namespace petal::net
