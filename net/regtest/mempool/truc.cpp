#include "net/regtest/mempool/truc.h"

#include <algorithm>

namespace petal::net {
namespace {

constexpr std::int32_t kTrucVersion = 3;
constexpr std::size_t kMaxSize = 10'000;  // vB
constexpr std::size_t kMaxChildSize = 1'000;
constexpr std::size_t kMaxFamily = 2;

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
    const auto family = mempool.with_descendants(parents);
    if (family.size() + 1 <= kMaxFamily || truc_sibling(mempool, transaction)) return false;
    const auto conflicts = mempool.conflicts_of(transaction);
    return std::ranges::none_of(family, [&](std::size_t member) {
        return !parents.contains(member) && conflicts.contains(member);
    });
}

std::optional<std::size_t> truc_sibling(const RegtestMempool& mempool,
                                        const chain::Transaction& transaction) {
    if (transaction.version != kTrucVersion) return std::nullopt;
    const auto parents = mempool.parents_of(transaction);
    auto family = mempool.with_descendants(parents);
    if (parents.size() != 1 || family.size() != kMaxFamily) return std::nullopt;
    family.erase(*parents.begin());
    const std::size_t sibling = *family.begin();
    const bool has_other_parents = mempool.with_ancestors({sibling}).size() > kMaxFamily;
    if (has_other_parents || mempool.conflicts_of(transaction).contains(sibling)) {
        return std::nullopt;
    }
    return sibling;
}

}  // namespace petal::net
