#include "net/sync/pending_memory.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace petal::net {

namespace {

constexpr std::size_t kOutpointBytes = 36;
constexpr std::size_t kLeastEntryBytes = 32 + 8 + 1 + 1 + 1 + 4;
constexpr std::uint64_t kMaxTime = 1ULL << 62;  // so that no sum overflows

void write_outpoints(chain::ByteWriter& writer, const std::vector<chain::Outpoint>& outpoints) {
    writer.compact_size(outpoints.size());
    for (const chain::Outpoint& outpoint : outpoints) writer.bytes(outpoint.serialize());
}

std::vector<chain::Outpoint> read_outpoints(chain::ByteReader& reader) {
    std::vector<chain::Outpoint> outpoints(reader.read_count(kMaxPendingOutpoints, kOutpointBytes));
    for (chain::Outpoint& outpoint : outpoints) {
        outpoint.txid.bytes = reader.read_array<32>();
        outpoint.index = reader.read_u32();
    }
    return outpoints;
}

}  // namespace

bool PendingMemory::add(const chain::Transaction& transaction, const chain::Txid& txid,
                        std::vector<chain::Outpoint> coins, std::int64_t now) {
    for (auto entry = transactions_.begin(); entry != transactions_.end();) {
        entry = entry->second.seen + kPendingLifetime < now ? erase(entry) : std::next(entry);
    }
    Pending pending;
    pending.seen = now;
    pending.coins = std::move(coins);
    for (const chain::TxInput& input : transaction.inputs) pending.inputs.push_back(input.prevout);
    return insert(txid, std::move(pending));
}

// Counted with repetition, the bound also holds for the memory and what is stored of it.
bool PendingMemory::insert(const chain::Txid& txid, Pending pending) {
    const std::size_t more = pending.size();
    if (more == 0 || more > kMaxPendingOutpoints - held_) return false;
    const auto [entry, is_new] = transactions_.emplace(txid, std::move(pending));
    if (!is_new) return false;
    held_ += more;
    if (entry->second.fate != Fate::confirmed) put_into_filters(entry->second);
    return true;
}

PendingMemory::Transactions::iterator PendingMemory::erase(Transactions::iterator entry) {
    if (entry->second.fate != Fate::confirmed) take_out_of_filters(entry->second);
    held_ -= entry->second.size();
    return transactions_.erase(entry);
}

void PendingMemory::put_into_filters(const Pending& pending) {
    for (const auto* outpoints : {&pending.inputs, &pending.coins}) {
        for (const chain::Outpoint& outpoint : *outpoints) ++outpoints_[outpoint];
    }
}

void PendingMemory::take_out_of_filters(const Pending& pending) {
    for (const auto* outpoints : {&pending.inputs, &pending.coins}) {
        for (const chain::Outpoint& outpoint : *outpoints) {
            const auto counted = outpoints_.find(outpoint);
            if (--counted->second == 0) outpoints_.erase(counted);
        }
    }
}

void PendingMemory::decide(Pending& pending, Fate fate, std::uint32_t height) {
    if (pending.fate != Fate::confirmed) take_out_of_filters(pending);
    pending.fate = fate;
    pending.decided_at = height;
    if (pending.fate != Fate::confirmed) put_into_filters(pending);
}

void PendingMemory::on_block(const chain::ProvenBlock& block, std::uint32_t shown_to) {
    if (transactions_.empty()) return;
    const std::uint32_t height = block.block.height;
    std::unordered_set<chain::Txid> confirmed;
    std::unordered_set<chain::Outpoint> spent;
    for (const chain::ProvenTransaction& proven : block.transactions) {
        confirmed.insert(proven.txid);
        for (const chain::TxInput& input : proven.transaction.inputs) spent.insert(input.prevout);
    }
    const auto is_spent = [&spent](const chain::Outpoint& input) { return spent.contains(input); };
    for (auto entry = transactions_.begin(); entry != transactions_.end();) {
        auto& [txid, pending] = *entry;
        if (confirmed.contains(txid)) {
            decide(pending, Fate::confirmed, height);
        } else if (std::ranges::any_of(pending.inputs, is_spent)) {
            decide(pending, Fate::impossible, height);
        }
        const bool is_settled = pending.fate != Fate::open &&
                                pending.decided_at + chain::kReorganisationReach < shown_to;
        entry = is_settled ? erase(entry) : std::next(entry);
    }
}

void PendingMemory::undo_to(std::uint32_t height) {
    for (auto& [txid, pending] : transactions_) {
        if (pending.decided_at > height) decide(pending, Fate::open, 0);
    }
}

std::vector<chain::Outpoint> PendingMemory::outpoints() const {
    std::vector<chain::Outpoint> result;
    result.reserve(outpoints_.size());
    for (const auto& [outpoint, count] : outpoints_) result.push_back(outpoint);
    return result;
}

void PendingMemory::write(chain::ByteWriter& writer) const {
    writer.compact_size(transactions_.size());
    for (const auto& [txid, pending] : transactions_) {
        writer.bytes(txid.view()).u64(static_cast<std::uint64_t>(pending.seen));
        write_outpoints(writer, pending.inputs);
        write_outpoints(writer, pending.coins);
        writer.u8(static_cast<std::uint8_t>(pending.fate)).u32(pending.decided_at);
    }
}

PendingMemory PendingMemory::read(chain::ByteReader& reader) {
    PendingMemory memory;
    const std::size_t count = reader.read_count(kMaxPendingOutpoints, kLeastEntryBytes);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        const chain::Txid txid{reader.read_array<32>()};
        const std::uint64_t seen = reader.read_u64();
        Pending pending;
        pending.seen = static_cast<std::int64_t>(seen);
        pending.inputs = read_outpoints(reader);
        pending.coins = read_outpoints(reader);
        const std::uint8_t fate = reader.read_u8();
        pending.fate = static_cast<Fate>(fate);
        pending.decided_at = reader.read_u32();
        if (!reader.ok()) break;
        const bool is_sound =
            seen <= kMaxTime && fate <= static_cast<std::uint8_t>(Fate::impossible);
        if (!is_sound || !memory.insert(txid, std::move(pending))) {
            reader.fail(chain::DecodeError::invalid_value);
        }
    }
    return memory;
}

}  // namespace petal::net
