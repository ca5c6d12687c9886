#include "net/sync/filters/height_ranges.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <limits>

namespace petal::net {

namespace {

constexpr std::size_t kRangeBytes = 8;
// Far more than a scan leaves open; bounds the allocation for a damaged store.
constexpr std::uint64_t kMaxRanges = 1'000'000;

}  // namespace

void HeightRanges::add(std::uint32_t from, std::uint32_t to) {
    assert(from <= to && to < std::numeric_limits<std::uint32_t>::max());
    const auto above = ranges_.upper_bound(from);
    const bool extends = above != ranges_.begin() && std::prev(above)->second + 1 >= from;
    const auto range = extends ? std::prev(above) : ranges_.emplace_hint(above, from, to);
    range->second = std::max(range->second, to);
    for (auto next = std::next(range); next != ranges_.end() && next->first <= range->second + 1;) {
        range->second = std::max(range->second, next->second);
        next = ranges_.erase(next);
    }
}

void HeightRanges::add(const HeightRanges& other) {
    for (const auto& [from, to] : other.ranges_) add(from, to);
}

void HeightRanges::remove(std::uint32_t from, std::uint32_t to) {
    assert(from <= to);
    auto range = ranges_.upper_bound(from);
    if (range != ranges_.begin()) --range;
    while (range != ranges_.end() && range->first <= to) {
        const auto [first, last] = *range;
        if (last < from) {
            ++range;
            continue;
        }
        range = ranges_.erase(range);
        if (first < from) ranges_.emplace_hint(range, first, from - 1);
        if (last > to) range = ranges_.emplace_hint(range, to + 1, last);
    }
}

void HeightRanges::remove(const HeightRanges& other) {
    for (const auto& [from, to] : other.ranges_) remove(from, to);
}

void HeightRanges::remove_above(std::uint32_t height) {
    ranges_.erase(ranges_.upper_bound(height), ranges_.end());
    if (ranges_.empty()) return;
    std::uint32_t& to = ranges_.rbegin()->second;
    to = std::min(to, height);
}

bool HeightRanges::contains(std::uint32_t height) const {
    const auto after = ranges_.upper_bound(height);
    return after != ranges_.begin() && std::prev(after)->second >= height;
}

std::optional<std::uint32_t> HeightRanges::lowest() const {
    if (ranges_.empty()) return std::nullopt;
    return ranges_.begin()->first;
}

std::optional<std::uint32_t> HeightRanges::lowest_above(std::uint32_t height) const {
    const auto next = ranges_.upper_bound(height);
    if (next != ranges_.begin() && std::prev(next)->second > height) return height + 1;
    if (next == ranges_.end()) return std::nullopt;
    return next->first;
}

std::optional<std::uint32_t> HeightRanges::highest() const {
    if (ranges_.empty()) return std::nullopt;
    return ranges_.rbegin()->second;
}

// One step for each range of `other`, not for each range of this set.
std::optional<std::uint32_t> HeightRanges::lowest_not_in(const HeightRanges& other) const {
    auto height = lowest();
    while (height) {
        const auto above = other.ranges_.upper_bound(*height);
        if (above == other.ranges_.begin() || std::prev(above)->second < *height) return height;
        const std::uint32_t next = std::prev(above)->second + 1;
        const auto after = ranges_.upper_bound(next);
        const bool is_within = after != ranges_.begin() && std::prev(after)->second >= next;
        height = is_within                ? std::optional(next)
                 : after != ranges_.end() ? std::optional(after->first)
                                          : std::nullopt;
    }
    return height;
}

std::uint64_t HeightRanges::size() const {
    std::uint64_t heights = 0;
    for (const auto& [from, to] : ranges_) heights += to - from + 1;
    return heights;
}

void HeightRanges::write(chain::ByteWriter& writer) const {
    writer.compact_size(ranges_.size());
    for (const auto& [from, to] : ranges_) writer.u32(from).u32(to);
}

HeightRanges HeightRanges::read(chain::ByteReader& reader) {
    HeightRanges result;
    const std::size_t count = reader.read_count(kMaxRanges, kRangeBytes);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t from = reader.read_u32();
        const std::uint32_t to = reader.read_u32();
        if (!reader.ok()) break;
        if (from > to || to == std::numeric_limits<std::uint32_t>::max()) {
            reader.fail(chain::DecodeError::invalid_value);
            break;
        }
        result.add(from, to);
    }
    return result;
}

}  // namespace petal::net
