#include "bloom/measures/filter_cost.h"

#include "samples.h"

namespace petal::bloom {
namespace {

using test::kWorld;

TEST(World, FollowsFromItsSources) {
    EXPECT_SIX_DIGITS(kWorld.transactions_per_day(), 466'655.9096);
    EXPECT_SIX_DIGITS(kWorld.outputs_per_day(), 1'260'135.198);
    EXPECT_SIX_DIGITS(kWorld.inputs_per_transaction(), 2.5688735934);
    EXPECT_SIX_DIGITS(kWorld.elements_per_transaction(), 7.5536623452);
    const auto universes = effective_universes(kWorld);
    ASSERT_EQ(universes.size(), 6U);
    EXPECT_NEAR(universes[1].addresses, 2.147e8, 1e5);
    EXPECT_NEAR(universes[2].addresses, 8.59e7, 1e5);
    EXPECT_NEAR(universes[4].addresses, 630'068, 1);
    EXPECT_NEAR(universes[5].addresses, 8'751, 1);
}

TEST(FilterCost, HasTheReferenceFigures) {
    const DailyTraffic none = daily_traffic(kWorld, LogProbability());
    EXPECT_SIX_DIGITS(none.total_bytes(), 20'484.0);
    const DailyTraffic low = daily_traffic(kWorld, LogProbability::of(1e-5));
    EXPECT_SIX_DIGITS(low.false_transactions, 35.24846);
    EXPECT_SIX_DIGITS(low.merkle_bytes, 33766.1);
    EXPECT_SIX_DIGITS(low.transaction_bytes, 9305.593);
    EXPECT_SIX_DIGITS(low.relay_bytes, 11843.48);
    const DailyTraffic high = daily_traffic(kWorld, LogProbability::of(0.1));
    EXPECT_SIX_DIGITS(high.merkle_bytes, 1.337446e7);
    EXPECT_SIX_DIGITS(high.total_bytes(), 1.337446e7 + 6.761133e7 + 8.605079e7);
    const DailyTraffic all = daily_traffic(kWorld, LogProbability::of(1));
    EXPECT_SIX_DIGITS(all.false_transactions, kWorld.transactions_per_day());
    EXPECT_NEAR(payment_anonymity_set(kWorld, LogProbability::of(2.546e-4)), 7.2, 0.05);
}

TEST(CompactFilterCost, HasTheReferenceFigures) {
    // 64 scripts, and two payments a week: 104.3 blocks, 4.3 of them without a payment.
    const double blocks = 365.0 * 144;
    EXPECT_SIX_DIGITS(fetched_blocks_per_year(kWorld, {64, 100}), 104.2771942);
    EXPECT_SIX_DIGITS(fetched_blocks_per_year(kWorld, {0, 100}), 100);
    EXPECT_SIX_DIGITS(fetched_blocks_per_year(kWorld, {64, 1e9}), blocks);
    EXPECT_SIX_DIGITS(compact_filter_bytes_per_year(kWorld, {0, 0}), 1'175'646'520);
    EXPECT_SIX_DIGITS(compact_filter_bytes_per_year(kWorld, {0, 3}),
                      1'175'646'520 + 3 * kWorld.block_bytes());
}

TEST(RelayCost, IsThatOfEachTransactionOnce) {
    EXPECT_SIX_DIGITS(daily_relay_bytes(kWorld), 5.40111006496122 * 86'400 * (36 + 24 + 36 + 530));
}

TEST(FilterCost, CountsThePartialTreesHashes) {
    EXPECT_SIX_DIGITS(merkle_hashes(1'024, 0.01), 69.5357335);
    EXPECT_EQ(merkle_hashes(1'024, 0), 1);
    EXPECT_EQ(merkle_hashes(1'024, 1), 1'024);
    test::RandomElements random(8);
    test::Mean hashes;
    for (int trial = 0; trial < 1'000; ++trial) {
        std::vector<bool> level(1'024);
        int count = 0;
        for (auto&& leaf : level) leaf = random.below(100) == 0;
        for (const bool leaf : level) count += leaf ? 1 : 0;
        if (count == 0) count = 1;
        while (level.size() > 1) {
            std::vector<bool> parents(level.size() / 2);
            for (std::size_t i = 0; i < parents.size(); ++i) {
                count += level[2 * i] != level[2 * i + 1] ? 1 : 0;
                parents[i] = level[2 * i] || level[2 * i + 1];
            }
            level = parents;
        }
        hashes.add(count);
    }
    EXPECT_NEAR(hashes.value(), merkle_hashes(1'024, 0.01), 4 * hashes.error());
}

struct DriftCase {
    FilterSize size;
    double elements;
    double outpoints;
    double days_to_double;
    double days_to_tenfold;
};

TEST(FilterDrift, HasTheReferenceFigures) {
    const std::array<DriftCase, 4> cases{{
        {{1'923, 15, false}, 642, 43.1424, 2.37138, 4.53068},
        {{3'680, 9, false}, 2'048, 236.658, 0.131334, 0.263291},
        {{6'134, 15, false}, 2'048, 137.626, 7.560917, 14.445764},
        {{35'943, 9, false}, 20'000, 2'311.11, 1.283934, 2.573864},
    }};
    for (const DriftCase& c : cases) {
        const auto twofold = drift_until(c.size, c.elements, 2, kWorld);
        const auto tenfold = drift_until(c.size, c.elements, 10, kWorld);
        ASSERT_TRUE(twofold && tenfold);
        // The reference value is computed in steps of two thousandths of n / k.
        EXPECT_NEAR(twofold->outpoints, c.outpoints, 0.003 * c.outpoints);
        EXPECT_NEAR(twofold->days, c.days_to_double, 0.003 * c.days_to_double);
        EXPECT_NEAR(tenfold->days, c.days_to_tenfold, 0.003 * c.days_to_tenfold);
        EXPECT_SIX_DIGITS(twofold->blocks, twofold->days * 144);
    }
}

TEST(FilterDrift, IsWhatAStreamOfOutputsDoes) {
    // A simulation with 200 elements at 1 %, 20,000 outputs a day, and ideal hashes.
    const FilterSize size = filter_size(200, 0.01);
    const std::size_t bits = size.bytes * 8;
    test::RandomElements random(9);
    test::Mean days;
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<bool> set(bits);
        std::size_t count = 0;
        const auto insert = [&] {
            for (std::uint32_t i = 0; i < size.hash_functions; ++i) {
                const std::size_t bit = random.below(bits);
                count += set[bit] ? 0U : 1U;
                set[bit] = true;
            }
        };
        const auto rate = [&] {
            return std::pow(static_cast<double>(count) / static_cast<double>(bits),
                            size.hash_functions);
        };
        for (int i = 0; i < 200; ++i) insert();
        const double wanted = 2 * rate();
        double day = 0;
        while (rate() < wanted) {
            const double uniform = (random.number() + 1.0) / 4'294'967'297.0;
            day -= std::log(uniform) / (20'000 * rate());
            insert();
        }
        days.add(day);
    }
    World world;
    world.transactions_per_second = 20'000 / 86'400.0;
    world.outputs_per_transaction = 1;
    EXPECT_NEAR(days.value(), drift_until(size, 200, 2, world)->days, 4 * days.error() + 0.001);
}

TEST(FilterDrift, IsEmptyIfTheRateCannotRise) {
    // 1e-29: it would take longer than the sun lasts.
    EXPECT_FALSE(drift_until(test::kSizeE, 22, 2, kWorld));
    EXPECT_FALSE(drift_until({1, 1, false}, 40, 2, kWorld));    // the filter is nearly full
    EXPECT_FALSE(drift_until({100, 10, false}, 0, 2, kWorld));  // the filter matches nothing
}

}  // namespace
}  // namespace petal::bloom
