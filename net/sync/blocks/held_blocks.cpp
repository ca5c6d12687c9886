#include "net/sync/blocks/held_blocks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "net/sync/filters/unconfirmed_matches.h"

namespace petal::net {

std::size_t bytes_of(const chain::ProvenBlock& block) {
    std::size_t bytes = 0;
    for (const auto& proven : block.transactions) {
        bytes += sizeof proven + memory_bytes(proven.transaction);
        bytes += proven.branch.size() * sizeof(chain::Hash256);
    }
    return bytes;
}

namespace {

// Both in block order.
void unite(std::vector<chain::ProvenTransaction>& transactions,
           std::vector<chain::ProvenTransaction> more) {
    transactions.insert(transactions.end(), std::make_move_iterator(more.begin()),
                        std::make_move_iterator(more.end()));
    std::ranges::sort(transactions, {}, &chain::ProvenTransaction::position);
    const auto same = [](const auto& a, const auto& b) { return a.position == b.position; };
    transactions.erase(std::unique(transactions.begin(), transactions.end(), same),
                       transactions.end());
}

}  // namespace

void HeldBlocks::set_applied(std::uint32_t height) {
    applied_ = height;
    count_ready();
}

HeightRanges HeldBlocks::add(chain::ProvenBlock block) {
    const std::uint32_t height = block.block.height;
    const auto [held, is_new] = blocks_.try_emplace(height);
    if (is_new) {
        held->second = std::move(block);
    } else {
        bytes_ -= bytes_of(held->second);
        unite(held->second.transactions, std::move(block.transactions));
    }
    bytes_ += bytes_of(held->second);
    if (is_new && height <= applied_) ++searched_again_;
    for (auto next = held; next != blocks_.end() && next->first == run_end_ + 1; ++next) ++run_end_;
    return make_room();
}

HeightRanges HeldBlocks::make_room() {
    HeightRanges dropped;
    while (bytes_ > max_bytes_ && blocks_.rbegin()->first > run_end_) {
        const std::uint32_t highest = blocks_.rbegin()->first;
        dropped.add(highest);
        drop_above(highest - 1);
        missing_at_last_drop_ = lowest_missing();
    }
    return dropped;
}

// A third of the memory is kept for blocks in flight. If that does not suffice, the highest blocks
// are dropped, and are not requested again before the lowest missing block has arrived. The lowest
// missing block may be requested from any peer, and so may the blocks that replace dropped ones, so
// that a peer that withholds them cannot stop the scan.
std::uint32_t HeldBlocks::last_to_request(std::uint32_t last) const {
    const bool is_full = bytes_ > max_bytes_ / 3 * 2 || lowest_missing() == missing_at_last_drop_;
    if (!is_full) return last;
    const auto lowest_waiting = blocks_.upper_bound(run_end_);
    const bool any_waits = lowest_waiting != blocks_.end();
    return std::min(last, any_waits ? lowest_waiting->first - 1 : lowest_missing());
}

void HeldBlocks::drop_above(std::uint32_t height) {
    while (!blocks_.empty() && blocks_.rbegin()->first > height) {
        bytes_ -= bytes_of(blocks_.rbegin()->second);
        blocks_.erase(std::prev(blocks_.end()));
    }
    missing_at_last_drop_ = 0;
    count_ready();
}

// Blocks that were searched again come first: they are the lower ones.
std::vector<chain::ProvenBlock> HeldBlocks::take_ready() {
    std::vector<chain::ProvenBlock> taken;
    const std::size_t count = ready();
    taken.reserve(count);
    while (taken.size() < count) {
        bytes_ -= bytes_of(blocks_.begin()->second);
        taken.push_back(std::move(blocks_.begin()->second));
        blocks_.erase(blocks_.begin());
    }
    count_ready();
    return taken;
}

void HeldBlocks::count_ready() {
    searched_again_ = 0;
    run_end_ = applied_;
    for (const auto& [height, block] : blocks_) {
        if (height <= applied_) {
            ++searched_again_;
        } else if (height == run_end_ + 1) {
            ++run_end_;
        } else {
            break;
        }
    }
}

HeightRanges HeldBlocks::searched_again() const {
    HeightRanges heights;
    for (const auto& [height, block] : blocks_) {
        if (height <= applied_) heights.add(height);
    }
    return heights;
}

}  // namespace petal::net
