#include "bloom/measures/count_privacy.h"

#include <algorithm>
#include <vector>

#include "bloom/measures/combinatorics.h"
#include "bloom/measures/filter_estimate.h"
#include "samples.h"

namespace petal::bloom {
namespace {

using test::exact_expected_rate;
using test::RandomElements;
using test::set_bits_distribution;

struct PublishedCase {
    const char* name;
    double used;
    FilterSize size;
    double false_addresses;
    double one;
    double all;
    double all_mean;
};
void PrintTo(const PublishedCase& c, std::ostream* out) {
    *out << c.name;
}

class PublishedGuess : public testing::TestWithParam<PublishedCase> {};

// Gervais et al. 2014: 33 million addresses, 0.05 %, 2N elements in a filter for 2N + 100 elements.
TEST_P(PublishedGuess, IsReproduced) {
    const PublishedCase& c = GetParam();
    const auto rate = classical_rate(c.size, 2 * c.used);
    const double f = expected_false_addresses(33e6, c.used, rate);
    EXPECT_SIX_DIGITS(f, c.false_addresses);
    EXPECT_SIX_DIGITS(guess_probability(c.used, f, 1).value(), c.one);
    EXPECT_SIX_DIGITS(guess_probability(c.used, f, c.used).value(), c.all);
    EXPECT_SIX_DIGITS(mean_guess_probability(c.used, f, c.used).value(), c.all_mean);
}

INSTANTIATE_TEST_SUITE_P(
    Gervais, PublishedGuess,
    testing::Values(
        PublishedCase{"N1", 1, {201, 10, false}, 2.75623e-12, 1, 1, 1},
        // The paper gives 0.99 for all ten addresses.
        PublishedCase{"N10", 10, {237, 10, false}, 0.003345582, 0.9996656, 0.9902573, 0.9969632},
        // The paper gives almost 0.80 for all fifteen addresses; the mean is 0.936.
        PublishedCase{"N15", 15, {257, 10, false}, 0.07038487, 0.9953296, 0.7947152, 0.9361522},
        PublishedCase{"N20", 20, {276, 10, false}, 0.5159107, 0.9748531, 0.1854738, 0.611974}),
    [](const auto& test) { return std::string(test.param.name); });

struct BarCase {
    const char* name;
    double universe;
    int elements;
    FilterSize size;
    double rate;
    double false_addresses;
    double one;
    double both_filters;
    double one_of_both;
    double leaked;
};
void PrintTo(const BarCase& c, std::ostream* out) {
    *out << c.name;
}

class CountPrivacyTable : public testing::TestWithParam<BarCase> {};

TEST_P(CountPrivacyTable, HasTheReferenceFigures) {
    const BarCase& c = GetParam();
    const auto rate = classical_rate(c.size, c.elements);
    EXPECT_SIX_DIGITS(rate.value(), c.rate);
    const double f = expected_false_addresses(c.universe, c.elements, rate);
    EXPECT_SIX_DIGITS(f, c.false_addresses);
    EXPECT_SIX_DIGITS(guess_probability(c.elements, f, 1).value(), c.one);
    const double both = expected_false_addresses(c.universe, c.elements, rate * rate);
    EXPECT_SIX_DIGITS(both, c.both_filters);
    EXPECT_SIX_DIGITS(guess_probability(c.elements, both, 1).value(), c.one_of_both);
    EXPECT_SIX_DIGITS(bits_leaked(c.universe, c.elements, f), c.leaked);
}

// Sizes as by Bitcoin Core for these elements at 5e-4, 1e-3, 1e-4, 1e-5, 1e-3, 1e-4, 5e-4, 1e-2.
INSTANTIATE_TEST_SUITE_P(Bar, CountPrivacyTable,
                         testing::Values(BarCase{"a",
                                                 33e6,
                                                 20,
                                                 {39, 10, false},
                                                 0.0005699805,
                                                 18809.34,
                                                 0.001062172,
                                                 10.72096,
                                                 0.6510214,
                                                 10.776},
                                         BarCase{"b",
                                                 33e6,
                                                 100,
                                                 {179, 9, false},
                                                 0.001050797,
                                                 34676.2,
                                                 0.00287553,
                                                 36.43765,
                                                 0.7329355,
                                                 9.892203},
                                         BarCase{"c",
                                                 33e6,
                                                 1000,
                                                 {2396, 13, false},
                                                 0.0001002589,
                                                 3308.443,
                                                 0.2321024,
                                                 0.3317008,
                                                 0.9996684,
                                                 13.08493},
                                         BarCase{"d",
                                                 1.5e9,
                                                 20,
                                                 {59, 15, false},
                                                 1.234974e-05,
                                                 18524.61,
                                                 0.00107848,
                                                 0.2287742,
                                                 0.9886907,
                                                 16.30434},
                                         BarCase{"e",
                                                 1.5e9,
                                                 20,
                                                 {35, 9, false},
                                                 0.001226686,
                                                 1840029,
                                                 1.086927e-05,
                                                 2257.138,
                                                 0.008782953,
                                                 9.67101},
                                         BarCase{"f",
                                                 1.5e9,
                                                 100,
                                                 {239, 13, false},
                                                 0.0001027875,
                                                 154181.3,
                                                 0.0006481668,
                                                 15.84791,
                                                 0.8632007,
                                                 13.24757},
                                         BarCase{"g",
                                                 1.5e9,
                                                 1000,
                                                 {1977, 10, false},
                                                 0.0005108264,
                                                 766239.1,
                                                 0.001303375,
                                                 391.4151,
                                                 0.7186928,
                                                 10.93394},
                                         BarCase{"h",
                                                 1.5e9,
                                                 1000,
                                                 {1198, 6, false},
                                                 0.01015028,
                                                 1.522541e+07,
                                                 6.567536e-05,
                                                 154542.2,
                                                 0.006429123,
                                                 6.62229}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(GuessProbability, IsTheProductOfThePaper) {
    // 4/9 * 3/8 * 2/7
    EXPECT_SIX_DIGITS(guess_probability(4, 5, 3).value(), 24.0 / 504);
    EXPECT_DOUBLE_EQ(guess_probability(4, 0, 4).value(), 1);
    EXPECT_DOUBLE_EQ(guess_probability(4, 5, 0).value(), 1);
}

TEST(GuessProbability, StaysExactForHugeCrowds) {
    // The exact value, computed with 60 digits: prod (5 - i) / (1e10 + 5 - i).
    EXPECT_SIX_DIGITS(guess_probability(5, 1e10, 1).value(), 5 / (1e10 + 5));
    EXPECT_NEAR(guess_probability(5, 1e10, 5).ln(),
                std::log(120.0) - 5 * std::log(1e10) - 15 / 1e10, 1e-9);
    EXPECT_GT(guess_probability(3'070, 14'983.75, 3'070).ln(), -1e5);
    EXPECT_EQ(guess_probability(3'070, 14'983.75, 3'070).value(), 0);
    EXPECT_FALSE(guess_probability(3'070, 14'983.75, 3'070).is_zero());
}

TEST(GuessProbability, FallsWithFalseAddressesAndWithGuesses) {
    for (double f = 0; f < 100; f += 7) {
        EXPECT_GT(guess_probability(9, f, 3), guess_probability(9, f + 1, 3));
        EXPECT_GE(guess_probability(9, f, 3), guess_probability(9, f, 4));
    }
}

TEST(MeanGuessProbability, HasTheReferenceFiguresOfSeveralFilters) {
    // Karame and Androulaki's experiment: 3,070 addresses, and the intersection of more and more
    // filters.
    EXPECT_SIX_DIGITS(guess_probability(3'070, 14'983.75, 1).value(), 0.1700478);
    EXPECT_SIX_DIGITS(guess_probability(3'070, 6.815003, 1).value(), 0.997785);
    EXPECT_SIX_DIGITS(mean_guess_probability(3'070, 6.815003, 3'070).value(), 0.00109963);
    EXPECT_SIX_DIGITS(mean_guess_probability(3'070, 0.003104757, 3'070).value(), 0.9969011);
}

TEST(MeanGuessProbability, SumsEvenIfPlainTermsUnderflow) {
    // By Jensen's inequality, it is never below the plug-in form. For large means, the two are
    // nearly equal.
    for (const double mean : {0.01, 3.0, 50.0, 700.0, 1e4, 1.5e6, 1e9}) {
        const double plain = guess_probability(20, mean, 1).value();
        const double exact = mean_guess_probability(20, mean, 1).value();
        EXPECT_GE(exact, plain * (1 - 1e-9)) << mean;
        EXPECT_NEAR(exact, plain, plain * (0.001 + 1 / mean) + (mean < 4 ? 0.1 : 0)) << mean;
    }
    EXPECT_DOUBLE_EQ(mean_guess_probability(20, 0, 20).value(), 1);
}

TEST(MeanGuessProbability, AgreesWithThePlainSum) {
    for (const double mean : {0.3, 2.0, 11.0}) {
        for (const double guesses : {1.0, 3.0, 8.0}) {
            double sum = 0;
            for (int f = 0; f < 90; ++f) {
                sum += std::exp(log_poisson(f, mean)) * guess_probability(8, f, guesses).value();
            }
            EXPECT_SIX_DIGITS(mean_guess_probability(8, mean, guesses).value(), sum);
        }
    }
}

// The complete attack: small filters, 400 other addresses, and a guess among the matches.
TEST(MeanGuessProbability, IsWhatTheAttackAchieves) {
    constexpr int kGames = 3'000;
    constexpr int kUsed = 6;
    const FilterSize size = filter_size(kUsed, 0.005);
    RandomElements random(1);
    int first = 0;
    int first_three = 0;
    double matched = 0;
    for (int game = 0; game < kGames; ++game) {
        BloomFilter filter(size, random.number(), UpdateMode::none);
        random.insert_into(filter, kUsed);
        std::size_t false_matches = 0;
        for (int i = 0; i < 400; ++i) false_matches += filter.contains(random.next()) ? 1U : 0U;
        matched += static_cast<double>(false_matches);
        std::vector<int> pool(kUsed, 1);
        pool.resize(kUsed + false_matches, 0);
        for (std::size_t i = 0; i < 3; ++i)
            std::swap(pool[i], pool[i + random.below(pool.size() - i)]);
        first += pool[0];
        first_three += pool[0] * pool[1] * pool[2];
    }

    // For such small sizes, the mean number of set bits is not enough; the distribution is needed.
    const auto distribution = set_bits_distribution(size.bytes * 8, size.hash_functions * kUsed);
    double one = 0;
    double three = 0;
    for (std::size_t x = 1; x < distribution.size(); ++x) {
        const double fill = static_cast<double>(x) / static_cast<double>(size.bytes * 8);
        const double mean = 400 * std::pow(fill, size.hash_functions);
        one += distribution[x] * mean_guess_probability(kUsed, mean, 1).value();
        three += distribution[x] * mean_guess_probability(kUsed, mean, 3).value();
    }
    EXPECT_SIX_DIGITS(one, 0.7139683);
    EXPECT_SIX_DIGITS(three, 0.3672119);
    EXPECT_FREQUENCY(one, first, kGames);
    EXPECT_FREQUENCY(three, first_three, kGames);
    EXPECT_NEAR(matched / kGames, 400 * exact_expected_rate(size, kUsed),
                4 * 3.2 / std::sqrt(kGames));
}

TEST(Information, AgreesWithCountingSubsets) {
    // C(40, 3) = 9,880 wallets are possible before the attack, and C(3 + 7, 3) = 120 after it.
    EXPECT_SIX_DIGITS(bits_leaked(40, 3, 7), std::log2(9'880.0 / 120) / 3);
    EXPECT_SIX_DIGITS(bits_left(3, 7), std::log2(120.0) / 3);
    EXPECT_NEAR(bits_leaked(40, 3, 37), 0, 1e-9);
    EXPECT_SIX_DIGITS(bits_leaked(1.5e9, 100, 1'193'381.0), 10.29563);
    EXPECT_SIX_DIGITS(bits_left(100, 1'193'381.0), 14.93903);
    EXPECT_DOUBLE_EQ(anonymity_set(20, 80), 5);
}

TEST(Deniability, HasTheReferenceFigure) {
    const double bits_set = 817.0445961;  // 2,000 bits, k = 7, 150 elements
    EXPECT_SIX_DIGITS(deniability(bits_set, 7, 400), 0.79399696);
    EXPECT_DOUBLE_EQ(deniability(bits_set, 7, 0), 0);
    EXPECT_NEAR(deniability_cover(bits_set, 7, 400, 2), 0.793997, 0.001);
    EXPECT_DOUBLE_EQ(deniability_cover(bits_set, 7, 400, 1), 1);
    EXPECT_LT(deniability_cover(bits_set, 7, 400, 3), deniability_cover(bits_set, 7, 400, 2));
}

TEST(Deniability, IsWhatFalseAddressesCover) {
    // With ideal hashes, the number of false addresses is exact.
    constexpr std::size_t kBits = 2'000;
    constexpr int kFunctions = 7;
    RandomElements random(2);
    test::Mean share;
    for (int trial = 0; trial < 60; ++trial) {
        std::vector<std::array<std::size_t, kFunctions>> elements(150);
        std::vector<std::size_t> set;
        for (auto& element : elements) {
            for (auto& bit : element) set.push_back(bit = random.below(kBits));
        }
        std::ranges::sort(set);
        set.erase(std::unique(set.begin(), set.end()), set.end());
        std::vector<bool> covered(kBits);
        for (int i = 0; i < kFunctions * 400; ++i) covered[set[random.below(set.size())]] = true;
        const auto deniable = std::ranges::count_if(elements, [&](const auto& element) {
            return std::ranges::all_of(element, [&](std::size_t bit) { return covered[bit]; });
        });
        share.add(static_cast<double>(deniable) / 150);
    }
    EXPECT_NEAR(share.value(), deniability(817.0445961, kFunctions, 400),
                4 * share.error() + 0.005);
}

TEST(Combinatorics, KeepsItsDigits) {
    EXPECT_SIX_DIGITS(std::exp(log_falling(10, 3)), 720.0);
    EXPECT_SIX_DIGITS(std::exp(log_choose(52, 5)), 2'598'960.0);
    EXPECT_NEAR(log_falling(1e10, 2), 2 * std::log(1e10) - 1e-10, 1e-12);
    EXPECT_NEAR(log_falling(1e10, 1e6), 1e6 * std::log(1e10) - 5e11 / 1e10 - 1e18 / 6e20, 1e-4);
    EXPECT_DOUBLE_EQ(log_falling(7, 0), 0);
    EXPECT_SIX_DIGITS(std::exp(log_poisson(2, 3)), 4.5 * std::exp(-3.0));
    // The normal approximation: 1 / sqrt(2 pi 1e10)
    EXPECT_SIX_DIGITS(std::exp(log_poisson(1e10, 1e10)), 3.989422804e-6);
    double sum = 0;
    for (int i = 0; i < 300; ++i) sum += std::exp(log_poisson(i, 100));
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_SIX_DIGITS(poisson_at_least(1, 0.5), 1 - std::exp(-0.5));
    EXPECT_SIX_DIGITS(poisson_at_least(2, 0.5), 1 - 1.5 * std::exp(-0.5));
}

}  // namespace
}  // namespace petal::bloom
