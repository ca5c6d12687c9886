#include "wallet/spending/mini_miner.h"

#include <algorithm>
#include <cstdint>

namespace petal::wallet {

using chain::Satoshis;
using chain::Txid;

namespace {

using Index = std::unordered_map<Txid, std::size_t>;

Index index_of(std::span<const UnconfirmedRelative> relatives) {
    Index index;
    for (std::size_t i = 0; i < relatives.size(); ++i) index.emplace(relatives[i].txid, i);
    return index;
}

/// The indexes of the relatives with these txids and of all their ancestors.
std::vector<std::size_t> closure(std::span<const UnconfirmedRelative> relatives, const Index& index,
                                 std::span<const Txid> txids) {
    std::vector<std::size_t> result;
    std::vector<bool> seen(relatives.size());
    const auto add = [&](const Txid& txid) {
        const auto found = index.find(txid);
        if (found == index.end() || seen[found->second]) return;
        seen[found->second] = true;
        result.push_back(found->second);
    };
    for (const Txid& txid : txids) add(txid);
    for (std::size_t next = 0; next < result.size(); ++next) {
        for (const Txid& parent : relatives[result[next]].parents) add(parent);
    }
    return result;
}

double score_of(Satoshis fee, std::size_t size) {
    return static_cast<double>(fee) / static_cast<double>(size);
}

}  // namespace

MiniMiner::MiniMiner(std::span<const UnconfirmedRelative> relatives, FeeRate rate)
    : rate_(rate), index_(index_of(relatives)), outside_(relatives.size(), true) {
    entries_.reserve(relatives.size());
    for (const UnconfirmedRelative& relative : relatives) {
        entries_.push_back({std::max<Satoshis>(relative.fee.value_or(0), 0), relative.virtual_size,
                            closure(relatives, index_, {&relative.txid, 1})});
    }
    for (auto part = best_part(outside_); part && part->reaches_rate; part = best_part(outside_)) {
        for (const std::size_t taken : part->entries) outside_[taken] = false;
    }
}

Satoshis MiniMiner::bump_fee(std::span<const Txid> spent) const {
    Entries left(entries_.size());
    for (const Txid& txid : spent) {
        const auto found = index_.find(txid);
        if (found == index_.end()) continue;
        for (const std::size_t ancestor : entries_[found->second].ancestors) {
            left[ancestor] = outside_[ancestor];
        }
    }
    // Parts that do not reach the rate may together pay more than the rate, e.g. two children of
    // one parent. Miners with a cluster mempool take them without the payment.
    Satoshis fee = 0;
    while (const auto part = best_part(left)) {
        fee = std::max(fee, shortfall(left));
        for (const std::size_t taken : part->entries) left[taken] = false;
    }
    return fee;
}

MiniMiner::Part MiniMiner::with_ancestors(std::size_t entry, const Entries& left) const {
    Part part;
    for (const std::size_t ancestor : entries_[entry].ancestors) {
        if (!left[ancestor]) continue;
        part.entries.push_back(ancestor);
        part.fee += entries_[ancestor].fee;
        part.size += entries_[ancestor].size;
    }
    const auto& [own_fee, own_size, ancestors] = entries_[entry];
    part.score = std::min(score_of(part.fee, part.size), score_of(own_fee, own_size));
    part.reaches_rate = part.fee >= rate_.fee(part.size) && own_fee >= rate_.fee(own_size);
    return part;
}

std::optional<MiniMiner::Part> MiniMiner::best_part(const Entries& left) const {
    std::optional<Part> best;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (!left[i]) continue;
        Part part = with_ancestors(i, left);
        if (!best || part.score > best->score) best = std::move(part);
    }
    return best;
}

Satoshis MiniMiner::shortfall(const Entries& left) const {
    Satoshis fee = 0;
    std::size_t size = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (!left[i]) continue;
        fee += entries_[i].fee;
        size += entries_[i].size;
    }
    return rate_.fee(size) - fee;
}

std::vector<UnconfirmedRelative> ancestors_among(std::span<const UnconfirmedRelative> relatives,
                                                 std::span<const Txid> spent) {
    std::vector<UnconfirmedRelative> result;
    for (const std::size_t i : closure(relatives, index_of(relatives), spent)) {
        result.push_back(relatives[i]);
    }
    return result;
}

FeeRate package_rate(std::span<const UnconfirmedRelative> relatives, std::span<const Txid> spent,
                     std::size_t virtual_size, Satoshis fee) {
    std::int64_t reached = 0;
    std::int64_t above = FeeRate::kMaxSatPerKvb + 1;
    while (reached + 1 < above) {
        const std::int64_t middle = reached + (above - reached) / 2;
        const FeeRate rate{middle};
        const MiniMiner miner(relatives, rate);
        const bool is_paid = rate.fee(virtual_size) + miner.bump_fee(spent) <= fee;
        (is_paid ? reached : above) = middle;
    }
    return FeeRate{reached};
}

}  // namespace petal::wallet
