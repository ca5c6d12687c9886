#include "net/sync/filters/unconfirmed_matches.h"

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
constexpr std::size_t kMaxInFilters =
    kMaxUnconfirmedOutpoints + kMaxConfirmedOutpoints;  // once undone
constexpr std::size_t kMaxHeld = kMaxInFilters + kMaxConfirmedOutpoints;
constexpr std::uint64_t kMaxTime = 1ULL << 62;  // so that no sum overflows

chain::Outpoint read_outpoint(chain::ByteReader& reader) {
    chain::Outpoint outpoint;
    outpoint.txid.bytes = reader.read_array<32>();
    outpoint.index = reader.read_u32();
    return outpoint;
}

/// Half of what others leave of it.
bool has_share(std::size_t all, std::size_t own, std::size_t more, std::size_t most) {
    const std::size_t others = all - own;
    return others < most && own + more <= (most - others) / 2;
}

}  // namespace

std::size_t memory_bytes(const chain::Transaction& transaction) {
    std::size_t bytes = sizeof transaction;
    for (const chain::TxInput& input : transaction.inputs) {
        bytes += sizeof input + input.script_sig.size() + input.witness.serialized_items().size();
    }
    for (const chain::TxOutput& output : transaction.outputs) {
        bytes += sizeof output + output.script_pubkey.size();
    }
    return bytes;
}

UnconfirmedMatches::Source UnconfirmedMatches::source_of(chain::ByteView network_group) {
    const auto hash = chain::sha256({network_group});
    Source source = 0;
    std::memcpy(&source, hash.data(), sizeof source);
    return source;
}

UnconfirmedMatches::Answer UnconfirmedMatches::add(const chain::Transaction& transaction,
                                                   const chain::Txid& txid,
                                                   std::vector<MatchedOutput> coins,
                                                   const TxSource& source, bool is_judged) {
    if (const auto entry = transactions_.find(txid); entry != transactions_.end()) {
        if (!may_come_again(txid)) return Answer::known;
        entry->second.is_judged = is_judged;
        return Answer::again;
    }
    if (!has_room_for(transaction, coins.size(), source)) return Answer::no_room;
    Pending pending = pending_of(transaction, std::move(coins));
    pending.seen = source.time;
    pending.source = source_of(source.network_group);
    pending.bytes = static_cast<std::uint32_t>(memory_bytes(transaction));
    pending.is_shown = false;
    pending.is_judged = is_judged;
    return insert(txid, std::move(pending)) ? Answer::taken : Answer::no_room;
}

UnconfirmedMatches::Pending UnconfirmedMatches::pending_of(const chain::Transaction& transaction,
                                                           std::vector<MatchedOutput> coins) {
    Pending pending;
    pending.coins = std::move(coins);
    for (const chain::TxInput& input : transaction.inputs) pending.inputs.push_back(input.prevout);
    return pending;
}

void UnconfirmedMatches::add_confirmed(const chain::Transaction& transaction,
                                       const chain::Txid& txid, std::vector<MatchedOutput> coins,
                                       std::uint32_t height) {
    Pending pending = pending_of(transaction, std::move(coins));
    pending.resolution = Resolution::confirmed;
    pending.decided_at = height;
    insert(txid, std::move(pending));
}

std::vector<chain::Txid> UnconfirmedMatches::unjudged_spenders(
    const std::vector<MatchedOutput>& outputs) const {
    std::vector<chain::Txid> spenders;
    std::unordered_set<chain::Outpoint> spent;
    for (const auto& [outpoint, output] : outputs) {
        if (contains(outpoint)) spent.insert(outpoint);
    }
    if (spent.empty()) return spenders;
    const auto is_spent = [&spent](const chain::Outpoint& input) { return spent.contains(input); };
    for (const auto& [txid, pending] : transactions_) {
        if (!pending.may_come_again() || std::ranges::none_of(pending.inputs, is_spent)) continue;
        spenders.push_back(txid);
    }
    return spenders;
}

bool UnconfirmedMatches::may_come_again(const chain::Txid& txid) const {
    const auto entry = transactions_.find(txid);
    return entry != transactions_.end() && entry->second.may_come_again();
}

bool UnconfirmedMatches::is_shown(const chain::Txid& txid) const {
    const auto entry = transactions_.find(txid);
    return entry != transactions_.end() && entry->second.is_shown;
}

std::optional<P2wpkhOutput> UnconfirmedMatches::find_output(const chain::Outpoint& outpoint) const {
    const auto entry = transactions_.find(outpoint.txid);
    if (entry == transactions_.end()) return std::nullopt;
    const auto& coins = entry->second.coins;
    const auto index_of = [](const MatchedOutput& coin) { return coin.outpoint.index; };
    const auto coin = std::ranges::lower_bound(coins, outpoint.index, {}, index_of);
    if (coin == coins.end() || coin->outpoint != outpoint) return std::nullopt;
    return coin->output;
}

template <class Predicate>
void UnconfirmedMatches::forget_if(Predicate is_forgotten) {
    for (auto entry = transactions_.begin(); entry != transactions_.end();) {
        entry = is_forgotten(entry->second) ? erase(entry) : std::next(entry);
    }
}

// At most once a second, so that a flood costs no more than its transactions. A time that lies in
// the future was that of a clock that has been put right since.
void UnconfirmedMatches::forget_expired(std::int64_t now) {
    if (std::exchange(expired_at_, now) == now) return;
    forget_if([now](Pending& pending) {
        if (pending.resolution != Resolution::open) return false;
        if (pending.seen == 0) pending.seen = now;
        return pending.seen + chain::kUnconfirmedLifetime < now ||
               pending.seen - chain::kUnconfirmedLifetime > now;
    });
}

bool UnconfirmedMatches::has_room_for(const chain::Transaction& transaction, std::size_t coins,
                                      const TxSource& source) {
    if (transaction.weight() > chain::kMaxRelayedWeight) return false;
    forget_expired(source.time);
    const auto share = shares_.find(source_of(source.network_group));
    const Room own = share == shares_.end() ? Room{} : share->second;
    const std::size_t more = transaction.inputs.size() + coins;
    return has_share(in_filters_.outpoints, own.outpoints, more, kMaxUnconfirmedOutpoints) &&
           has_share(in_filters_.bytes, own.bytes, memory_bytes(transaction), kMaxUnconfirmedBytes);
}

bool UnconfirmedMatches::insert(const chain::Txid& txid, Pending pending) {
    const std::size_t more = pending.size();
    if (more == 0) return false;
    const auto [entry, is_new] = transactions_.emplace(txid, std::move(pending));
    if (!is_new) return false;
    held_ += more;
    if (entry->second.is_in_filters()) put_into_filters(entry->second);
    return true;
}

UnconfirmedMatches::Transactions::iterator UnconfirmedMatches::erase(Transactions::iterator entry) {
    if (entry->second.is_in_filters()) take_out_of_filters(entry->second);
    held_ -= entry->second.size();
    return transactions_.erase(entry);
}

void UnconfirmedMatches::put_into_filters(const Pending& pending) {
    for (Room* room : {&in_filters_, &shares_[pending.source]}) {
        room->outpoints += pending.size();
        room->bytes += pending.bytes;
    }
    for (const chain::Outpoint& input : pending.inputs) ++outpoints_[input];
    for (const MatchedOutput& coin : pending.coins) ++outpoints_[coin.outpoint];
}

void UnconfirmedMatches::take_out_of_filters(const Pending& pending) {
    const auto share = shares_.find(pending.source);
    for (Room* room : {&in_filters_, &share->second}) {
        room->outpoints -= pending.size();
        room->bytes -= pending.bytes;
    }
    if (share->second.outpoints == 0) shares_.erase(share);
    const auto take_out = [this](const chain::Outpoint& outpoint) {
        const auto counted = outpoints_.find(outpoint);
        if (--counted->second == 0) outpoints_.erase(counted);
    };
    for (const chain::Outpoint& input : pending.inputs) take_out(input);
    for (const MatchedOutput& coin : pending.coins) take_out(coin.outpoint);
}

void UnconfirmedMatches::decide(Pending& pending, Resolution resolution, std::uint32_t height) {
    if (pending.is_in_filters()) take_out_of_filters(pending);
    pending.resolution = resolution;
    pending.decided_at = height;
    pending.is_shown = true;    // by the block
    pending.is_judged = false;  // where the block is undone, the watcher may not know it
    if (pending.is_in_filters()) put_into_filters(pending);
}

// Whatever a block decides spends something that is in filters.
void UnconfirmedMatches::on_block(const chain::ProvenBlock& block) {
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
        const bool is_decided =
            pending.resolution != Resolution::open && pending.decided_at <= height;
        if (is_decided || std::ranges::none_of(pending.inputs, is_spent)) continue;
        decide(pending, confirmed.contains(txid) ? Resolution::confirmed : Resolution::impossible,
               height);
    }
}

void UnconfirmedMatches::forget_settled(std::uint32_t height) {
    forget_if([height](const Pending& pending) {
        return pending.resolution != Resolution::open &&
               std::uint64_t{pending.decided_at} + chain::kReorganisationReach < height;
    });
}

void UnconfirmedMatches::keep_last_confirmed() {
    if (held_ - in_filters_.outpoints <= kMaxConfirmedOutpoints) return;
    forget_if([kept_from = lowest_confirmed_kept()](const Pending& pending) {
        return pending.resolution == Resolution::confirmed && pending.decided_at < kept_from;
    });
}

// Where there are too many.
std::uint32_t UnconfirmedMatches::lowest_confirmed_kept() const {
    std::map<std::uint32_t, std::size_t, std::greater<>> sizes;
    for (const auto& [txid, pending] : transactions_) {
        if (pending.resolution == Resolution::confirmed)
            sizes[pending.decided_at] += pending.size();
    }
    std::size_t kept = 0;
    const auto is_too_much = [&kept](const auto& of_height) {
        return (kept += of_height.second) > kMaxConfirmedOutpoints;
    };
    return std::ranges::find_if(sizes, is_too_much)->first + 1;
}

void UnconfirmedMatches::undo_to(std::uint32_t height) {
    forget_if([this, height](Pending& pending) {
        if (pending.decided_at <= height) return false;
        const std::size_t all = in_filters_.outpoints + pending.size();
        if (!pending.is_in_filters() && all > kMaxInFilters) return true;
        decide(pending, Resolution::open, 0);
        return false;
    });
}

bool UnconfirmedMatches::is_open(const chain::Txid& txid) const {
    const auto entry = transactions_.find(txid);
    return entry != transactions_.end() && entry->second.resolution == Resolution::open;
}

std::vector<chain::Outpoint> UnconfirmedMatches::outpoints_of(const chain::Txid& txid) const {
    const auto entry = transactions_.find(txid);
    if (entry == transactions_.end() || !entry->second.is_in_filters()) return {};
    std::vector<chain::Outpoint> result = entry->second.inputs;
    for (const MatchedOutput& coin : entry->second.coins) result.push_back(coin.outpoint);
    return result;
}

void UnconfirmedMatches::mark_shown() {
    for (auto& [txid, pending] : transactions_) pending.is_shown = true;
}

std::vector<chain::Outpoint> UnconfirmedMatches::outpoints() const {
    std::vector<chain::Outpoint> result;
    result.reserve(outpoints_.size());
    for (const auto& [outpoint, count] : outpoints_) result.push_back(outpoint);
    return result;
}

void UnconfirmedMatches::write(chain::ByteWriter& writer) const {
    const auto is_shown = [](const auto& entry) { return entry.second.is_shown; };
    const auto shown = std::ranges::count_if(transactions_, is_shown);
    writer.compact_size(static_cast<std::uint64_t>(shown));
    for (const auto& [txid, pending] : transactions_) {
        if (!pending.is_shown) continue;
        writer.bytes(txid.view());
        write_transaction(writer, pending);
    }
}

void UnconfirmedMatches::write_transaction(chain::ByteWriter& writer, const Pending& pending) {
    writer.u64(static_cast<std::uint64_t>(pending.seen)).u64(pending.source).u32(pending.bytes);
    writer.compact_size(pending.inputs.size());
    for (const chain::Outpoint& input : pending.inputs) writer.bytes(input.serialize());
    writer.compact_size(pending.coins.size());
    for (const auto& [outpoint, output] : pending.coins) {
        writer.bytes(outpoint.serialize());
        write_p2wpkh_output(writer, output);
    }
    writer.u8(static_cast<std::uint8_t>(pending.resolution)).u32(pending.decided_at);
}

UnconfirmedMatches::Pending UnconfirmedMatches::read_transaction(chain::ByteReader& reader,
                                                                 bool with_outputs) {
    Pending pending;
    const std::uint64_t seen = reader.read_u64();
    pending.seen = static_cast<std::int64_t>(seen);
    pending.source = reader.read_u64();
    if (with_outputs) pending.bytes = reader.read_u32();
    pending.inputs.resize(reader.read_count(kMaxHeld, kOutpointBytes));
    for (chain::Outpoint& input : pending.inputs) input = read_outpoint(reader);
    pending.coins.resize(reader.read_count(kMaxHeld, kOutpointBytes));
    for (MatchedOutput& coin : pending.coins) {
        coin.outpoint = read_outpoint(reader);
        if (with_outputs) coin.output = read_p2wpkh_output(reader);
    }
    const std::uint8_t resolution = reader.read_u8();
    pending.resolution = static_cast<Resolution>(resolution);
    pending.decided_at = reader.read_u32();
    const bool is_sound = seen <= kMaxTime &&
                          resolution <= static_cast<std::uint8_t>(Resolution::impossible) &&
                          pending.bytes <= kMaxUnconfirmedBytes;
    if (!is_sound) reader.fail(chain::DecodeError::invalid_value);
    return pending;
}

UnconfirmedMatches UnconfirmedMatches::read(chain::ByteReader& reader, bool with_outputs) {
    UnconfirmedMatches memory;
    const std::size_t count = reader.read_count(kMaxHeld, kLeastPendingBytes);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        const chain::Txid txid{reader.read_array<32>()};
        Pending pending = read_transaction(reader, with_outputs);
        if (!reader.ok()) break;
        const bool has_room = pending.size() <= kMaxHeld - memory.held_;
        if (!has_room || !memory.insert(txid, std::move(pending))) {
            reader.fail(chain::DecodeError::invalid_value);
        }
    }
    return memory;
}

}  // namespace petal::net
