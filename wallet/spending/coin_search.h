/// Searches for the best set of coins, in a bounded number of steps.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "chain/transaction.h"
#include "wallet/spending/input_coin.h"

namespace petal::wallet {

/// Coins that are spent together or not at all.
struct CoinGroup {
    std::vector<std::size_t> coins;  ///< their indexes
    chain::Satoshis amount = 0;      ///< what they add to a payment; above 0
    std::size_t weight = 0;          ///< of their inputs
    /// The fee of the inputs less what it would be at the long-term fee rate.
    chain::Satoshis waste = 0;
};

/// How many sets of coins a search looks at (Bitcoin Core: TOTAL_TRIES).
inline constexpr std::size_t kMaxSearchSteps = 100'000;

/// The indexes of chosen groups.
using GroupChoice = std::vector<std::size_t>;

/// The set with the least waste, of those whose amount is from `target` to `target` + `tolerance`:
/// it needs no change. Where inputs cost less than at the long-term fee rate, sets are not tried
/// with further groups once they suffice. Branch and bound (Erhardt, "An Evaluation of Coin
/// Selection Strategies", 2016). Nothing where there is no such set, or none was found within
/// kMaxSearchSteps.
std::optional<GroupChoice> branch_and_bound(std::span<const CoinGroup> groups,
                                            chain::Satoshis target, chain::Satoshis tolerance,
                                            std::size_t max_weight);

/// The set with the least weight whose amount is `target` at least; of sets with the same weight,
/// that with the least amount. Follows Bitcoin Core's CoinGrinder. Nothing where there is no such
/// set, or none was found within kMaxSearchSteps.
std::optional<GroupChoice> grind_coins(std::span<const CoinGroup> groups, chain::Satoshis target,
                                       std::size_t max_weight);

/// Random groups until their amount is `target` at least. Where they weigh too much, the smallest
/// of them are left out again. Nothing where no set was found so.
std::optional<GroupChoice> draw_coins(std::span<const CoinGroup> groups, chain::Satoshis target,
                                      std::size_t max_weight, const RandomBits& random);

/// Any of the numbers below `bound`, each as likely as the others. `bound` is not 0.
std::uint64_t random_below(std::uint64_t bound, const RandomBits& random);

}  // namespace petal::wallet
