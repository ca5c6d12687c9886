#include "regtest/mempool/truc.h"

#include <algorithm>
#include <string_view>

namespace petal::regtest {
namespace {

constexpr std::int32_t kTrucVersion = 3;
constexpr std::size_t kMaxSize = 10'000;  // vB
constexpr std::size_t kMaxChildSize = 1'000;
constexpr std::size_t kMaxFamily = 2;

std::string name_of(const chain::Transaction& transaction) {
    return transaction.txid().to_hex() + " (wtxid=" + transaction.wtxid().to_hex() + ")";
}

RegtestMempool::Positions other_descendants(const RegtestMempool& mempool, std::size_t parent) {
    auto descendants = mempool.with_descendants({parent});
    descendants.erase(parent);
    return descendants;
}

}  // namespace

std::optional<std::string> truc_violation_of(const RegtestMempool& mempool,
                                             const chain::Transaction& transaction,
                                             std::size_t size) {
    const auto parents = mempool.parents_of(transaction);
    const bool is_restricted = transaction.version == kTrucVersion;
    for (const std::size_t parent : parents) {
        const auto& other = mempool.transactions()[parent];
        if ((other.version == kTrucVersion) == is_restricted) continue;
        std::string violation = is_restricted ? "version=3 tx " : "non-version=3 tx ";
        violation += name_of(transaction) + " cannot spend from ";
        violation += is_restricted ? "non-version=3 tx " : "version=3 tx ";
        return violation += name_of(other);
    }
    if (!is_restricted) return std::nullopt;
    const auto is_too_big = [&](std::string_view kind, std::size_t most) {
        return std::string(kind) + name_of(transaction) + " is too big: " + std::to_string(size) +
               " > " + std::to_string(most) + " virtual bytes";
    };
    if (size > kMaxSize) return is_too_big("version=3 tx ", kMaxSize);
    if (parents.empty()) return std::nullopt;
    if (mempool.with_ancestors(parents).size() + 1 > kMaxFamily) {
        return "tx " + name_of(transaction) + " would have too many ancestors";
    }
    if (size > kMaxChildSize) return is_too_big("version=3 child tx ", kMaxChildSize);
    const auto others = other_descendants(mempool, *parents.begin());
    if (others.empty() || truc_sibling(mempool, transaction)) return std::nullopt;
    const auto conflicts = mempool.conflicts_of(transaction);
    const auto is_conflict = [&](std::size_t it) { return conflicts.contains(it); };
    if (std::ranges::any_of(others, is_conflict)) return std::nullopt;
    return "tx " + name_of(mempool.transactions()[*parents.begin()]) +
           " would exceed descendant count limit";
}

std::optional<std::size_t> truc_sibling(const RegtestMempool& mempool,
                                        const chain::Transaction& transaction) {
    if (transaction.version != kTrucVersion) return std::nullopt;
    const auto parents = mempool.parents_of(transaction);
    if (parents.size() != 1) return std::nullopt;
    const auto others = other_descendants(mempool, *parents.begin());
    if (others.size() != 1) return std::nullopt;
    const std::size_t sibling = *others.begin();
    const bool has_other_parents = mempool.with_ancestors({sibling}).size() > kMaxFamily;
    if (has_other_parents || mempool.conflicts_of(transaction).contains(sibling)) {
        return std::nullopt;
    }
    return sibling;
}

}  // namespace petal::regtest
