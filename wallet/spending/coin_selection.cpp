#include "wallet/spending/coin_selection.h"

#include <algorithm>
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

/// Collects coins into groups, in their order.
class GroupBuilder {
public:
    GroupBuilder(const SelectionTarget& target, bool has_witness)
        : target_(target), has_witness_(has_witness) {}

    void add(const InputCoin& coin, std::size_t index) {
        std::size_t weight = input_weight(coin.form);
        // For its empty witness, if other inputs have one.
        if (has_witness_ && !signs_in_witness(coin.form)) ++weight;
        const Satoshis fee = target_.fee_rate.fee_of_weight(weight);
        if (coin.output.value <= fee) return;
        const Satoshis amount =
            target_.recipients_pay_fee ? coin.output.value : coin.output.value - fee;
        // A chain of little work can claim any amounts: those above all money are not summed up.
        if (coin.output.value > chain::kMaxMoney - total_) return;
        total_ += coin.output.value;
        CoinGroup& group = group_of(as_text(coin.output.script_pubkey));
        group.coins.push_back(index);
        group.amount += amount;
        group.weight += weight;
        group.waste += fee - kLongTermFeeRate.fee_of_weight(weight);
    }

    std::vector<CoinGroup> take() { return std::move(groups_); }

private:
    CoinGroup& group_of(std::string_view script) {
        const auto [found, is_new] = open_.try_emplace(script, groups_.size());
        const bool is_full = !is_new && groups_[found->second].coins.size() == kMaxGroupCoins;
        if (is_full) found->second = groups_.size();
        if (is_new || is_full) groups_.emplace_back();
        return groups_[found->second];
    }

    const SelectionTarget& target_;
    bool has_witness_;
    Satoshis total_ = 0;
    std::vector<CoinGroup> groups_;
    std::unordered_map<std::string_view, std::size_t> open_;  ///< by script, the last group
};

/// Keeps the choice with the least waste; of several, that with the most coins.
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
    const bool has_witness = std::ranges::any_of(
        coins, [](const InputCoin& coin) { return signs_in_witness(coin.form); });
    GroupBuilder groups(target, has_witness);
    for (std::size_t i = 0; i < coins.size(); ++i) groups.add(coins[i], i);
    return groups.take();
}

Satoshis waste_of(const GroupChoice& choice, std::span<const CoinGroup> groups,
                  const SelectionTarget& target) {
    Satoshis amount = 0;
    Satoshis waste = 0;
    for (const std::size_t index : choice) {
        amount += groups[index].amount;
        waste += groups[index].waste;
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
    // Not with --subtract-fee: the recipients would pay for the excess, too.
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
