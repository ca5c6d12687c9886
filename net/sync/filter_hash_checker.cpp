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

std::uint32_t FilterHashChecker::number_of_server(SyncPeer& peer) {
    auto& number = peer.filter_hashes.server;
    if (!number) {
        number = static_cast<std::uint32_t>(servers_.size());
        servers_.push_back({peer.id(), node_of(peer)});
    }
    return *number;
}

// The lowest height may come late, as peers answer at different speeds.
void FilterHashChecker::on_searched(SyncPeer& peer, const Delivery& delivery) {
    const std::uint32_t height = delivery.block.block.height;
    agreed_.remove(height);
    earlier_.remove(height);
    disputes_.forget(height);
    for (auto& [id, other] : sync_.peers) other.filter_hashes.forget(height);
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
    filters_[height - base_] = {delivery.filter_hash, number_of_server(peer)};
    searched_.add(height);
    sync_.keeper.mark_uncompared(height);
}

void FilterHashChecker::drop_above(std::uint32_t height) {
    searched_.remove_above(height);
    agreed_.remove_above(height);
    earlier_.remove_above(height);
    filters_.resize(
        std::min<std::size_t>(filters_.size(), height < base_ ? 0 : height - base_ + 1));
    disputes_.drop_above(height);
    for (auto& [id, peer] : sync_.peers) peer.filter_hashes.forget_above(height);
}

/// The next blocks whose filters are to be compared with this peer's. Empty if there are none.
/// Blocks between them, which need no comparison, are included.
std::optional<FilterHashChecker::Range> FilterHashChecker::next_range(const SyncPeer& peer) const {
    if (!peer.is_ready() || silent_nodes_.contains(node_of(peer))) return std::nullopt;
    const auto first = searched_.lowest_not_in(peer.filter_hashes.asked);
    if (!first) return std::nullopt;
    const std::uint32_t last = std::min(*searched_.highest(), peer.last_known_block(sync_.chain));
    if (*first > last) return std::nullopt;
    return Range{*first, std::min(last, *first + kMaxFilterHashesPerMessage - 1)};
}

// A request is for as many hashes as possible, or for the last ones. A block that is searched again
// would be asked for again.
bool FilterHashChecker::is_due(const Range& range) const {
    if (sync_.scan.is_complete_but_for_disputes()) return true;
    return range.last - range.first + 1 == kMaxFilterHashesPerMessage &&
           range.last < sync_.scan.lowest_missing() && sync_.keeper.checkpoint().coverage.empty();
}

void FilterHashChecker::begin() {
    earlier_ = sync_.keeper.checkpoint().uncompared;
    earlier_.remove_above(sync_.scan.next_height() - 1);
    if (!source_.traits().has_compact_filters) search_again(std::exchange(earlier_, {}));
}

void FilterHashChecker::restart() {
    drop_above(sync_.chain.root().height);
    has_begun_ = false;
}

void FilterHashChecker::ask(Now now) {
    if (!std::exchange(has_begun_, true)) begin();
    punish_liars();
    if (has_answers_ && !awaits_handshakes()) settle();
    if (std::exchange(has_news_, false) && on_news) on_news();
    if (!earlier_.empty()) ask_for_earlier(now);
    if (searched_.empty()) return;
    disconnect_spent();
    for (auto& [id, peer] : sync_.peers) {
        while (peer.filter_hashes.open.size() < kRequestsInFlight) {
            const auto range = next_range(peer);
            if (!range || !is_due(*range)) break;
            request(peer, *range, now);
        }
    }
    if (!are_hashes_pending()) disputes_.act(now);
}

void FilterHashChecker::request(SyncPeer& peer, const Range& range, Now now) {
    const chain::BlockHash stop = sync_.chain.hash_at(range.last);
    peer.filter_hashes.open.push_back({range.first, range.last, stop, now.steady});
    peer.filter_hashes.asked.add(range.first, range.last);
    sync_.outbox.send(peer.id(), GetCFHeaders{BlockFilterType::basic, range.first, stop});
}

// The filters of an earlier run are not stored, so they are downloaded again. That is of use only
// if two nodes state hashes: each is asked for one first. The watcher does not count as covered
// above a block that is searched again. So the last blocks come first, a few at a time. Once the
// hashes of these blocks are compared, the next blocks follow. A peer that states a single hash
// costs a few filters.
void FilterHashChecker::ask_for_earlier(Now now) {
    if (!sync_.scan.complete() || is_pending()) return;
    const std::uint32_t known = last_block_of_two_nodes();
    if (known < *earlier_.lowest()) return;
    HeightRanges slice = earlier_;
    slice.remove_above(known);
    const std::uint32_t last = *slice.highest();
    std::set<std::string> stated;  // nodes
    for (auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready() || peer.last_known_block(sync_.chain) < last) continue;
        if (peer.filter_hashes.has_stated_earlier) {
            stated.insert(node_of(peer));
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
    std::map<std::string, std::uint32_t> last_blocks;  // by node
    for (auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        auto& last = last_blocks[node_of(peer)];
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
    if (is_current) return compare(peer, range, message);
    hashes.asked.remove(range.first, range.last);  // after a reorganisation
    return {};
}

Outcome FilterHashChecker::compare(SyncPeer& peer, const Range& range, const CFHeaders& message) {
    const std::string& node = node_of(peer);
    HeightRanges disputed;
    for (std::uint32_t height = range.first; height <= range.last; ++height) {
        if (!searched_.contains(height)) continue;
        const Searched& filter = filters_[height - base_];
        const Server& server = servers_[filter.server];
        const bool is_of_other_node = server.node != node;
        if (is_of_other_node) ++compared_;
        if (filter.hash == message.hashes[height - range.first]) {
            if (!is_of_other_node) continue;
            agreed_.add(height);
            peer.filter_hashes.agrees.add(height);
        } else if (server.peer != peer.id()) {
            disputed.add(height);
        } else {
            report_conflict(peer, height);
            return Unexpected(Violation{DisconnectReason::false_filter,
                                        "the filter of block " +
                                            sync_.chain.hash_at(height).to_hex() +
                                            " does not have the hash that the peer states"});
        }
    }
    if (disputed.empty()) return {};
    report_conflict(peer, *disputed.lowest());
    peer.filter_hashes.contradicts.add(disputed);
    sync_.scan.dispute(disputed);
    has_news_ = true;
    return {};
}

/// Once for each peer.
void FilterHashChecker::report_conflict(SyncPeer& peer, std::uint32_t height) {
    const bool is_known = std::exchange(peer.filter_hashes.has_contradicted, true);
    if (is_known || !sync_.events.on_filter_conflict) return;
    sync_.events.on_filter_conflict({{height, sync_.chain.hash_at(height)},
                                     servers_[filters_[height - base_].server].node,
                                     node_of(peer)});
}

// Not while a message is handled: its sender may be disconnected.
void FilterHashChecker::punish_liars() {
    for (const auto& [liar, why] : disputes_.take_convictions()) {
        if (SyncPeer* const connected = sync_.peers.find(liar)) {
            sync_.peers.drop(*connected, why);
            continue;
        }
        if (PeerReport* const gone = find_report(sync_.status.peers, liar)) ++gone->misbehaviour;
        search_again_by_others(liar, /*is_liar=*/true);
    }
}

/// Disconnects nodes whose disputes have cost too much.
void FilterHashChecker::disconnect_spent() {
    for (auto entry = sync_.peers.begin(); entry != sync_.peers.end();) {
        SyncPeer& peer = (entry++)->second;
        if (!peer.is_ready() || !disputes_.is_to_be_disconnected(peer.id())) continue;
        sync_.peers.drop(peer, {DisconnectReason::unproven_filters, ""});
    }
}

/// Whether the peer disputes another's filter, or its own filter is disputed.
bool FilterHashChecker::is_in_dispute(const SyncPeer& peer) const {
    const HeightRanges& disputed = sync_.scan.disputed();
    HeightRanges others = disputed;
    others.remove(peer.filter_hashes.contradicts);
    return others != disputed || !searched_by(peer.id(), disputed).empty();
}

void FilterHashChecker::on_lost(const SyncPeer& peer) {
    const PeerFilterHashes& stated = peer.filter_hashes;
    const bool is_liar = sync_.peers.report(peer.id()).ended == DisconnectReason::false_filter;
    has_answers_ = true;
    disputes_.on_lost(peer.id(), !is_liar && is_in_dispute(peer));
    search_again_by_others(peer.id(), is_liar);
    if (is_liar) {
        drop_agreement(peer);
        search_earlier_again(peer);
    } else {
        agreed_.remove(stated.contradicts);
    }
    HeightRanges no_longer_disputed = stated.contradicts;
    for (const auto& [id, other] : sync_.peers) {
        if (id != peer.id()) no_longer_disputed.remove(other.filter_hashes.contradicts);
    }
    sync_.scan.end_dispute(no_longer_disputed);
}

/// Those of the blocks that were searched by this peer's filter.
HeightRanges FilterHashChecker::searched_by(PeerId server, const HeightRanges& blocks) const {
    HeightRanges its;
    for (const auto& [first, last] : blocks.ranges()) {
        for (std::uint32_t height = first; height <= last; ++height) {
            if (servers_[filters_[height - base_].server].peer == server) its.add(height);
        }
    }
    return its;
}

void FilterHashChecker::search_again_by_others(PeerId server, bool is_liar) {
    const HeightRanges again = searched_by(server, is_liar ? searched_ : sync_.scan.disputed());
    if (again.empty()) return;
    sync_.scan.distrust(again);
    has_news_ = true;
}

// An earlier run may have searched the liar's filters, too. The blocks that no other peer has stay
// uncompared.
void FilterHashChecker::search_earlier_again(const SyncPeer& liar) {
    std::uint32_t known = 0;
    for (const auto& [id, peer] : sync_.peers) {
        if (id == liar.id() || !peer.is_ready()) continue;
        known = std::max(known, peer.chain.last_block(sync_.chain.tip().height));
    }
    HeightRanges again = earlier_;
    again.remove_above(known);
    if (again.empty()) return;
    earlier_.remove(again);
    sync_.scan.distrust(again);
    has_news_ = true;
}

void FilterHashChecker::drop_agreement(const SyncPeer& liar) {
    HeightRanges lost = liar.filter_hashes.agrees;
    for (const auto& [id, other] : sync_.peers) {
        if (id != liar.id()) lost.remove(other.filter_hashes.agrees);
    }
    agreed_.remove(lost);
    sync_.keeper.mark_uncompared(lost);
    has_news_ = has_news_ || !lost.empty();
}

bool FilterHashChecker::finish() {
    return has_answers_ && !awaits_handshakes() && settle();
}

// If the user has named the nodes, blocks wait for the handshakes of all, as those that have agreed
// may lie together. If a handshake is not complete when the run ends, the blocks stay uncompared.
bool FilterHashChecker::awaits_handshakes() const {
    if (sync_.options.has_substitutes) return false;
    return std::ranges::any_of(sync_.peers,
                               [](const auto& entry) { return !entry.second.is_ready(); });
}

// A block waits for the hashes of all peers that have completed the handshake. A peer that does not
// have the block yet counts, too: liars may show a block before honest peers have it.
bool FilterHashChecker::settle() {
    has_answers_ = false;
    HeightRanges settled = agreed_;
    for (const auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        settled.remove(peer.filter_hashes.contradicts);
        HeightRanges unstated = agreed_;
        unstated.remove(peer.filter_hashes.asked);
        for (const auto& open : peer.filter_hashes.open) unstated.add(open.first, open.last);
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
    return are_hashes_pending() || !sync_.scan.disputed().empty();
}

bool FilterHashChecker::are_hashes_pending() const {
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
        [this](const SyncPeer& peer, Due /*overdue*/) -> Outcome {
            silent_nodes_.insert(node_of(peer));
            return Unexpected(Violation{DisconnectReason::lacks_filters, "no hashes of filters"});
        });
}

}  // namespace petal::net
