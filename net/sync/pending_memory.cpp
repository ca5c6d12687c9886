#include "net/sync/pending_memory.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "chain/hash.h"

namespace petal::net {

namespace {

constexpr std::size_t kOutpointBytes = 36;
constexpr std::size_t kLeastPendingBytes = 32 + 8 + 8 + 1 + 1 + 1 + 4;
constexpr std::size_t kMaxInFilters = kMaxPendingOutpoints + kMaxConfirmedOutpoints;  // once undone
constexpr std::size_t kMaxHeld = kMaxInFilters + kMaxConfirmedOutpoints;
constexpr std::uint64_t kMaxTime = 1ULL << 62;  // so that no sum overflows

void write_outpoints(chain::ByteWriter& writer, const std::vector<chain::Outpoint>& outpoints) {
    writer.compact_size(outpoints.size());
    for (const chain::Outpoint& outpoint : outpoints) writer.bytes(outpoint.serialize());
}

std::vector<chain::Outpoint> read_outpoints(chain::ByteReader& reader) {
    std::vector<chain::Outpoint> outpoints(reader.read_count(kMaxHeld, kOutpointBytes));
    for (chain::Outpoint& outpoint : outpoints) {
        outpoint.txid.bytes = reader.read_array<32>();
        outpoint.index = reader.read_u32();
    }
    return outpoints;
}

}  // namespace

PendingMemory::Source PendingMemory::source_of(chain::ByteView network_group) {
    const auto hash = chain::sha256({network_group});
    Source source = 0;
    std::memcpy(&source, hash.data(), sizeof source);
    return source;
}

PendingMemory::Answer PendingMemory::add(const chain::Transaction& transaction,
                                         const chain::Txid& txid,
                                         std::vector<chain::Outpoint> coins,
                                         const Sighting& sighting) {
    if (transactions_.contains(txid)) return Answer::known;
    forget_expired(sighting.time);
    Pending pending = pending_of(transaction, std::move(coins));
    pending.seen = sighting.time;
    pending.source = source_of(sighting.network_group);
    pending.is_shown = false;
    if (!has_room(pending.source, pending.size())) return Answer::no_room;
    return insert(txid, std::move(pending)) ? Answer::taken : Answer::no_room;
}

PendingMemory::Pending PendingMemory::pending_of(const chain::Transaction& transaction,
                                                 std::vector<chain::Outpoint> coins) {
    Pending pending;
    pending.coins = std::move(coins);
    for (const chain::TxInput& input : transaction.inputs) pending.inputs.push_back(input.prevout);
    return pending;
}

void PendingMemory::add_confirmed(const chain::Transaction& transaction, const chain::Txid& txid,
                                  std::vector<chain::Outpoint> coins, std::uint32_t height) {
    Pending pending = pending_of(transaction, std::move(coins));
    pending.fate = Fate::confirmed;
    pending.decided_at = height;
    insert(txid, std::move(pending));
}

template <class Predicate>
void PendingMemory::forget_if(Predicate is_forgotten) {
    for (auto entry = transactions_.begin(); entry != transactions_.end();) {
        entry = is_forgotten(entry->second) ? erase(entry) : std::next(entry);
    }
}

// At most once a second, so that a flood costs no more than its transactions. A time that lies in
// the future was that of a clock that has been put right since.
void PendingMemory::forget_expired(std::int64_t now) {
    if (std::exchange(expired_at_, now) == now) return;
    forget_if([now](Pending& pending) {
        if (pending.fate != Fate::open) return false;
        if (pending.seen == 0) pending.seen = now;
        return pending.seen + kPendingLifetime < now || pending.seen - kPendingLifetime > now;
    });
}

bool PendingMemory::has_room(Source source, std::size_t more) const {
    const auto share = shares_.find(source);
    const std::size_t own = share == shares_.end() ? 0 : share->second;
    const std::size_t others = in_filters_ - own;
    return others < kMaxPendingOutpoints && own + more <= (kMaxPendingOutpoints - others) / 2;
}

bool PendingMemory::insert(const chain::Txid& txid, Pending pending) {
    const std::size_t more = pending.size();
    if (more == 0) return false;
    const auto [entry, is_new] = transactions_.emplace(txid, std::move(pending));
    if (!is_new) return false;
    held_ += more;
    if (entry->second.is_in_filters()) put_into_filters(entry->second);
    return true;
}

PendingMemory::Transactions::iterator PendingMemory::erase(Transactions::iterator entry) {
    if (entry->second.is_in_filters()) take_out_of_filters(entry->second);
    held_ -= entry->second.size();
    return transactions_.erase(entry);
}

void PendingMemory::put_into_filters(const Pending& pending) {
    in_filters_ += pending.size();
    shares_[pending.source] += pending.size();
    for (const auto* outpoints : {&pending.inputs, &pending.coins}) {
        for (const chain::Outpoint& outpoint : *outpoints) ++outpoints_[outpoint];
    }
}

void PendingMemory::take_out_of_filters(const Pending& pending) {
    in_filters_ -= pending.size();
    const auto share = shares_.find(pending.source);
    share->second -= pending.size();
    if (share->second == 0) shares_.erase(share);
    for (const auto* outpoints : {&pending.inputs, &pending.coins}) {
        for (const chain::Outpoint& outpoint : *outpoints) {
            const auto counted = outpoints_.find(outpoint);
            if (--counted->second == 0) outpoints_.erase(counted);
        }
    }
}

void PendingMemory::decide(Pending& pending, Fate fate, std::uint32_t height) {
    if (pending.is_in_filters()) take_out_of_filters(pending);
    pending.fate = fate;
    pending.decided_at = height;
    pending.is_shown = true;  // by the block
    if (pending.is_in_filters()) put_into_filters(pending);
}

// Whatever a block decides spends something that is in filters.
void PendingMemory::on_block(const chain::ProvenBlock& block) {
    const std::uint32_t height = block.block.height;
    std::unordered_set<chain::Txid> confirmed;
    std::unordered_set<chain::Outpoint> spent;
    for (const chain::ProvenTransaction& proven : block.transactions) {
        confirmed.insert(proven.txid);
        for (const chain::TxInput& input : proven.transaction.inputs) {
            if (contains(input.prevout)) spent.insert(input.prevout);
        }
    }
    if (spent.empty()) return;
    const auto is_spent = [&spent](const chain::Outpoint& input) { return spent.contains(input); };
    for (auto& [txid, pending] : transactions_) {
        // What several blocks make impossible is so from the lowest on.
        const bool is_decided = pending.fate != Fate::open && pending.decided_at <= height;
        if (is_decided || std::ranges::none_of(pending.inputs, is_spent)) continue;
        decide(pending, confirmed.contains(txid) ? Fate::confirmed : Fate::impossible, height);
    }
}

void PendingMemory::forget_settled(std::uint32_t height) {
    forget_if([height](const Pending& pending) {
        return pending.fate != Fate::open &&
               std::uint64_t{pending.decided_at} + chain::kReorganisationReach < height;
    });
}

void PendingMemory::keep_last_confirmed() {
    if (held_ - in_filters_ <= kMaxConfirmedOutpoints) return;
    forget_if([kept_from = lowest_confirmed_kept()](const Pending& pending) {
        return pending.fate == Fate::confirmed && pending.decided_at < kept_from;
    });
}

// Where there are too many.
std::uint32_t PendingMemory::lowest_confirmed_kept() const {
    std::map<std::uint32_t, std::size_t, std::greater<>> sizes;
    for (const auto& [txid, pending] : transactions_) {
        if (pending.fate == Fate::confirmed) sizes[pending.decided_at] += pending.size();
    }
    std::size_t kept = 0;
    const auto is_too_much = [&kept](const auto& of_height) {
        return (kept += of_height.second) > kMaxConfirmedOutpoints;
    };
    return std::ranges::find_if(sizes, is_too_much)->first + 1;
}

void PendingMemory::undo_to(std::uint32_t height) {
    forget_if([this, height](Pending& pending) {
        if (pending.decided_at <= height) return false;
        if (!pending.is_in_filters() && in_filters_ + pending.size() > kMaxInFilters) return true;
        decide(pending, Fate::open, 0);
        return false;
    });
}

bool PendingMemory::is_open(const chain::Txid& txid) const {
    const auto entry = transactions_.find(txid);
    return entry != transactions_.end() && entry->second.fate == Fate::open;
}

std::vector<chain::Outpoint> PendingMemory::outpoints_of(const chain::Txid& txid) const {
    const auto entry = transactions_.find(txid);
    if (entry == transactions_.end() || !entry->second.is_in_filters()) return {};
    std::vector<chain::Outpoint> result = entry->second.coins;
    result.insert(result.end(), entry->second.inputs.begin(), entry->second.inputs.end());
    return result;
}

void PendingMemory::mark_shown() {
    for (auto& [txid, pending] : transactions_) pending.is_shown = true;
}

std::vector<chain::Outpoint> PendingMemory::outpoints() const {
    std::vector<chain::Outpoint> result;
    result.reserve(outpoints_.size());
    for (const auto& [outpoint, count] : outpoints_) result.push_back(outpoint);
    return result;
}

void PendingMemory::write(chain::ByteWriter& writer) const {
    const auto is_shown = [](const auto& entry) { return entry.second.is_shown; };
    const auto shown = std::ranges::count_if(transactions_, is_shown);
    writer.compact_size(static_cast<std::uint64_t>(shown));
    for (const auto& [txid, pending] : transactions_) {
        if (!pending.is_shown) continue;
        writer.bytes(txid.view()).u64(static_cast<std::uint64_t>(pending.seen));
        writer.u64(pending.source);
        write_outpoints(writer, pending.inputs);
        write_outpoints(writer, pending.coins);
        writer.u8(static_cast<std::uint8_t>(pending.fate)).u32(pending.decided_at);
    }
}

PendingMemory PendingMemory::read(chain::ByteReader& reader) {
    PendingMemory memory;
    const std::size_t count = reader.read_count(kMaxHeld, kLeastPendingBytes);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        const chain::Txid txid{reader.read_array<32>()};
        const std::uint64_t seen = reader.read_u64();
        Pending pending;
        pending.seen = static_cast<std::int64_t>(seen);
        pending.source = reader.read_u64();
        pending.inputs = read_outpoints(reader);
        pending.coins = read_outpoints(reader);
        const std::uint8_t fate = reader.read_u8();
        pending.fate = static_cast<Fate>(fate);
        pending.decided_at = reader.read_u32();
        if (!reader.ok()) break;
        const bool is_sound =
            seen <= kMaxTime && fate <= static_cast<std::uint8_t>(Fate::impossible);
        const bool has_room = pending.size() <= kMaxHeld - memory.held_;
        if (!is_sound || !has_room || !memory.insert(txid, std::move(pending))) {
            reader.fail(chain::DecodeError::invalid_value);
        }
    }
    return memory;
}

}  // namespace petal::net
