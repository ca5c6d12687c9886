#include "wallet/spending/coin_selection.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "wallet/spending/sizes.h"

namespace petal::wallet {

using chain::Satoshis;

namespace {

std::string_view as_text(const chain::Bytes& script) {
    return {reinterpret_cast<const char*>(script.data()), script.size()};
}

bool any_signs_in_witness(std::span<const InputCoin> coins) {
    return std::ranges::any_of(coins,
                               [](const InputCoin& coin) { return signs_in_witness(coin.form); });
}

/// The weight of an input, including an empty witness if another input has a witness.
std::size_t weight_of(const InputCoin& coin, bool has_witness) {
    const std::size_t weight = input_weight(coin.form);
    return has_witness && !signs_in_witness(coin.form) ? weight + 1 : weight;
}

/// The value of each unconfirmed transaction's coins minus the fees of the inputs.
using Gains = std::map<chain::Txid, Satoshis>;

/// A set of unconfirmed transactions whose coins are spent, and the gain.
struct SpentParents {
    std::set<chain::Txid> txids;
    Satoshis gain = 0;
};

Satoshis gain_of(const std::set<chain::Txid>& txids, const Gains& gains, const MiniMiner& miner) {
    const std::vector<chain::Txid> spent(txids.begin(), txids.end());
    Satoshis gain = -miner.bump_fee(spent);
    for (const chain::Txid& txid : spent) gain += gains.at(txid);
    return gain;
}

/// Repeatedly adds or drops the transaction that increases the gain most, until the gain does not
/// increase.
SpentParents improved(std::set<chain::Txid> txids, const Gains& gains, const MiniMiner& miner) {
    SpentParents best{txids, gain_of(txids, gains, miner)};
    for (bool grows = true; grows;) {
        grows = false;
        const SpentParents present = best;
        for (const auto& [txid, gain] : gains) {
            txids = present.txids;
            if (!txids.insert(txid).second) txids.erase(txid);
            const Satoshis changed = gain_of(txids, gains, miner);
            if (changed <= best.gain) continue;
            best = {txids, changed};
            grows = true;
        }
    }
    return best;
}

/// The unconfirmed transactions whose coins together gain the most. Some coins are worth the fees
/// for their ancestors only together, and some only alone.
std::set<chain::Txid> worthwhile_parents(const Gains& gains, const MiniMiner& miner) {
    std::set<chain::Txid> all;
    for (const auto& [txid, gain] : gains) all.insert(txid);
    SpentParents from_all = improved(std::move(all), gains, miner);
    SpentParents from_none = improved({}, gains, miner);
    return std::move(from_all.gain > from_none.gain ? from_all.txids : from_none.txids);
}

/// Collects coins into groups, in the order of the coins.
class GroupBuilder {
public:
    GroupBuilder(const SelectionTarget& target, bool has_witness)
        : target_(target), has_witness_(has_witness) {}

    void add(const InputCoin& coin, std::size_t index) {
        const std::size_t weight = weight_of(coin, has_witness_);
        const Satoshis input_fee = target_.fee_rate.fee_of_weight(weight);
        const Satoshis bump_fee = added_bump_fee(coin);
        const Satoshis fee = input_fee + bump_fee;
        if (coin.output.value <= fee) return;
        const Satoshis amount =
            target_.recipients_pay_fee ? coin.output.value : coin.output.value - fee;
        // A chain of little work can contain any amounts. Coins above a total of kMaxMoney are left
        // out.
        if (coin.output.value > chain::kMaxMoney - total_) return;
        total_ += coin.output.value;
        CoinGroup& group = group_of(as_text(coin.output.script_pubkey));
        group.coins.push_back(index);
        group.amount += amount;
        group.weight += weight;
        group.waste += fee - kLongTermFeeRate.fee_of_weight(weight);
        group.bump_fee += bump_fee;
        if (!coin.confirmed) group.unconfirmed.push_back(coin.outpoint.txid);
    }

    std::vector<CoinGroup> take() { return std::move(groups_); }

private:
    /// The existing group with room for a coin of this script. Null if there is none.
    CoinGroup* open_group(std::string_view script) {
        const auto found = open_.find(script);
        if (found == open_.end()) return nullptr;
        CoinGroup& group = groups_[found->second];
        return group.coins.size() == kMaxGroupCoins ? nullptr : &group;
    }

    CoinGroup& group_of(std::string_view script) {
        if (CoinGroup* const open = open_group(script)) return *open;
        open_.insert_or_assign(script, groups_.size());
        return groups_.emplace_back();
    }

    /// The additional fee for unconfirmed ancestors that this coin adds to its group.
    Satoshis added_bump_fee(const InputCoin& coin) {
        if (target_.miner == nullptr || coin.confirmed) return 0;
        const CoinGroup* const group = open_group(as_text(coin.output.script_pubkey));
        std::vector<chain::Txid> spent;
        if (group != nullptr) spent = group->unconfirmed;
        spent.push_back(coin.outpoint.txid);
        return target_.miner->bump_fee(spent) - (group != nullptr ? group->bump_fee : 0);
    }

    const SelectionTarget& target_;
    bool has_witness_;
    Satoshis total_ = 0;
    std::vector<CoinGroup> groups_;
    std::unordered_map<std::string_view, std::size_t> open_;  ///< the last group of each script
};

/// Keeps the choice with the least waste, and of equal choices the choice with the most coins.
class BestChoice {
public:
    BestChoice(std::span<const CoinGroup> groups, const SelectionTarget& target)
        : groups_(groups), target_(target) {}

    void consider(const std::optional<GroupChoice>& choice) {
        if (!choice) return;
        CoinSelection selection;
        selection.waste = waste_of(*choice, groups_, target_);
        for (const std::size_t index : *choice) {
            const auto& coins = groups_[index].coins;
            selection.coins.insert(selection.coins.end(), coins.begin(), coins.end());
        }
        const bool is_better =
            !best_ || selection.waste < best_->waste ||
            (selection.waste == best_->waste && selection.coins.size() > best_->coins.size());
        if (is_better) best_ = std::move(selection);
    }

    const std::optional<CoinSelection>& best() const { return best_; }

private:
    std::span<const CoinGroup> groups_;
    const SelectionTarget& target_;
    std::optional<CoinSelection> best_;
};

}  // namespace

std::vector<CoinGroup> group_coins(std::span<const InputCoin> coins,
                                   const SelectionTarget& target) {
    GroupBuilder groups(target, any_signs_in_witness(coins));
    for (std::size_t i = 0; i < coins.size(); ++i) groups.add(coins[i], i);
    return groups.take();
}

std::vector<std::size_t> worthwhile_coins(std::span<const InputCoin> coins,
                                          const SelectionTarget& target) {
    SelectionTarget by_themselves = target;
    by_themselves.miner = nullptr;
    std::vector<std::size_t> result;
    for (const CoinGroup& group : group_coins(coins, by_themselves)) {
        result.insert(result.end(), group.coins.begin(), group.coins.end());
    }
    if (target.miner == nullptr) return result;
    const bool has_witness = any_signs_in_witness(coins);
    Gains gains;
    for (const std::size_t index : result) {
        const InputCoin& coin = coins[index];
        if (coin.confirmed) continue;
        const std::size_t weight = weight_of(coin, has_witness);
        gains[coin.outpoint.txid] += coin.output.value - target.fee_rate.fee_of_weight(weight);
    }
    const auto worthwhile = worthwhile_parents(gains, *target.miner);
    std::erase_if(result, [&](std::size_t index) {
        return !coins[index].confirmed && !worthwhile.contains(coins[index].outpoint.txid);
    });
    return result;
}

Satoshis waste_of(const GroupChoice& choice, std::span<const CoinGroup> groups,
                  const SelectionTarget& target) {
    Satoshis amount = 0;
    Satoshis waste = 0;
    Satoshis bump_fees = 0;
    std::vector<chain::Txid> unconfirmed;
    for (const std::size_t index : choice) {
        const CoinGroup& group = groups[index];
        amount += group.amount;
        waste += group.waste;
        bump_fees += group.bump_fee;
        unconfirmed.insert(unconfirmed.end(), group.unconfirmed.begin(), group.unconfirmed.end());
    }
    if (target.miner != nullptr) {
        const Satoshis paid_twice = bump_fees - target.miner->bump_fee(unconfirmed);
        waste -= paid_twice;
        if (!target.recipients_pay_fee) amount += paid_twice;
    }
    const Satoshis excess = amount - target.amount;
    const bool has_change = excess - target.change_fee >= target.least_change;
    return waste + (has_change ? target.change_cost : excess);
}

std::optional<CoinSelection> select_coins(std::span<const InputCoin> coins,
                                          const SelectionTarget& target, const RandomBits& random) {
    const std::vector<CoinGroup> groups = group_coins(coins, target);
    const Satoshis with_change = target.amount + target.change_fee;
    BestChoice best(groups, target);
    // Not if the recipients pay the fee, because they would also pay the excess.
    if (!target.recipients_pay_fee) {
        best.consider(
            branch_and_bound(groups, target.amount, target.change_cost, target.max_weight));
    }
    best.consider(grind_coins(groups, with_change + target.wanted_change, target.max_weight));
    best.consider(draw_coins(groups, with_change + kLeastWantedChange, target.max_weight, random));
    for (const Satoshis amount : {with_change + target.least_change, target.amount}) {
        if (!best.best()) best.consider(grind_coins(groups, amount, target.max_weight));
    }
    return best.best();
}

}  // namespace petal::wallet
