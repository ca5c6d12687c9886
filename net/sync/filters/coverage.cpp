#include "net/sync/filters/coverage.h"

#include <algorithm>
#include <iterator>

namespace petal::net {

namespace {

// Above this number, single outpoints are not worth tracking: the blocks are searched again.
constexpr std::size_t kMaxOutpoints = 5'000;
constexpr std::size_t kLeastMissedBytes = 32 + 4 + 4 + 1;

}  // namespace

void Coverage::note_found(const chain::Outpoint& outpoint, std::uint32_t height,
                          const HeightRanges& missed) {
    ++mark_;
    if (missed.empty()) return;
    if (missed_.size() >= kMaxOutpoints) return note_doubtful(missed);
    Missed& entry = missed_[outpoint];
    entry.mark = mark_;
    entry.found_at = height;
    entry.blocks.add(missed);
    highest_missed_ = std::max(highest_missed_, missed.ranges().rbegin()->second);
}

// The mark moves, so that answers that are in flight do not cover these blocks.
void Coverage::note_doubtful(const HeightRanges& blocks) {
    if (blocks.empty()) return;
    doubtful_.add(blocks);
    doubtful_since_ = ++mark_;
}

void Coverage::on_served(std::uint32_t height, Mark asked_at) {
    if (asked_at >= doubtful_since_) doubtful_.remove(height);
    if (height > highest_missed_) return;
    for (auto entry = missed_.begin(); entry != missed_.end();) {
        Missed& missed = entry->second;
        if (missed.mark <= asked_at) missed.blocks.remove(height);
        entry = missed.blocks.empty() ? missed_.erase(entry) : std::next(entry);
    }
    if (missed_.empty()) highest_missed_ = 0;
}

void Coverage::on_spent(const chain::Outpoint& outpoint) {
    missed_.erase(outpoint);
}

void Coverage::drop_above(std::uint32_t height) {
    doubtful_.remove_above(height);
    for (auto entry = missed_.begin(); entry != missed_.end();) {
        HeightRanges& blocks = entry->second.blocks;
        blocks.remove_above(height);
        entry = blocks.empty() ? missed_.erase(entry) : std::next(entry);
    }
    highest_missed_ = std::min(highest_missed_, height);
}

void Coverage::keep_only(const std::unordered_set<chain::Outpoint>& relevant,
                         std::uint32_t height) {
    std::erase_if(missed_, [&](const auto& entry) {
        return entry.second.found_at <= height && !relevant.contains(entry.first);
    });
}

HeightRanges Coverage::open() const {
    HeightRanges all = doubtful_;
    for (const auto& [outpoint, missed] : missed_) all.add(missed.blocks);
    return all;
}

void Coverage::write(chain::ByteWriter& writer) const {
    doubtful_.write(writer);
    writer.compact_size(missed_.size());
    for (const auto& [outpoint, missed] : missed_) {
        writer.bytes(outpoint.serialize()).u32(missed.found_at);
        missed.blocks.write(writer);
    }
}

Coverage Coverage::read(chain::ByteReader& reader) {
    Coverage result;
    result.doubtful_ = HeightRanges::read(reader);
    const std::size_t count = reader.read_count(kMaxOutpoints, kLeastMissedBytes);
    for (std::size_t i = 0; i < count; ++i) {
        const chain::ByteView txid = reader.read_view(32);
        const std::uint32_t index = reader.read_u32();
        Missed missed;
        missed.found_at = reader.read_u32();
        missed.blocks = HeightRanges::read(reader);
        if (!reader.ok()) break;
        if (missed.blocks.empty()) continue;
        result.highest_missed_ =
            std::max(result.highest_missed_, missed.blocks.ranges().rbegin()->second);
        result.missed_[{chain::Txid::from_view(txid), index}] = std::move(missed);
    }
    return result;
}

}  // namespace petal::net
