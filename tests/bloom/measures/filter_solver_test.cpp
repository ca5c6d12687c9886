#include "bloom/measures/filter_solver.h"

#include "bloom/measures/count_privacy.h"
#include "bloom/measures/evidence.h"
#include "bloom/measures/filter_cost.h"
#include "bloom/measures/filter_estimate.h"
#include "samples.h"

namespace petal::bloom {
namespace {

using test::kWorld;

const FilterUse kUse;

TEST(FilterSolver, InvertsTheMeasures) {
    for (const double goal : {0.5, 0.05, 0.001, 1e-5}) {
        const double f = (kUse.universe - kUse.used) * rate_for_guess(goal, kUse);
        EXPECT_SIX_DIGITS(guess_probability(kUse.used, f, 1).value(), goal);
    }
    for (const double goal : {2.0, 100.0, 10'000.0}) {
        const double f = (kUse.universe - kUse.used) * rate_for_anonymity(goal, kUse);
        EXPECT_SIX_DIGITS(anonymity_set(kUse.used, f), goal);
    }
    for (const double goal : {1.0, 8.5, 16.6}) {
        EXPECT_SIX_DIGITS(bits_per_match(LogProbability::of(rate_for_evidence(goal))), goal);
    }
    for (const unsigned length : {1U, 2U, 3U, 5U}) {
        const auto rate = LogProbability::of(rate_for_chain({length, 10}, kWorld));
        EXPECT_SIX_DIGITS(false_chains(kWorld, rate, length), 10.0);
    }
    for (const double goal : {1e5, 3.2e6, 1e8}) {
        const auto rate = LogProbability::of(*rate_for_traffic(goal, kWorld));
        EXPECT_SIX_DIGITS(daily_traffic(kWorld, rate).total_bytes(), goal);
    }
    // At 1.10e-3, the traffic equals that of all BIP158 filters.
    EXPECT_SIX_DIGITS(*rate_for_traffic(144 * kWorld.bip158_filter_bytes, kWorld), 1.102782e-3);
}

TEST(FilterSolver, ChoosesTheCheapestFilterThatMeetsAllGoals) {
    FilterTarget target;
    target.guess = 0.001;
    target.evidence = 12;
    const auto solved = solve_filter(target, kUse, kWorld);
    ASSERT_TRUE(solved);
    EXPECT_DOUBLE_EQ(solved->rate, std::exp2(-12));  // the stricter of the two
    EXPECT_EQ(solved->goal, Goal::evidence);
    EXPECT_EQ(solved->size, filter_size(2'048, solved->rate));
    EXPECT_GE(solved->rate_at_elements, solved->rate);
    EXPECT_LT(solved->rate_at_elements, 1.1 * solved->rate);
    EXPECT_SIX_DIGITS(solved->daily_bytes, 802212.0);
}

TEST(FilterSolver, SpendsABudget) {
    FilterTarget target;
    target.daily_bytes = 1e6;
    const auto solved = solve_filter(target, kUse, kWorld);
    ASSERT_TRUE(solved);
    EXPECT_NEAR(solved->daily_bytes, 1e6, 1e5);
    EXPECT_EQ(solved->goal, Goal::daily_bytes);
    for (double budget = 60'000; budget < 2.4e8; budget *= 1.37) {
        target.daily_bytes = budget;
        const auto within = solve_filter(target, kUse, kWorld);
        ASSERT_TRUE(within) << budget;
        EXPECT_LE(within->daily_bytes, budget);
        EXPECT_GT(within->daily_bytes, 0.3 * budget);
        const LogProbability rate = classical_rate(within->size, double(kUse.elements));
        EXPECT_DOUBLE_EQ(within->daily_bytes, daily_traffic(kWorld, rate).total_bytes());
    }
}

TEST(FilterSolver, NamesTheGoalThatDecides) {
    FilterTarget target;
    target.guess = 0.001;
    target.daily_bytes = 1e8;
    EXPECT_EQ(solve_filter(target, kUse, kWorld)->goal, Goal::guess);
    target.anonymity = 1e5;
    EXPECT_EQ(solve_filter(target, kUse, kWorld)->goal, Goal::anonymity);
    target.chain = FilterTarget::Chain{3, 1e6};
    EXPECT_EQ(solve_filter(target, kUse, kWorld)->goal, Goal::chain);
}

TEST(FilterSolver, RecommendsNoFilterThatExposesTheWallet) {
    FilterTarget target;
    target.evidence = 30;  // one address in a billion matches by chance
    ASSERT_FALSE(solve_filter(target, kUse, kWorld));
    EXPECT_EQ(solve_filter(target, kUse, kWorld).error(), SolveError::exposes_wallet);
    target.guess = 0.9;  // allowed by a goal
    EXPECT_TRUE(solve_filter(target, kUse, kWorld));
    target = {};
    target.daily_bytes = 1.0001 * daily_traffic(kWorld, LogProbability::of(1e-10)).total_bytes();
    ASSERT_FALSE(solve_filter(target, kUse, kWorld));
    EXPECT_EQ(solve_filter(target, kUse, kWorld).error(), SolveError::exposes_wallet);
}

TEST(FilterSolver, RecommendsNoFilterThatCostsAsMuchAsBlocks) {
    const double blocks = kWorld.blocks_per_day * kWorld.block_bytes();
    FilterTarget target;
    target.daily_bytes = 0.99 * blocks;
    EXPECT_TRUE(solve_filter(target, kUse, kWorld));
    target.daily_bytes = blocks;
    ASSERT_FALSE(solve_filter(target, kUse, kWorld));
    EXPECT_EQ(solve_filter(target, kUse, kWorld).error(), SolveError::blocks_cost_less);
    target = {};
    target.evidence = 1;  // half of all addresses match by chance
    World small_blocks = kWorld;
    small_blocks.full_transaction_bytes = 250;
    ASSERT_FALSE(solve_filter(target, kUse, small_blocks));
    EXPECT_EQ(solve_filter(target, kUse, small_blocks).error(), SolveError::blocks_cost_less);
}

// Only filters with a fractional number of bytes would meet both the goal and the smallest budgets.
TEST(FilterSolver, KeepsBothAGoalAndABudget) {
    FilterTarget target;
    target.evidence = 12;
    for (const double room : {0.99, 1.0, 1.001, 1.05, 1.2}) {
        target.daily_bytes =
            room * daily_traffic(kWorld, LogProbability::of(std::exp2(-12))).total_bytes();
        const auto solved = solve_filter(target, kUse, kWorld);
        EXPECT_EQ(solved.has_value(), room > 1.01) << room;
        if (!solved) continue;
        EXPECT_LE(solved->daily_bytes, *target.daily_bytes);
        EXPECT_GE(solved->rate_at_elements, std::exp2(-12));
    }
}

TEST(FilterSolver, ReportsWhyNoFilterFits) {
    const auto error_of = [](const FilterTarget& target, const FilterUse& use) {
        const auto solved = solve_filter(target, use, kWorld);
        EXPECT_FALSE(solved);
        EXPECT_FALSE(describe(solved.error()).empty());
        return solved.error();
    };
    EXPECT_EQ(error_of({}, kUse), SolveError::nothing_asked);
    FilterTarget target;
    target.guess = 1e-9;
    EXPECT_EQ(error_of(target, kUse), SolveError::above_one);
    target = {};
    target.evidence = 3;
    target.daily_bytes = 1e6;
    EXPECT_EQ(error_of(target, kUse), SolveError::over_budget);
    target = {};
    target.daily_bytes = 100;
    EXPECT_EQ(error_of(target, kUse), SolveError::budget_too_small);
    target = {};
    target.daily_bytes = 50'000;
    EXPECT_EQ(error_of(target, {200'000, 20, 1.5e9}), SolveError::beyond_size_limit);
    // A filter of 36,000 bytes with 30,000 such elements has a rate of at least 1 %.
    target.daily_bytes = 1e6;
    EXPECT_EQ(error_of(target, {30'000, 20, 1.5e9}), SolveError::beyond_size_limit);
    // A million elements set nearly all bits.
    target = {};
    target.evidence = 3;
    EXPECT_EQ(error_of(target, {1'000'000, 20, 1.5e9}), SolveError::beyond_size_limit);
}

}  // namespace
}  // namespace petal::bloom
