/// Searches for the best set of coins, in a bounded number of steps.
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

/// Coins that are spent together or not spent.
struct CoinGroup {
    std::vector<std::size_t> coins;  ///< their indexes
    chain::Satoshis amount = 0;      ///< their contribution to a payment; above 0
    std::size_t weight = 0;          ///< of their inputs
    /// The fee of the inputs and `bump_fee` minus the inputs' fee at the long-term fee rate.
    chain::Satoshis waste = 0;
    std::vector<chain::Txid> unconfirmed = {};  ///< the unconfirmed transactions of the coins
    chain::Satoshis bump_fee = 0;               ///< of these by themselves (MiniMiner)
};

/// How many sets of coins a search looks at (Bitcoin Core: TOTAL_TRIES).
inline constexpr std::size_t kMaxSearchSteps = 100'000;

/// The indexes of chosen groups.
using GroupChoice = std::vector<std::size_t>;

/// The set with the least waste among those whose amount is from `target` to `target` +
/// `tolerance`, which needs no change. Below the long-term fee rate, no groups are added to a set
/// that suffices. Branch and bound (Erhardt, "An Evaluation of Coin Selection Strategies", 2016).
/// Nothing if there is no such set, or none was found within kMaxSearchSteps.
std::optional<GroupChoice> branch_and_bound(std::span<const CoinGroup> groups,
                                            chain::Satoshis target, chain::Satoshis tolerance,
                                            std::size_t max_weight);

/// The set with the least weight whose amount is at least `target`; of sets with the same weight,
/// the one with the least amount. Follows Bitcoin Core's CoinGrinder. Nothing if there is no such
/// set, or none was found within kMaxSearchSteps.
std::optional<GroupChoice> grind_coins(std::span<const CoinGroup> groups, chain::Satoshis target,
                                       std::size_t max_weight);

/// Random groups until their amount is at least `target`. If they weigh too much, the smallest are
/// left out again. Nothing if no set was found this way.
std::optional<GroupChoice> draw_coins(std::span<const CoinGroup> groups, chain::Satoshis target,
                                      std::size_t max_weight, const RandomBits& random);

/// A uniformly distributed number below `bound`, which is not 0.
std::uint64_t random_below(std::uint64_t bound, const RandomBits& random);

/// Puts the items into a random order; all orders are equally probable.
template <typename Item>
void shuffle(std::vector<Item>& items, const RandomBits& random) {
    for (std::size_t left = items.size(); left > 1; --left) {
        std::swap(items[left - 1], items[random_below(left, random)]);
    }
}

}  // namespace petal::wallet
