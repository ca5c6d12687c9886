#include "wallet/spending/coin_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "tests/wallet/spending/spending_scene.h"

namespace petal::wallet {
namespace {

using chain::Satoshis;

constexpr std::size_t kAnyWeight = 1'000'000;

CoinGroup group_of(Satoshis amount, std::size_t weight = 100, Satoshis waste = 0) {
    return {{}, amount, weight, waste};
}

struct SetTotals {
    Satoshis amount = 0;
    std::size_t weight = 0;
    Satoshis waste = 0;
};

SetTotals totals_of(const GroupChoice& choice, std::span<const CoinGroup> groups) {
    SetTotals totals;
    for (const std::size_t index : choice) {
        totals.amount += groups[index].amount;
        totals.weight += groups[index].weight;
        totals.waste += groups[index].waste;
    }
    return totals;
}

/// Calls `look` with each non-empty set of groups.
template <typename Look>
void for_each_set(std::span<const CoinGroup> groups, Look look) {
    for (std::uint32_t bits = 1; bits < (1U << groups.size()); ++bits) {
        GroupChoice choice;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if ((bits >> i & 1U) != 0) choice.push_back(i);
        }
        look(totals_of(choice, groups));
    }
}

/// There are few different amounts and weights, so that many groups are equal in one or both.
std::vector<CoinGroup> random_groups(std::mt19937_64& random, bool high_rate) {
    std::vector<CoinGroup> groups(1 + random() % 10);
    for (CoinGroup& group : groups) {
        group.amount = 1 + static_cast<Satoshis>(random() % 20);
        group.weight = 1 + random() % 4;
        const auto waste = static_cast<Satoshis>(group.weight);
        group.waste = high_rate ? waste : -waste;
    }
    return groups;
}

TEST(BranchAndBound, FindsTheLeastWasteOfAllSets) {
    std::mt19937_64 random(20'261'123);
    int found = 0;
    for (int round = 0; round < 2'000; ++round) {
        const auto groups = random_groups(random, round % 2 == 0);
        const auto target = 1 + static_cast<Satoshis>(random() % 60);
        const auto tolerance = static_cast<Satoshis>(random() % 5);
        // At low rates, a light group is never tried instead of a heavy one with the same amount,
        // so the search could miss the sets within a limit on the weight.
        const std::size_t max_weight = round % 2 == 0 ? 5 + random() % 20 : kAnyWeight;
        Satoshis best = std::numeric_limits<Satoshis>::max();
        for_each_set(groups, [&](const SetTotals& set) {
            const Satoshis excess = set.amount - target;
            if (excess < 0 || excess > tolerance || set.weight > max_weight) return;
            best = std::min(best, set.waste + excess);
        });
        const auto choice = branch_and_bound(groups, target, tolerance, max_weight);
        ASSERT_EQ(choice.has_value(), best != std::numeric_limits<Satoshis>::max()) << round;
        if (!choice) continue;
        ++found;
        const SetTotals totals = totals_of(*choice, groups);
        ASSERT_GE(totals.amount, target);
        ASSERT_LE(totals.amount, target + tolerance);
        ASSERT_LE(totals.weight, max_weight);
        if (round % 2 == 0) {
            ASSERT_EQ(totals.waste + totals.amount - target, best) << round;
        }
    }
    EXPECT_GT(found, 500);
}

TEST(CoinGrinder, FindsTheLeastWeightOfAllSets) {
    std::mt19937_64 random(20'261'124);
    int found = 0;
    for (int round = 0; round < 2'000; ++round) {
        const auto groups = random_groups(random, true);
        const auto target = 1 + static_cast<Satoshis>(random() % 60);
        const std::size_t max_weight = 5 + random() % 20;
        std::tuple best(kAnyWeight, Satoshis{0});
        for_each_set(groups, [&](const SetTotals& set) {
            if (set.amount < target || set.weight > max_weight) return;
            best = std::min(best, std::tuple(set.weight, set.amount));
        });
        const auto choice = grind_coins(groups, target, max_weight);
        ASSERT_EQ(choice.has_value(), std::get<0>(best) != kAnyWeight) << round;
        if (!choice) continue;
        ++found;
        const SetTotals totals = totals_of(*choice, groups);
        ASSERT_EQ(std::tuple(totals.weight, totals.amount), best) << round;
    }
    EXPECT_GT(found, 500);
}

TEST(CoinSearch, FindsNothingWithoutGroupsOrFunds) {
    const std::vector<CoinGroup> one{group_of(5)};
    for (const std::vector<CoinGroup>& groups : {std::vector<CoinGroup>{}, one}) {
        EXPECT_FALSE(branch_and_bound(groups, 6, 10, kAnyWeight));
        EXPECT_FALSE(grind_coins(groups, 6, kAnyWeight));
        EXPECT_FALSE(draw_coins(groups, 6, kAnyWeight, test::random_bits(1)));
    }
    EXPECT_TRUE(grind_coins(one, 5, kAnyWeight));
}

// Even numbers never sum to an odd target, but there are 2^30 sets to try.
TEST(CoinSearch, StopsAfterABoundedNumberOfSteps) {
    std::vector<CoinGroup> groups;
    for (unsigned i = 0; i < 30; ++i) groups.push_back(group_of((Satoshis{1} << (i + 1)) + 0));
    for (unsigned i = 0; i < 30; ++i) groups.push_back(group_of((Satoshis{1} << (i + 1)) + 2));
    EXPECT_FALSE(branch_and_bound(groups, (Satoshis{1} << 30) + 1, 0, kAnyWeight));
}

TEST(RandomDraw, LeavesOutTheSmallestIfTheSetIsTooHeavy) {
    // Only the two large groups fit and suffice, in whatever order.
    const std::vector<CoinGroup> groups{group_of(1), group_of(50), group_of(2), group_of(60),
                                        group_of(3)};
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto choice = draw_coins(groups, 110, 200, test::random_bits(seed));
        ASSERT_TRUE(choice);
        EXPECT_EQ(std::set<std::size_t>(choice->begin(), choice->end()),
                  (std::set<std::size_t>{1, 3}));
    }
    EXPECT_FALSE(draw_coins(groups, 111, 200, test::random_bits(1)));
}

TEST(RandomDraw, DependsOnTheRandomSource) {
    std::vector<CoinGroup> groups;
    for (Satoshis i = 0; i < 20; ++i) groups.push_back(group_of(100 + i));
    std::set<GroupChoice> choices;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        choices.insert(draw_coins(groups, 300, kAnyWeight, test::random_bits(seed)).value());
        EXPECT_EQ(draw_coins(groups, 300, kAnyWeight, test::random_bits(seed)),
                  draw_coins(groups, 300, kAnyWeight, test::random_bits(seed)));
    }
    EXPECT_GT(choices.size(), 15U);
}

TEST(RandomBelow, IsBelowItsBoundWithoutBias) {
    std::vector<std::uint64_t> numbers{std::numeric_limits<std::uint64_t>::max() - 1, 8, 3};
    const RandomBits listed = [&] {
        const auto number = numbers.front();
        numbers.erase(numbers.begin());
        return number;
    };
    // 2^64 - 2 is a multiple of 7, so the values from there on must be rejected.
    EXPECT_EQ(random_below(7, listed), 1U);
    EXPECT_EQ(random_below(1, listed), 0U);
}

}  // namespace
}  // namespace petal::wallet
