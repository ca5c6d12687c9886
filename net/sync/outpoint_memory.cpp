#include "net/sync/outpoint_memory.h"

namespace petal::net {

namespace {

constexpr std::size_t kEntryBytes = 40;
// It is full only when it is asked whether it is, once a batch. A bound for what a damaged store
// can make us allocate.
constexpr std::uint64_t kMaxEntries = 4'000'000;

}  // namespace

bool OutpointMemory::add(const chain::Outpoint& outpoint) {
    return spent_at_.try_emplace(outpoint, 0).second;
}

void OutpointMemory::on_block(const chain::ProvenBlock& block, std::uint32_t tip) {
    const bool is_settled = block.block.height + kReorgReach < tip;
    for (const chain::ProvenTransaction& proven : block.transactions) {
        for (const chain::TxInput& input : proven.transaction.inputs) {
            const auto entry = spent_at_.find(input.prevout);
            if (entry == spent_at_.end()) continue;
            if (is_settled) {
                spent_at_.erase(entry);
            } else {
                entry->second = block.block.height;
            }
        }
    }
    // Sweeping now and then keeps the cost of a block without matches at nothing.
    if (tip >= forgotten_below_ + 2 * kReorgReach) forget_below(tip - kReorgReach);
}

void OutpointMemory::keep_only(const std::unordered_set<chain::Outpoint>& relevant) {
    std::erase_if(spent_at_, [&](const auto& entry) { return !relevant.contains(entry.first); });
}

void OutpointMemory::undo_to(std::uint32_t height) {
    for (auto& [outpoint, spent_at] : spent_at_) {
        if (spent_at > height) spent_at = 0;
    }
}

std::vector<chain::Outpoint> OutpointMemory::outpoints() const {
    std::vector<chain::Outpoint> result;
    result.reserve(spent_at_.size());
    for (const auto& [outpoint, spent_at] : spent_at_) result.push_back(outpoint);
    return result;
}

void OutpointMemory::write(chain::ByteWriter& writer) const {
    writer.compact_size(spent_at_.size());
    for (const auto& [outpoint, spent_at] : spent_at_) {
        writer.bytes(outpoint.serialize()).u32(spent_at);
    }
}

OutpointMemory OutpointMemory::read(chain::ByteReader& reader) {
    OutpointMemory memory;
    const std::size_t count = reader.read_count(kMaxEntries, kEntryBytes);
    memory.spent_at_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const chain::ByteView txid = reader.read_view(32);
        const std::uint32_t index = reader.read_u32();
        const std::uint32_t spent_at = reader.read_u32();
        if (!reader.ok()) break;
        memory.spent_at_.emplace(chain::Outpoint{chain::Txid::from_view(txid), index}, spent_at);
    }
    return memory;
}

void OutpointMemory::forget_below(std::uint32_t height) {
    std::erase_if(spent_at_, [height](const auto& entry) {
        return entry.second != 0 && entry.second < height;
    });
    forgotten_below_ = height;
}

}  // namespace petal::net
