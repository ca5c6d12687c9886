/// Selects the coins that a payment spends.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "chain/transaction.h"
#include "wallet/spending/coin_search.h"
#include "wallet/spending/fee_rate.h"
#include "wallet/spending/input_coin.h"
#include "wallet/spending/mini_miner.h"

namespace petal::wallet {

/// The fee rate at which coins are expected to be spent later (Bitcoin Core:
/// DEFAULT_CONSOLIDATE_FEERATE and DEFAULT_DISCARD_FEE).
inline constexpr FeeRate kLongTermFeeRate{10'000};

/// The minimum target for change, in satoshi (Bitcoin Core: CHANGE_LOWER). Smaller change costs
/// much of its value to spend, and is recognisable as change.
inline constexpr chain::Satoshis kLeastWantedChange = 50'000;

/// The maximum number of coins in a group (Bitcoin Core: OUTPUT_GROUP_MAX_ENTRIES). More coins of
/// one address form several groups.
inline constexpr std::size_t kMaxGroupCoins = 100;

/// The target of a selection. All amounts are in satoshi.
struct SelectionTarget {
    /// The recipients' amounts plus the fee for the transaction without inputs and change. Without
    /// the fee if the recipients pay it.
    chain::Satoshis amount = 0;
    FeeRate fee_rate{0};
    bool recipients_pay_fee = false;
    chain::Satoshis change_fee = 0;     ///< for a change output
    chain::Satoshis change_cost = 0;    ///< for a change output, and for spending it later
    chain::Satoshis least_change = 0;   ///< the minimum amount of change
    chain::Satoshis wanted_change = 0;  ///< target of the coin grinder, random, so that the amount
                                        ///< does not reveal which output is change
    std::size_t max_weight = 0;         ///< of the inputs
    /// Computes the fees for the ancestors of unconfirmed coins. Null without unconfirmed coins.
    const MiniMiner* miner = nullptr;
};

/// The result of a selection.
struct CoinSelection {
    std::vector<std::size_t> coins;  ///< their indexes
    chain::Satoshis waste = 0;       ///< see waste_of()
};

/// The coins that are worth spending at the target's fee rate, grouped by address (Bitcoin Core:
/// -avoidpartialspends), because separate spends from one address reveal a common owner. Each group
/// pays for all its unconfirmed ancestors, even if they are also another group's.
std::vector<CoinGroup> group_coins(std::span<const InputCoin> coins, const SelectionTarget& target);

/// All coins that are worth spending together at the target's fee rate. Common unconfirmed
/// ancestors are paid for once.
std::vector<std::size_t> worthwhile_coins(std::span<const InputCoin> coins,
                                          const SelectionTarget& target);

/// The waste metric of a choice (Murch): the fee of the inputs minus their fee at the long-term
/// rate, plus the cost of change or, without change, the excess fee. Common ancestors of the groups
/// count once.
chain::Satoshis waste_of(const GroupChoice& choice, std::span<const CoinGroup> groups,
                         const SelectionTarget& target);

/// The set with the least waste of the results of branch and bound, coin grinder and single random
/// draw. If the funds do not suffice for the target with change, the lightest sufficient set. Empty
/// if no set was found.
std::optional<CoinSelection> select_coins(std::span<const InputCoin> coins,
                                          const SelectionTarget& target, const RandomBits& random);

}  // namespace petal::wallet
