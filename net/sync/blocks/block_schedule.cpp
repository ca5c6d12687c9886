#include "net/sync/blocks/block_schedule.h"

#include <algorithm>
#include <cassert>

namespace petal::net {

std::vector<std::uint32_t> BlockSchedule::take(PeerId peer, std::size_t max, std::uint32_t last,
                                               const MayTake& may_take, Milliseconds now) {
    std::vector<std::uint32_t> heights;
    const auto assign = [&](std::uint32_t height) {
        open_[height] = {peer, now};
        helpers_.erase(height);
        heights.push_back(height);
    };
    for (auto next = again_.lowest(); next && *next <= last && heights.size() < max;) {
        const std::uint32_t height = *next;
        if (may_take(height)) {
            again_.remove(height);
            assign(height);
        }
        next = again_.lowest_above(height);
    }
    const std::uint32_t lowest = lowest_open().value_or(next_);
    while (heights.size() < max && next_ <= last && next_ - std::min(lowest, next_) < kMaxAhead) {
        assign(next_++);
    }
    return heights;
}

// The time from which the helper may be assigned the block, too; empty if it may not.
std::optional<BlockSchedule::Milliseconds> BlockSchedule::free_from(std::uint32_t height,
                                                                    const Open& open,
                                                                    const Helper& helper) const {
    if (open.peer == helper.peer || helpers_.contains(height)) return std::nullopt;
    if (!helper.may_take(height)) return std::nullopt;
    return open.since + helper.open_for;
}

std::vector<std::uint32_t> BlockSchedule::take_over(const Helper& helper, std::size_t max,
                                                    Milliseconds now) {
    std::vector<std::uint32_t> heights;
    for (const auto& [height, open] : open_) {
        if (heights.size() == max || height > helper.last) break;
        const auto from = free_from(height, open, helper);
        if (!from || now < *from) continue;
        helpers_[height] = helper.peer;
        heights.push_back(height);
    }
    return heights;
}

std::optional<BlockSchedule::Milliseconds> BlockSchedule::next_take_over(
    const Helper& helper) const {
    for (const auto& [height, open] : open_) {
        if (height > helper.last) break;
        // A block above may be free earlier, but the lowest one is the most urgent.
        if (const auto from = free_from(height, open, helper)) return from;
    }
    return std::nullopt;
}

void BlockSchedule::on_arrived(std::uint32_t height) {
    assert(open_.contains(height));
    open_.erase(height);
    helpers_.erase(height);
}

void BlockSchedule::on_lost(PeerId peer, const std::vector<std::uint32_t>& heights) {
    for (const std::uint32_t height : heights) {
        const auto found = open_.find(height);
        if (found == open_.end()) continue;
        Open& open = found->second;
        const auto helper = helpers_.find(height);
        if (helper == helpers_.end()) {
            if (open.peer != peer) continue;
            open_.erase(found);
            again_.add(height);
        } else if (open.peer == peer || helper->second == peer) {
            if (open.peer == peer) open.peer = helper->second;
            helpers_.erase(helper);
        }
    }
}

void BlockSchedule::restart_at(std::uint32_t height) {
    if (height == 0) {
        again_ = {};
    } else {
        again_.remove_above(height - 1);
    }
    open_.erase(open_.lower_bound(height), open_.end());
    helpers_.erase(helpers_.lower_bound(height), helpers_.end());
    next_ = std::min(next_, height);
}

HeightRanges BlockSchedule::requested_from_two() const {
    HeightRanges heights;
    for (const auto& [height, peer] : helpers_) heights.add(height);
    return heights;
}

std::optional<std::uint32_t> BlockSchedule::lowest_open() const {
    std::optional<std::uint32_t> lowest = again_.lowest();
    if (!open_.empty() && (!lowest || open_.begin()->first < *lowest)) {
        lowest = open_.begin()->first;
    }
    return lowest;
}

}  // namespace petal::net
