#include "net/regtest/mempool/truc.h"

#include <algorithm>

namespace petal::net {
namespace {

constexpr std::int32_t kTrucVersion = 3;
constexpr std::size_t kMaxSize = 10'000;  // vB
constexpr std::size_t kMaxChildSize = 1'000;
constexpr std::size_t kMaxFamily = 2;

RegtestMempool::Positions other_descendants(const RegtestMempool& mempool, std::size_t parent) {
    auto descendants = mempool.with_descendants({parent});
    descendants.erase(parent);
    return descendants;
}

}  // namespace

bool violates_truc(const RegtestMempool& mempool, const chain::Transaction& transaction,
                   std::size_t size) {
    const auto parents = mempool.parents_of(transaction);
    const bool is_restricted = transaction.version == kTrucVersion;
    const auto is_of_other_kind = [&](std::size_t parent) {
        return (mempool.transactions()[parent].version == kTrucVersion) != is_restricted;
    };
    if (std::ranges::any_of(parents, is_of_other_kind)) return true;
    if (!is_restricted) return false;
    if (size > kMaxSize) return true;
    if (parents.empty()) return false;
    if (size > kMaxChildSize || mempool.with_ancestors(parents).size() + 1 > kMaxFamily) {
        return true;
    }
    const auto others = other_descendants(mempool, *parents.begin());
    if (others.empty() || truc_sibling(mempool, transaction)) return false;
    const auto conflicts = mempool.conflicts_of(transaction);
    return std::ranges::none_of(others, [&](std::size_t it) { return conflicts.contains(it); });
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

}  // namespace petal::net
