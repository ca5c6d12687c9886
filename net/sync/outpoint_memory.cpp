#include "net/sync/outpoint_memory.h"

#include <algorithm>

namespace petal::net {

namespace {

using chain::kReorganisationReach;

constexpr std::size_t kEntryBytes = 40;
// It is full only when it is asked whether it is, once a batch. A bound for what a damaged store
// can make us allocate.
constexpr std::uint64_t kMaxEntries = 4'000'000;

using Heights = std::unordered_map<chain::Outpoint, std::uint32_t>;

void write_heights(chain::ByteWriter& writer, const Heights& heights) {
    writer.compact_size(heights.size());
    for (const auto& [outpoint, height] : heights) {
        writer.bytes(outpoint.serialize()).u32(height);
    }
}

Heights read_heights(chain::ByteReader& reader) {
    Heights heights;
    const std::size_t count = reader.read_count(kMaxEntries, kEntryBytes);
    heights.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const chain::ByteView txid = reader.read_view(32);
        const std::uint32_t index = reader.read_u32();
        const std::uint32_t height = reader.read_u32();
        if (!reader.ok()) break;
        heights.emplace(chain::Outpoint{chain::Txid::from_view(txid), index}, height);
    }
    return heights;
}

}  // namespace

bool OutpointMemory::add(const chain::Outpoint& outpoint) {
    return !is_settled(outpoint) && spent_at_.try_emplace(outpoint, 0).second;
}

void OutpointMemory::on_block(const chain::ProvenBlock& block, std::uint32_t shown_to) {
    const std::uint32_t height = block.block.height;
    const bool is_deep = height + kReorganisationReach < shown_to;
    for (const chain::ProvenTransaction& proven : block.transactions) {
        for (const chain::TxInput& input : proven.transaction.inputs) {
            const auto entry = spent_at_.find(input.prevout);
            if (entry == spent_at_.end()) continue;
            entry->second = height;
            if (is_deep) settled_.insert(spent_at_.extract(entry));
        }
    }
    // Sweeping now and then keeps the cost of a block without matches at nothing.
    if (shown_to >= settled_below_ + 2 * kReorganisationReach) {
        settle_below(shown_to - kReorganisationReach);
    }
}

void OutpointMemory::settle_below(std::uint32_t height) {
    for (auto entry = spent_at_.begin(); entry != spent_at_.end();) {
        const auto spent = entry++;
        if (spent->second == 0 || spent->second >= height) continue;
        settled_.insert(spent_at_.extract(spent));
    }
    settled_below_ = height;
}

void OutpointMemory::forget_settled_below(std::uint32_t height) {
    if (height < forgotten_below_ + 2 * kReorganisationReach) return;
    forgotten_below_ = height - kReorganisationReach;
    std::erase_if(settled_, [this](const auto& entry) { return entry.second < forgotten_below_; });
}

void OutpointMemory::undo_to(std::uint32_t height) {
    for (auto& [outpoint, spent_at] : spent_at_) {
        if (spent_at > height) spent_at = 0;
    }
    for (auto entry = settled_.begin(); entry != settled_.end();) {
        const auto spent = entry++;
        if (spent->second <= height) continue;
        spent->second = 0;
        spent_at_.insert(settled_.extract(spent));
    }
    settled_below_ = std::min(settled_below_, height);
    forgotten_below_ = std::min(forgotten_below_, height);
}

void OutpointMemory::keep_only(const std::unordered_set<chain::Outpoint>& relevant) {
    std::erase_if(spent_at_, [&](const auto& entry) { return !relevant.contains(entry.first); });
}

void OutpointMemory::keep_settled(const std::unordered_set<chain::Outpoint>& relevant) {
    std::erase_if(settled_, [&](const auto& entry) { return !relevant.contains(entry.first); });
}

std::vector<chain::Outpoint> OutpointMemory::outpoints() const {
    std::vector<chain::Outpoint> result;
    result.reserve(spent_at_.size());
    for (const auto& [outpoint, spent_at] : spent_at_) result.push_back(outpoint);
    return result;
}

std::vector<chain::Outpoint> OutpointMemory::unspent() const {
    std::vector<chain::Outpoint> result;
    for (const auto& [outpoint, spent_at] : spent_at_) {
        if (spent_at == 0) result.push_back(outpoint);
    }
    return result;
}

void OutpointMemory::write(chain::ByteWriter& writer) const {
    write_heights(writer, spent_at_);
    write_heights(writer, settled_);
}

OutpointMemory OutpointMemory::read(chain::ByteReader& reader) {
    OutpointMemory memory;
    memory.spent_at_ = read_heights(reader);
    memory.settled_ = read_heights(reader);
    return memory;
}

}  // namespace petal::net
