#include "net/sync/filter_hash_checker.h"

#include <algorithm>
#include <string>

namespace petal::net {

using chain::Unexpected;
using std::chrono::milliseconds;

// The lowest height may come late, as peers answer at different speeds.
void FilterHashChecker::on_searched(SyncPeer& peer, const Delivery& delivery) {
    const std::uint32_t height = delivery.block.block.height;
    if (delivery.form != BlockForm::compact_filter) {
        searched_.remove(height);
        return;
    }
    if (hashes_.empty()) base_ = height;
    if (height < base_) {
        hashes_.insert(hashes_.begin(), base_ - height, {});
        base_ = height;
    }
    hashes_.resize(std::max<std::size_t>(hashes_.size(), height - base_ + 1));
    hashes_[height - base_] = delivery.filter_hash;
    searched_.add(height);
    for (auto& [id, other] : sync_.peers) other.filter_hashes.compared.remove(height);
    peer.filter_hashes.compared.add(height);
}

void FilterHashChecker::drop_above(std::uint32_t height) {
    searched_.remove_above(height);
    hashes_.resize(std::min<std::size_t>(hashes_.size(), height < base_ ? 0 : height - base_ + 1));
    for (auto& [id, peer] : sync_.peers) peer.filter_hashes.compared.remove_above(height);
}

/// The next blocks whose filters are to be compared with this peer's. Empty if there are none.
std::optional<FilterHashChecker::Range> FilterHashChecker::next_range(const SyncPeer& peer) const {
    if (!peer.is_ready()) return std::nullopt;
    HeightRanges open = searched_;
    open.remove(peer.filter_hashes.compared);
    open.remove_above(peer.chain.last_block(sync_.chain.tip().height));
    if (open.empty()) return std::nullopt;
    const auto [first, last] = *open.ranges().begin();
    return Range{first, std::min(last, first + kMaxFilterHashesPerMessage - 1)};
}

// A request is for as many hashes as possible, or for the last ones.
void FilterHashChecker::ask(Now now) {
    if (searched_.empty()) return;
    for (auto& [id, peer] : sync_.peers) {
        if (peer.filter_hashes.open) continue;
        const auto range = next_range(peer);
        if (!range) continue;
        const bool is_whole = range->last - range->first + 1 == kMaxFilterHashesPerMessage;
        if (!is_whole && !sync_.scan.complete()) continue;
        const chain::BlockHash stop = sync_.chain.hash_at(range->last);
        peer.filter_hashes.open = {range->first, range->last, stop, now.steady};
        sync_.outbox.send(id, GetCFHeaders{BlockFilterType::basic, range->first, stop});
    }
}

Outcome FilterHashChecker::on_hashes(SyncPeer& peer, const CFHeaders& message, Now now) {
    auto& [compared, open] = peer.filter_hashes;
    if (!open || open->stop != message.stop) {
        return Unexpected(Violation{DisconnectReason::unrequested, "filter hashes"});
    }
    const Range range{open->first, open->last};
    open.reset();
    if (message.hashes.size() != range.last - range.first + 1) {
        return Unexpected(Violation{DisconnectReason::incomplete,
                                    std::to_string(message.hashes.size()) + " filter hashes"});
    }
    const bool is_current =
        range.last <= sync_.chain.tip().height && sync_.chain.hash_at(range.last) == message.stop;
    if (!is_current) return {};  // after a reorganisation
    HeightRanges doubtful;
    for (std::uint32_t height = range.first; height <= range.last; ++height) {
        if (!searched_.contains(height)) continue;
        compared.add(height);
        ++compared_;
        if (hashes_[height - base_] == message.hashes[height - range.first]) continue;
        doubtful.add(height);
        source_.request_in_full({height, sync_.chain.hash_at(height)});
    }
    if (!doubtful.empty()) {
        sync_.scan.distrust(doubtful);
        if (on_doubt) on_doubt();
    }
    ask(now);
    return {};
}

bool FilterHashChecker::is_pending() const {
    return std::ranges::any_of(sync_.peers, [this](const auto& entry) {
        return entry.second.filter_hashes.open || next_range(entry.second);
    });
}

std::optional<Deadline<FilterHashChecker::Due>> FilterHashChecker::next_deadline(
    const SyncPeer& peer) const {
    EarliestDeadline<Due> next;
    const auto& open = peer.filter_hashes.open;
    if (open) next.consider(open->sent + sync_.options.timeouts.answer, Due::overdue);
    return next.get();
}

std::optional<milliseconds> FilterHashChecker::wakes_at() const {
    return sync_.peers.earliest([this](const SyncPeer& peer) { return next_deadline(peer); });
}

void FilterHashChecker::on_wake(Now now) {
    sync_.peers.work_off_each(
        now, [this](const SyncPeer& peer) { return next_deadline(peer); },
        [](const SyncPeer& /*peer*/, Due /*overdue*/) -> Outcome {
            return Unexpected(Violation{DisconnectReason::timed_out, "filter hashes"});
        });
}

}  // namespace petal::net
