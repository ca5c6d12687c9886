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

/// Minimum target for change, in satoshi (Bitcoin Core: CHANGE_LOWER). Spending smaller change
/// costs much of its value, and its amount marks it as change.
inline constexpr chain::Satoshis kLeastWantedChange = 50'000;

/// The maximum number of coins of one address that are spent together (Bitcoin Core:
/// OUTPUT_GROUP_MAX_ENTRIES). The coins of an address with more form groups of this size.
inline constexpr std::size_t kMaxGroupCoins = 100;

/// The target of a selection. Amounts in satoshi.
struct SelectionTarget {
    /// The recipients' amounts, and the fee for the transaction without its inputs and change. If
    /// the recipients pay the fee, the amount that leaves the wallet.
    chain::Satoshis amount = 0;
    FeeRate fee_rate{0};
    bool recipients_pay_fee = false;
    chain::Satoshis change_fee = 0;     ///< for a change output
    chain::Satoshis change_cost = 0;    ///< for a change output, and for spending it later
    chain::Satoshis least_change = 0;   ///< there is no change below
    chain::Satoshis wanted_change = 0;  ///< target of the coin grinder; random, so that the amount
                                        ///< does not reveal which output is change
    std::size_t max_weight = 0;         ///< of the inputs
    /// For the fees that unconfirmed coins owe for their ancestors; null without unconfirmed coins.
    const MiniMiner* miner = nullptr;
};

/// Chosen coins.
struct CoinSelection {
    std::vector<std::size_t> coins;  ///< their indexes
    chain::Satoshis waste = 0;       ///< see waste_of()
};

/// The coins that are worth spending at the target's fee rate, with the coins of one address in one
/// group (Bitcoin Core: -avoidpartialspends): spending some of them reveals that the others have
/// the same owner. Each group pays for all unconfirmed ancestors of its own, as if no other group
/// did.
std::vector<CoinGroup> group_coins(std::span<const InputCoin> coins, const SelectionTarget& target);

/// All coins that together are worth spending at the target's fee rate. Ancestors that several
/// unconfirmed coins have in common are paid for once.
std::vector<std::size_t> worthwhile_coins(std::span<const InputCoin> coins,
                                          const SelectionTarget& target);

/// The cost of a choice beyond the payment (Murch's waste metric): the fee of the inputs minus
/// their fee at the long-term rate, and the cost of change or, without change, the excess fee.
/// Common ancestors of the groups count once.
chain::Satoshis waste_of(const GroupChoice& choice, std::span<const CoinGroup> groups,
                         const SelectionTarget& target);

/// The set with the least waste among those found by branch and bound, coin grinder and single
/// random draw. If funds do not suffice for the change target of the latter two, the lightest set
/// that suffices. Nothing if none was found.
std::optional<CoinSelection> select_coins(std::span<const InputCoin> coins,
                                          const SelectionTarget& target, const RandomBits& random);

}  // namespace petal::wallet
