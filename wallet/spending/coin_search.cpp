#include "wallet/spending/coin_search.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace petal::wallet {

using chain::Satoshis;

namespace {

/// The next set to try.
enum class Step : std::uint8_t {
    explore,  ///< add a group to the current set
    shift,    ///< no superset is better: omit the last group
    cut,      ///< no set without the last group is better either: omit the group before
};

/// The sets of groups as a binary tree. Each level takes or omits one group, in the order of
/// descending amounts. Visited depth first, taking a group before omitting it.
class SetTree {
public:
    /// prefer   whether the first of two groups with equal amounts is better
    template <typename Prefer>
    SetTree(std::span<const CoinGroup> groups, Prefer prefer) : groups_(groups) {
        order_.resize(groups.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            if (groups[a].amount != groups[b].amount) return groups[a].amount > groups[b].amount;
            if (prefer(groups[a], groups[b])) return true;
            if (prefer(groups[b], groups[a])) return false;
            return a < b;
        });
        amount_behind_.resize(groups.size());
        least_weight_behind_.resize(groups.size());
        Satoshis amount = 0;
        std::size_t weight = std::numeric_limits<std::size_t>::max();
        for (std::size_t i = groups.size(); i-- > 0;) {
            amount_behind_[i] = amount;
            least_weight_behind_[i] = weight;
            amount += at(i).amount;
            weight = std::min(weight, at(i).weight);
        }
        total_ = amount;
    }

    Satoshis total() const { return total_; }
    Satoshis amount() const { return amount_; }
    std::size_t weight() const { return weight_; }
    Satoshis waste() const { return waste_; }
    const CoinGroup& last() const { return at(taken_.back()); }
    /// The amount of all groups after the last taken group.
    Satoshis amount_behind() const { return amount_behind_[taken_.back()]; }
    /// The least weight of the groups after the last taken group.
    std::size_t least_weight_behind() const { return least_weight_behind_[taken_.back()]; }

    GroupChoice choice() const {
        GroupChoice result;
        for (const std::size_t index : taken_) result.push_back(order_[index]);
        return result;
    }

    /// Visits sets until none remains or kMaxSearchSteps is reached.
    template <typename Judge>
    void walk(Judge judge) {
        if (order_.empty()) return;
        std::size_t next = 0;
        for (std::size_t steps = 0; steps < kMaxSearchSteps; ++steps) {
            take(next);
            ++next;
            Step step = judge();
            if (next == order_.size()) step = Step::cut;
            if (step == Step::explore) continue;
            if (step == Step::cut) drop_last();
            if (!shift(next)) return;
        }
    }

private:
    const CoinGroup& at(std::size_t index) const { return groups_[order_[index]]; }

    void take(std::size_t index) {
        taken_.push_back(index);
        amount_ += at(index).amount;
        weight_ += at(index).weight;
        waste_ += at(index).waste;
    }

    void drop_last() {
        const CoinGroup& dropped = last();
        amount_ -= dropped.amount;
        weight_ -= dropped.weight;
        waste_ -= dropped.waste;
        taken_.pop_back();
    }

    /// Omits the last taken group. Returns false if no set remains.
    bool shift(std::size_t& next) {
        while (!taken_.empty()) {
            const std::size_t omitted = taken_.back();
            drop_last();
            next = omitted + 1;
            // Groups with the same amount as the omitted group follow in the order of prefer(), so
            // none is better.
            while (next < order_.size() && at(next).amount == at(omitted).amount) ++next;
            if (next < order_.size()) return true;
        }
        return false;
    }

    std::span<const CoinGroup> groups_;
    std::vector<std::size_t> order_;  ///< indexes of groups
    std::vector<Satoshis> amount_behind_;
    std::vector<std::size_t> least_weight_behind_;
    std::vector<std::size_t> taken_;  ///< indexes into order_, ascending
    Satoshis total_ = 0;
    Satoshis amount_ = 0;
    std::size_t weight_ = 0;
    Satoshis waste_ = 0;
};

}  // namespace

std::optional<GroupChoice> branch_and_bound(std::span<const CoinGroup> groups, Satoshis target,
                                            Satoshis tolerance, std::size_t max_weight) {
    SetTree tree(groups, [](const CoinGroup& a, const CoinGroup& b) { return a.waste < b.waste; });
    if (tree.total() < target) return std::nullopt;
    // Above the long-term fee rate, each input adds waste. Below, each input reduces waste.
    const bool inputs_waste =
        std::ranges::all_of(groups, [](const CoinGroup& group) { return group.waste >= 0; });
    std::optional<GroupChoice> best;
    Satoshis best_waste = std::numeric_limits<Satoshis>::max();
    tree.walk([&] {
        if (tree.amount() + tree.amount_behind() < target) return Step::cut;
        if (tree.weight() > max_weight || tree.amount() > target + tolerance) return Step::shift;
        if (inputs_waste && tree.waste() > best_waste) return Step::shift;
        if (tree.amount() < target) return Step::explore;
        const Satoshis waste = tree.waste() + (tree.amount() - target);
        if (waste < best_waste) {
            best = tree.choice();
            best_waste = waste;
        }
        return Step::shift;
    });
    return best;
}

std::optional<GroupChoice> grind_coins(std::span<const CoinGroup> groups, Satoshis target,
                                       std::size_t max_weight) {
    SetTree tree(groups,
                 [](const CoinGroup& a, const CoinGroup& b) { return a.weight < b.weight; });
    if (tree.total() < target) return std::nullopt;
    std::optional<GroupChoice> best;
    std::size_t best_weight = max_weight;
    Satoshis best_amount = std::numeric_limits<Satoshis>::max();
    // If the last group is one of the lightest, all later groups are neither lighter nor larger.
    const auto leave = [&] {
        return tree.last().weight <= tree.least_weight_behind() ? Step::cut : Step::shift;
    };
    tree.walk([&] {
        if (tree.amount() + tree.amount_behind() < target) return Step::cut;
        if (tree.weight() > best_weight) return leave();
        if (tree.amount() >= target) {
            if (tree.weight() < best_weight || tree.amount() < best_amount) {
                best = tree.choice();
                best_weight = tree.weight();
                best_amount = tree.amount();
            }
            return Step::shift;
        }
        if (!best || tree.amount_behind() == 0) return Step::explore;
        // No later group is larger than the last group, which gives the minimum number of further
        // groups.
        const Satoshis last = tree.last().amount;
        const auto more = static_cast<std::size_t>((target - tree.amount() + last - 1) / last);
        const std::size_t least = tree.weight() + more * tree.least_weight_behind();
        return least > best_weight ? leave() : Step::explore;
    });
    return best;
}

std::optional<GroupChoice> draw_coins(std::span<const CoinGroup> groups, Satoshis target,
                                      std::size_t max_weight, const RandomBits& random) {
    std::vector<std::size_t> order(groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, random);
    const auto is_larger = [&](std::size_t a, std::size_t b) {
        return std::tie(groups[a].amount, a) > std::tie(groups[b].amount, b);
    };
    std::priority_queue<std::size_t, GroupChoice, decltype(is_larger)> drawn(is_larger);
    Satoshis amount = 0;
    std::size_t weight = 0;
    for (const std::size_t index : order) {
        drawn.push(index);
        amount += groups[index].amount;
        weight += groups[index].weight;
        while (weight > max_weight) {
            amount -= groups[drawn.top()].amount;
            weight -= groups[drawn.top()].weight;
            drawn.pop();
        }
        if (amount < target || drawn.empty()) continue;
        GroupChoice result;
        for (; !drawn.empty(); drawn.pop()) result.push_back(drawn.top());
        return result;
    }
    return std::nullopt;
}

std::uint64_t random_below(std::uint64_t bound, const RandomBits& random) {
    assert(bound != 0);
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t end = kMax - kMax % bound;  // the remainders of numbers below are uniform
    for (;;) {
        const std::uint64_t number = random();
        if (number < end) return number % bound;
    }
}

}  // namespace petal::wallet
