#include "bloom/measures/filter_estimate.h"

#include "samples.h"

namespace petal::bloom {
namespace {

using test::exact_expected_rate;
using test::RandomElements;
using test::set_bits_distribution;

struct VectorCase {
    const char* name;
    BloomFilter filter;
    FilterSize size;
    int elements;
    std::size_t bits_set;
    double rate;
    double classical;
    double estimate;
    double deviation;
    const char* hash;
};
void PrintTo(const VectorCase& c, std::ostream* out) {
    *out << c.name;
}

class ReferenceFilter : public testing::TestWithParam<VectorCase> {};

TEST_P(ReferenceFilter, HasTheReferenceFigures) {
    const VectorCase& c = GetParam();
    EXPECT_EQ(c.filter.bits_set(), c.bits_set);
    EXPECT_EQ(chain::to_hex(chain::sha256(c.filter.bytes())).substr(0, 16), c.hash);
    EXPECT_SIX_DIGITS(c.filter.false_positive_rate(), c.rate);
    EXPECT_SIX_DIGITS(classical_rate(c.size, c.elements).value(), c.classical);
    const Estimate estimate = estimate_elements(c.size, c.bits_set);
    EXPECT_SIX_DIGITS(estimate.value, c.estimate);
    // The reference deviation is computed from the true number, the estimate's from the estimated
    // number.
    const double q = 1 - expected_fill(c.size, c.elements);
    EXPECT_SIX_DIGITS(set_bits_deviation(c.size, c.elements) / (c.size.hash_functions * q),
                      c.deviation);
    EXPECT_NEAR(estimate.deviation, c.deviation, 0.05 * c.deviation);
}

INSTANTIATE_TEST_SUITE_P(
    Vectors, ReferenceFilter,
    testing::Values(VectorCase{"A", test::filter_a(), test::kSizeA, 100, 648, 7.955874e-04,
                               1.050797e-03, 95.85145, 2.087127, "da45abad57978daa"},
                    VectorCase{"B", test::filter_b(), test::kSizeA, 103, 665, 1.004402e-03,
                               1.270828e-03, 99.33952, 2.157289, "e34845b90dc07267"},
                    VectorCase{"C", test::filter_c(), test::kSizeA, 100, 667, 1.031918e-03,
                               1.050797e-03, 99.75495, 2.087127, "14fd38afbc48be1c"},
                    VectorCase{"D", test::filter_d(), test::kSizeD, 2'048, 16'662, 2.549439e-04,
                               2.546009e-04, 2048.380, 8.614963, "a25ac65371e57647"},
                    VectorCase{"E", test::filter_e(), test::kSizeE, 22, 198, 3.480550e-29,
                               3.469837e-29, 22.00758, 0.02894061, "cd02653e7df0c71a"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(FilterEstimate, HasTheFiguresOfBitcoinjIn2015) {
    // J. Nick, Privacy in BitcoinJ: 542 elements in a filter for 642 at 0.05 %. He measured a rate
    // of 0.000146. Of 56 million keys, 1.2 or 1.3 are false pairs.
    const FilterSize size{1'269, 10, false};
    const double rate = classical_rate(size, 542).value();
    EXPECT_SIX_DIGITS(rate, 1.4681780e-4);
    EXPECT_SIX_DIGITS(rate * rate * 56e6, 1.2071061);
    EXPECT_SIX_DIGITS(relative_rate_deviation(size, 542), 0.058279353);
    EXPECT_SIX_DIGITS(set_bits_deviation(size, 542), 24.476212);
}

TEST(FilterEstimate, EstimatesTheNumberOfElements) {
    const FilterSize size{1'269, 10, false};
    constexpr int kFilters = 400;
    RandomElements random(3);
    test::Mean set;
    test::Mean estimated;
    test::Mean rate;
    for (int i = 0; i < kFilters; ++i) {
        BloomFilter filter(size, random.number(), UpdateMode::none);
        random.insert_into(filter, 542);
        set.add(static_cast<double>(filter.bits_set()));
        estimated.add(estimate_elements(size, filter.bits_set()).value);
        rate.add(filter.false_positive_rate());
    }
    EXPECT_NEAR(set.value(), 8 * 1'269 * expected_fill(size, 542), 4 * set.error());
    EXPECT_NEAR(estimated.value(), 542, 4 * estimated.error());
    EXPECT_NEAR(rate.value(), classical_rate(size, 542).value(), 4 * rate.error());
    // The standard error of a standard deviation is about the deviation / sqrt(2 n).
    const double slack = 4 / std::sqrt(2.0 * kFilters);
    EXPECT_NEAR(set.deviation() / set_bits_deviation(size, 542), 1, slack);
    EXPECT_NEAR(estimated.deviation() / 4.174639, 1, slack);
    EXPECT_NEAR(rate.deviation() / rate.value() / relative_rate_deviation(size, 542), 1,
                slack + 0.02);
}

TEST(FilterEstimate, TheRateOfOneFilterIsItsFillToTheK) {
    RandomElements random(4);
    BloomFilter filter(filter_size(200, 0.01), random.number(), UpdateMode::none);
    random.insert_into(filter, 200);
    constexpr int kTries = 200'000;
    int hits = 0;
    for (int i = 0; i < kTries; ++i) hits += filter.contains(random.next()) ? 1 : 0;
    EXPECT_FREQUENCY(filter.false_positive_rate(), hits, kTries);
}

TEST(FilterEstimate, KnowsTheAverageOfSmallFilters) {
    const FilterSize size{8, 6, false};  // 64 bits
    EXPECT_SIX_DIGITS(exact_expected_rate(size, 6), 0.007083909372);
    EXPECT_SIX_DIGITS(classical_rate(size, 6).value(), 0.006567099545);
    double sum = 0;
    for (const double p : set_bits_distribution(64, 36)) sum += p;
    EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(FilterEstimate, CountsNothingInAnEmptyFilter) {
    const Estimate none = estimate_elements({100, 5, false}, 0);
    EXPECT_EQ(none.value, 0);
    EXPECT_EQ(none.deviation, 0);
    EXPECT_TRUE(classical_rate({100, 5, false}, 0).is_zero());
}

// Whatever rate a filter was designed for, the rate at which it then matches is between its design
// rates, even at the limit of 36,000 bytes.
TEST(FilterEstimate, KnowsBetweenWhichRatesAFilterWasDesigned) {
    for (const double rate : {0.4, 0.05, 1e-3, 1e-5, 3e-7, 1e-12}) {
        for (std::size_t n = 1; n < 400'000; n += 1 + n / 3) {
            for (const Rounding rounding : {Rounding::integer_division, Rounding::real_division}) {
                const FilterSize size = filter_size(n, rate, rounding);
                const auto designed = design_rates(size);
                if (size.hash_functions == kMaxHashFunctions) {
                    EXPECT_FALSE(designed);
                    continue;
                }
                ASSERT_TRUE(designed) << n << " at " << rate;
                const double then = classical_rate(size, static_cast<double>(n)).value();
                EXPECT_LE(designed->lowest, then * (1 + 1e-9)) << n << " at " << rate;
                EXPECT_GE(designed->highest, then * (1 - 1e-9)) << n << " at " << rate;
                EXPECT_LT(designed->highest, 4 * designed->lowest);
            }
        }
    }
    EXPECT_FALSE(design_rates({1, 7, false})) << "no design gives 7 functions to 8 bits";
}

TEST(FilterEstimate, HoldsAtTheLimitsOfBip37) {
    const FilterSize largest{kMaxFilterBytes, kMaxHashFunctions, false};
    const Estimate full = estimate_elements(largest, kMaxFilterBytes * 8 - 1);
    EXPECT_TRUE(std::isfinite(full.value) && std::isfinite(full.deviation));
    EXPECT_GT(full.value, 70'000);
    const FilterSize smallest{1, 1, false};
    EXPECT_NEAR(estimate_elements(smallest, 4).value, 8 * std::log(2.0), 1e-9);
}

}  // namespace
}  // namespace petal::bloom
