#include "net/sync/filters/coverage.h"

#include <algorithm>
#include <iterator>

namespace petal::net {

namespace {

// Above this number, single outpoints are not worth tracking: the blocks are searched again.
constexpr std::size_t kMaxOutpoints = 5'000;
constexpr std::size_t kLeastMissedBytes = 32 + 4 + 4 + 1;

}  // namespace

/// Changes each record, and drops those without blocks.
template <class Change>
void Coverage::for_each_record(Change change) {
    for (Records* const records : {&missed_, &spent_}) {
        for (auto entry = records->begin(); entry != records->end();) {
            change(entry->second);
            entry = entry->second.blocks.empty() ? records->erase(entry) : std::next(entry);
        }
    }
}

void Coverage::add_found(const chain::Outpoint& outpoint, std::uint32_t height,
                         const HeightRanges& missed) {
    ++mark_;
    if (missed.empty()) return;
    if (missed_.size() >= kMaxOutpoints) return distrust(missed);
    Missed& entry = missed_[outpoint];
    entry.mark = mark_;
    entry.found_at = height;
    entry.blocks.add(missed);
    highest_missed_ = std::max(highest_missed_, missed.ranges().rbegin()->second);
}

// The mark moves, so that answers that are in flight do not cover these blocks.
void Coverage::distrust(const HeightRanges& blocks) {
    if (blocks.empty()) return;
    doubtful_.add(blocks);
    doubtful_since_ = ++mark_;
}

void Coverage::on_served(std::uint32_t height, Mark asked_at) {
    if (asked_at >= doubtful_since_) doubtful_.remove(height);
    if (height > highest_missed_) return;
    for_each_record([&](Missed& missed) {
        if (missed.mark <= asked_at) missed.blocks.remove(height);
    });
    if (missed_.empty() && spent_.empty()) highest_missed_ = 0;
}

void Coverage::on_spent(const chain::Outpoint& outpoint, std::uint32_t height) {
    const auto spent = spent_.find(outpoint);
    if (spent != spent_.end()) spent->second.spent_at = std::min(spent->second.spent_at, height);
    const auto missed = missed_.find(outpoint);
    // Without room, the blocks are searched again.
    if (missed == missed_.end() || spent_.size() >= kMaxOutpoints) return;
    missed->second.spent_at = height;
    move_record(missed_, missed, spent_);
}

void Coverage::forget_spent(std::uint32_t height) {
    std::erase_if(spent_, [&](const auto& entry) { return entry.second.spent_at < height; });
}

void Coverage::drop_above(std::uint32_t height) {
    for_each_record([&](Missed& missed) { missed.blocks.remove_above(height); });
    for (auto entry = spent_.begin(); entry != spent_.end();) {
        const auto next = std::next(entry);
        if (entry->second.spent_at > height) return_spent(entry);
        entry = next;
    }
    doubtful_.remove_above(height);
    highest_missed_ = std::min(highest_missed_, height);
}

void Coverage::return_spent(Records::iterator record) {
    if (missed_.size() >= kMaxOutpoints && !missed_.contains(record->first)) {
        distrust(record->second.blocks);
        spent_.erase(record);
        return;
    }
    record->second.spent_at = 0;
    move_record(spent_, record, missed_);
}

void Coverage::move_record(Records& from, Records::iterator record, Records& to) {
    const auto inserted = to.insert(from.extract(record));
    if (!inserted.inserted) inserted.position->second.blocks.add(inserted.node.mapped().blocks);
}

void Coverage::keep_only(const std::unordered_set<chain::Outpoint>& relevant,
                         std::uint32_t height) {
    for (Records* const records : {&missed_, &spent_}) {
        std::erase_if(*records, [&](const auto& entry) {
            return entry.second.found_at <= height && !relevant.contains(entry.first);
        });
    }
}

HeightRanges Coverage::open() const {
    HeightRanges all = doubtful_;
    for (const auto& [outpoint, missed] : missed_) all.add(missed.blocks);
    return all;
}

void Coverage::write(chain::ByteWriter& writer) const {
    doubtful_.write(writer);
    writer.compact_size(missed_.size());
    for (const auto& [outpoint, missed] : missed_) write_record(writer, outpoint, missed);
    writer.compact_size(spent_.size());
    for (const auto& [outpoint, missed] : spent_) {
        write_record(writer, outpoint, missed);
        writer.u32(missed.spent_at);
    }
}

void Coverage::write_record(chain::ByteWriter& writer, const chain::Outpoint& outpoint,
                            const Missed& missed) {
    writer.bytes(outpoint.serialize()).u32(missed.found_at);
    missed.blocks.write(writer);
}

Coverage Coverage::read(chain::ByteReader& reader, bool with_spent) {
    Coverage result;
    result.doubtful_ = HeightRanges::read(reader);
    result.missed_ = result.read_records(reader, false);
    if (with_spent) result.spent_ = result.read_records(reader, true);
    return result;
}

Coverage::Records Coverage::read_records(chain::ByteReader& reader, bool are_spent) {
    Records records;
    const std::size_t count = reader.read_count(kMaxOutpoints, kLeastMissedBytes);
    for (std::size_t i = 0; i < count; ++i) {
        const chain::ByteView txid = reader.read_view(32);
        const std::uint32_t index = reader.read_u32();
        Missed missed;
        missed.found_at = reader.read_u32();
        missed.blocks = HeightRanges::read(reader);
        if (are_spent) missed.spent_at = reader.read_u32();
        if (!reader.ok()) break;
        if (missed.blocks.empty()) continue;
        highest_missed_ = std::max(highest_missed_, missed.blocks.ranges().rbegin()->second);
        records[{chain::Txid::from_view(txid), index}] = std::move(missed);
    }
    return records;
}

}  // namespace petal::net
