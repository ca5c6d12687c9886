#include "net/sync/filters/unconfirmed_matches.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace petal::net {

namespace {

constexpr std::size_t kTxidBytes = 32;
constexpr std::size_t kMaxInFilters =
    kMaxUnconfirmedOutpoints + kMaxConfirmedOutpoints;  // once undone
constexpr std::size_t kMaxHeld = kMaxInFilters + kMaxConfirmedOutpoints;

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

UnconfirmedMatches::AddResult UnconfirmedMatches::add(const chain::Transaction& transaction,
                                                      const chain::Txid& txid,
                                                      std::vector<MatchedOutput> coins,
                                                      const FirstSeen& first_seen, bool is_judged) {
    forget_expired(first_seen.time);
    if (const auto entry = matches_.find(txid); entry != matches_.end()) {
        UnconfirmedMatch& known = entry->second;
        const NetGroupId sender = net_group_id(first_seen.network_group);
        if (!known.may_come_again_from(sender)) return AddResult::known;
        if (known.is_undone()) {
            if (!has_room_for(transaction, known.coins.size(), first_seen)) {
                return AddResult::no_room;
            }
            in_filters_.remove(known);
            known.seen = first_seen.time;
            known.network_group = sender;
            known.bytes = static_cast<std::uint32_t>(memory_bytes(transaction));
            in_filters_.add(known);
        }
        known.senders.push_back(sender);
        known.is_judged = is_judged;
        return AddResult::again;
    }
    if (!has_room_for(transaction, coins.size(), first_seen)) return AddResult::no_room;
    UnconfirmedMatch match(transaction, std::move(coins));
    match.seen = first_seen.time;
    match.network_group = net_group_id(first_seen.network_group);
    match.senders = {match.network_group};
    match.bytes = static_cast<std::uint32_t>(memory_bytes(transaction));
    match.is_shown = false;
    match.is_judged = is_judged;
    return insert(txid, std::move(match)) ? AddResult::taken : AddResult::no_room;
}

void UnconfirmedMatches::add_confirmed(const chain::Transaction& transaction,
                                       const chain::Txid& txid, std::vector<MatchedOutput> coins,
                                       std::uint32_t height) {
    if (const auto known = matches_.find(txid); known != matches_.end()) {
        if (!known->second.is_in_filters() && height < known->second.decided_at) {
            known->second.decided_at = height;
        }
        return;
    }
    UnconfirmedMatch match(transaction, std::move(coins));
    match.resolution = Resolution::confirmed;
    match.decided_at = height;
    insert(txid, std::move(match));
}

std::vector<chain::Txid> UnconfirmedMatches::reopen_unjudged_spenders(
    const std::vector<MatchedOutput>& outputs) {
    std::vector<chain::Txid> spenders;
    std::unordered_set<chain::Outpoint> spent;
    for (const auto& [outpoint, output] : outputs) {
        if (contains(outpoint)) spent.insert(outpoint);
    }
    if (spent.empty()) return spenders;
    const auto is_spent = [&spent](const chain::Outpoint& input) { return spent.contains(input); };
    for (auto& [txid, match] : matches_) {
        if (!match.is_unjudged() || std::ranges::none_of(match.inputs, is_spent)) continue;
        match.senders.clear();
        spenders.push_back(txid);
    }
    return spenders;
}

const UnconfirmedMatch* UnconfirmedMatches::find(const chain::Txid& txid) const {
    const auto entry = matches_.find(txid);
    return entry == matches_.end() ? nullptr : &entry->second;
}

std::optional<chain::TxOutput> UnconfirmedMatches::find_output(
    const chain::Outpoint& outpoint) const {
    const UnconfirmedMatch* const match = find(outpoint.txid);
    if (match == nullptr) return std::nullopt;
    const auto& coins = match->coins;
    const auto index_of = [](const MatchedOutput& coin) { return coin.outpoint.index; };
    const auto coin = std::ranges::lower_bound(coins, outpoint.index, {}, index_of);
    if (coin == coins.end() || coin->outpoint != outpoint) return std::nullopt;
    return coin->output;
}

template <class Predicate>
void UnconfirmedMatches::forget_if(Predicate is_forgotten) {
    for (auto entry = matches_.begin(); entry != matches_.end();) {
        entry = is_forgotten(entry->second) ? erase(entry) : std::next(entry);
    }
}

// At most once a second, so that a flood costs no more than its transactions. A time in the future
// was set by a clock that has been corrected since.
void UnconfirmedMatches::forget_expired(std::int64_t now) {
    if (std::exchange(expired_at_, now) == now) return;
    forget_if([now](UnconfirmedMatch& match) {
        if (!match.is_open()) return false;
        if (match.seen == 0) match.seen = now;
        return match.seen + chain::kUnconfirmedLifetime < now ||
               match.seen - chain::kUnconfirmedLifetime > now;
    });
}

bool UnconfirmedMatches::has_room_for(const chain::Transaction& transaction, std::size_t coins,
                                      const FirstSeen& first_seen) {
    if (transaction.weight() > chain::kMaxRelayedWeight) return false;
    forget_expired(first_seen.time);
    return in_filters_.has_room(net_group_id(first_seen.network_group),
                                {transaction.inputs.size() + coins, memory_bytes(transaction)},
                                {kMaxUnconfirmedOutpoints, kMaxUnconfirmedBytes});
}

bool UnconfirmedMatches::insert(const chain::Txid& txid, UnconfirmedMatch match) {
    const std::size_t more = match.size();
    if (more == 0) return false;
    const auto [entry, is_new] = matches_.emplace(txid, std::move(match));
    if (!is_new) return false;
    held_ += more;
    if (entry->second.is_in_filters()) in_filters_.add(entry->second);
    return true;
}

UnconfirmedMatches::Matches::iterator UnconfirmedMatches::erase(Matches::iterator entry) {
    if (entry->second.is_in_filters()) in_filters_.remove(entry->second);
    held_ -= entry->second.size();
    return matches_.erase(entry);
}

void UnconfirmedMatches::decide(UnconfirmedMatch& match, Resolution resolution,
                                std::uint32_t height) {
    if (match.is_in_filters()) in_filters_.remove(match);
    match.resolution = resolution;
    match.decided_at = height;
    match.is_shown = true;    // by the block
    match.is_judged = false;  // if the block is undone, the watcher may not know it
    match.senders.clear();
    if (match.is_in_filters()) in_filters_.add(match);
}

// A block that confirms or conflicts with a match spends an outpoint that filters hold.
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
    for (auto& [txid, match] : matches_) {
        // A transaction that conflicts with several blocks counts as conflicted from the lowest of
        // them.
        const bool is_decided = !match.is_open() && match.decided_at <= height;
        if (is_decided || std::ranges::none_of(match.inputs, is_spent)) continue;
        decide(match, confirmed.contains(txid) ? Resolution::confirmed : Resolution::impossible,
               height);
    }
}

void UnconfirmedMatches::forget_settled(std::uint32_t height) {
    forget_if([height](const UnconfirmedMatch& match) {
        return !match.is_open() &&
               std::uint64_t{match.decided_at} + chain::kReorganisationReach < height;
    });
}

void UnconfirmedMatches::keep_last_confirmed() {
    if (held_ - in_filters_.taken() <= kMaxConfirmedOutpoints) return;
    forget_if([kept_from = lowest_confirmed_kept()](const UnconfirmedMatch& match) {
        return match.resolution == Resolution::confirmed && match.decided_at < kept_from;
    });
}

// The height of the lowest confirmed matches to keep if there are too many.
std::uint32_t UnconfirmedMatches::lowest_confirmed_kept() const {
    std::map<std::uint32_t, std::size_t, std::greater<>> sizes;
    for (const auto& [txid, match] : matches_) {
        if (match.resolution == Resolution::confirmed) sizes[match.decided_at] += match.size();
    }
    std::size_t kept = 0;
    const auto is_too_much = [&kept](const auto& of_height) {
        return (kept += of_height.second) > kMaxConfirmedOutpoints;
    };
    return std::ranges::find_if(sizes, is_too_much)->first + 1;
}

void UnconfirmedMatches::undo_to(std::uint32_t height) {
    forget_if([this, height](UnconfirmedMatch& match) {
        if (match.decided_at <= height) return false;
        const std::size_t all = in_filters_.taken() + match.size();
        if (!match.is_in_filters() && all > kMaxInFilters) return true;
        decide(match, Resolution::open, 0);
        return false;
    });
}

void UnconfirmedMatches::forget_undone() {
    forget_if([](const UnconfirmedMatch& match) { return match.is_undone(); });
}

std::vector<chain::Outpoint> UnconfirmedMatches::outpoints_of(const chain::Txid& txid) const {
    const UnconfirmedMatch* const match = find(txid);
    if (match == nullptr || !match->is_in_filters()) return {};
    return match->outpoints();
}

void UnconfirmedMatches::mark_shown() {
    for (auto& [txid, match] : matches_) match.is_shown = true;
}

void UnconfirmedMatches::write(chain::ByteWriter& writer) const {
    const auto is_shown = [](const auto& entry) { return entry.second.is_shown; };
    const auto shown = std::ranges::count_if(matches_, is_shown);
    writer.compact_size(static_cast<std::uint64_t>(shown));
    for (const auto& [txid, match] : matches_) {
        if (!match.is_shown) continue;
        writer.bytes(txid.view());
        match.write(writer);
    }
}

UnconfirmedMatches UnconfirmedMatches::read(chain::ByteReader& reader, bool with_outputs) {
    UnconfirmedMatches memory;
    const std::size_t count =
        reader.read_count(kMaxHeld, kTxidBytes + UnconfirmedMatch::kLeastBytes);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        const chain::Txid txid{reader.read_array<32>()};
        UnconfirmedMatch match = UnconfirmedMatch::read(reader, kMaxHeld, with_outputs);
        if (!reader.ok()) break;
        const bool has_room =
            match.size() <= kMaxHeld - memory.held_ && match.bytes <= kMaxUnconfirmedBytes;
        if (!has_room || !memory.insert(txid, std::move(match))) {
            reader.fail(chain::DecodeError::invalid_value);
        }
    }
    return memory;
}

}  // namespace petal::net
