/// Searches for the best set of coins in a bounded number of steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "chain/transaction.h"
#include "wallet/spending/input_coin.h"

namespace petal::wallet {

/// Coins that are spent together or not at all.
struct CoinGroup {
    std::vector<std::size_t> coins;  ///< indexes of the coins
    chain::Satoshis amount = 0;      ///< the coins' contribution to a payment, above 0
    std::size_t weight = 0;          ///< of the inputs
    /// The fee of the inputs plus `bump_fee`, minus the fee of the inputs at the long-term fee
    /// rate.
    chain::Satoshis waste = 0;
    std::vector<chain::Txid> unconfirmed = {};  ///< the unconfirmed transactions of the coins
    chain::Satoshis bump_fee = 0;               ///< for these transactions alone (MiniMiner)
};

/// The maximum number of sets that a search tries (Bitcoin Core: TOTAL_TRIES).
inline constexpr std::size_t kMaxSearchSteps = 100'000;

/// The indexes of the chosen groups.
using GroupChoice = std::vector<std::size_t>;

/// Branch and bound (Erhardt, "An Evaluation of Coin Selection Strategies", 2016): the set with the
/// least waste whose amount is from `target` to `target` + `tolerance`, so that no change is
/// needed. Below the long-term fee rate, no groups are added to a sufficient set. Empty if no set
/// was found within kMaxSearchSteps.
std::optional<GroupChoice> branch_and_bound(std::span<const CoinGroup> groups,
                                            chain::Satoshis target, chain::Satoshis tolerance,
                                            std::size_t max_weight);

/// The set with the least weight whose amount is at least `target`, and of sets with equal weight
/// the set with the least amount (Bitcoin Core: CoinGrinder). Empty if no set was found within
/// kMaxSearchSteps.
std::optional<GroupChoice> grind_coins(std::span<const CoinGroup> groups, chain::Satoshis target,
                                       std::size_t max_weight);

/// Single random draw: adds random groups until the amount is at least `target`. Above
/// `max_weight`, the groups with the smallest amounts are removed again. Empty if no set was found.
std::optional<GroupChoice> draw_coins(std::span<const CoinGroup> groups, chain::Satoshis target,
                                      std::size_t max_weight, const RandomBits& random);

/// A uniformly distributed number below `bound`, which must not be 0.
std::uint64_t random_below(std::uint64_t bound, const RandomBits& random);

/// Shuffles the items. All orders are equally probable.
template <typename Item>
void shuffle(std::vector<Item>& items, const RandomBits& random) {
    for (std::size_t left = items.size(); left > 1; --left) {
        std::swap(items[left - 1], items[random_below(left, random)]);
    }
}

}  // namespace petal::wallet
