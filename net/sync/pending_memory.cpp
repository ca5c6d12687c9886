#include "net/sync/pending_memory.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace petal::net {

namespace {

constexpr std::size_t kOutpointBytes = 36;
constexpr std::size_t kLeastEntryBytes = 32 + 8 + 1 + 1;
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
    Pending pending{now, {}, std::move(coins)};
    for (const chain::TxInput& input : transaction.inputs) pending.inputs.push_back(input.prevout);
    const std::size_t more = pending.inputs.size() + pending.coins.size();
    return size() + more <= kMaxPendingOutpoints && insert(txid, std::move(pending));
}

bool PendingMemory::insert(const chain::Txid& txid, Pending pending) {
    if (transactions_.contains(txid)) return false;
    for (const auto* outpoints : {&pending.inputs, &pending.coins}) {
        for (const chain::Outpoint& outpoint : *outpoints) ++outpoints_[outpoint];
    }
    transactions_.emplace(txid, std::move(pending));
    return true;
}

PendingMemory::Transactions::iterator PendingMemory::erase(Transactions::iterator entry) {
    for (const auto* outpoints : {&entry->second.inputs, &entry->second.coins}) {
        for (const chain::Outpoint& outpoint : *outpoints) {
            const auto counted = outpoints_.find(outpoint);
            if (--counted->second == 0) outpoints_.erase(counted);
        }
    }
    return transactions_.erase(entry);
}

// What spends the same is impossible from then on, or is the transaction itself.
void PendingMemory::on_block(const chain::ProvenBlock& block) {
    std::unordered_set<chain::Outpoint> spent;
    for (const chain::ProvenTransaction& proven : block.transactions) {
        for (const chain::TxInput& input : proven.transaction.inputs) {
            if (contains(input.prevout)) spent.insert(input.prevout);
        }
    }
    if (spent.empty()) return;
    const auto is_spent = [&spent](const chain::Outpoint& input) { return spent.contains(input); };
    for (auto entry = transactions_.begin(); entry != transactions_.end();) {
        const bool is_over = std::ranges::any_of(entry->second.inputs, is_spent);
        entry = is_over ? erase(entry) : std::next(entry);
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
    }
}

PendingMemory PendingMemory::read(chain::ByteReader& reader) {
    PendingMemory memory;
    const std::size_t count = reader.read_count(kMaxPendingOutpoints, kLeastEntryBytes);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        const chain::Txid txid{reader.read_array<32>()};
        const std::uint64_t seen = reader.read_u64();
        std::vector<chain::Outpoint> inputs = read_outpoints(reader);
        std::vector<chain::Outpoint> coins = read_outpoints(reader);
        if (!reader.ok()) break;
        const bool is_new = memory.insert(
            txid, {static_cast<std::int64_t>(seen), std::move(inputs), std::move(coins)});
        if (!is_new || seen > kMaxTime || memory.size() > kMaxPendingOutpoints) {
            reader.fail(chain::DecodeError::invalid_value);
        }
    }
    return memory;
}

}  // namespace petal::net
