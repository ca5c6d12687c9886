#include "bloom/sizing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "tests/support/test_data.h"

namespace petal::bloom {
namespace {

struct SizingCase {
    std::string name;
    std::size_t elements;
    double rate;
    std::size_t bytes;
    std::uint32_t functions;       // with integer_division
    std::uint32_t functions_real;  // with real_division
    bool capped = false;
};

void PrintTo(const SizingCase& c, std::ostream* out) {
    *out << c.name;
}

class FilterSizing : public testing::TestWithParam<SizingCase> {};

TEST_P(FilterSizing, FollowsBitcoinCore) {
    const auto& c = GetParam();
    EXPECT_EQ(filter_size(c.elements, c.rate), (FilterSize{c.bytes, c.functions, c.capped}));
}

TEST_P(FilterSizing, FollowsTheTextOfBip37) {
    const auto& c = GetParam();
    EXPECT_EQ(filter_size(c.elements, c.rate, Rounding::real_division),
              (FilterSize{c.bytes, c.functions_real, c.capped}));
}

// Bitcoin Core: bloom.cpp, CBloomFilter::CBloomFilter; real division as in bitcoinj's BloomFilter.
// clang-format off
INSTANTIATE_TEST_SUITE_P(BitcoinCore, FilterSizing, testing::ValuesIn(std::initializer_list<SizingCase>{
    {"Few",           3,      0.01,     3,      5,  5},
    {"Ten",           10,     0.000001, 35,     19, 19},
    {"HundredDiffer", 100,    0.00001,  299,    15, 16},
    {"Thousand",      1'000,  0.0005,   1'977,  10, 10},
    {"ThousandFiner", 1'000,  0.00001,  2'995,  15, 16},
    {"TenThousand",   10'000, 0.000001, 35'943, 19, 19},
    {"NearlyFull",    20'000, 0.001,    35'943, 9,  9},
}), [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(Limits, FilterSizing, testing::ValuesIn(std::initializer_list<SizingCase>{
    {"LastBelowMostBytes",     20'031,        0.001,   35'999, 9,  9},
    {"FirstAboveMostBytes",    20'032,        0.001,   36'000, 9,  9,  true},
    {"ManyMore",               30'000,        0.001,   36'000, 6,  6,  true},
    {"MoreElementsThanBits",   1'000'000'000, 0.001,   36'000, 1,  1,  true},
    {"MostFunctions",          8,             5.7e-16, 73,     50, 50},
    {"OneFunctionTooMany",     8,             3.5e-16, 74,     50, 50, true},
    {"ManyFunctionsTooMany",   1,             1e-30,   17,     50, 50, true},
}), [](const auto& row) { return row.param.name; });

// Bitcoin Core gives these filters no bytes or no functions, so that they match everything.
INSTANTIATE_TEST_SUITE_P(Degenerate, FilterSizing, testing::ValuesIn(std::initializer_list<SizingCase>{
    {"NoByteAtAHalf",        1,     0.5,      1,   5, 5},
    {"NoByteAtATenth",       1,     0.1,      1,   5, 5},
    {"NoByteAtNearlyOne",    1,     0.999999, 1,   5, 5},
    {"NoFunction",           100,   0.5,      18,  1, 1},
    {"NoFunctionIfIntegers", 1'000, 0.39,     244, 1, 1},
    {"TwoFunctionsIfReal",   1'000, 0.2,      418, 2, 2},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(FilterSizingVectors, AllHold) {
    const auto vectors = test::read_test_json("vectors/bloom.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    ASSERT_GE(vectors->at("sizing").size(), 17U);
    for (const auto& row : vectors->at("sizing")) {
        const auto bytes = row.at("bytes").get<std::size_t>();
        if (bytes == 0) continue;  // no bytes in Bitcoin Core, and one byte here
        const auto elements = row.at("n").get<std::size_t>();
        const auto rate = row.at("fp").get<double>();
        const FilterSize size = filter_size(elements, rate);
        const FilterSize size_real = filter_size(elements, rate, Rounding::real_division);
        EXPECT_EQ(size.bytes, bytes) << row;
        EXPECT_EQ(size.hash_functions, row.at("hash_funcs_core").get<std::uint32_t>()) << row;
        EXPECT_EQ(size_real.bytes, bytes) << row;
        EXPECT_EQ(size_real.hash_functions,
                  row.at("hash_funcs_float_division").get<std::uint32_t>())
            << row;
    }
}

TEST(FilterSizing, AsksForAtLeastOneElementAndAProperRate) {
    EXPECT_DEATH(filter_size(0, 0.01), "elements >= 1");
    EXPECT_DEATH(filter_size(1, 0), "false_positive_rate");
    EXPECT_DEATH(filter_size(1, 1), "false_positive_rate");
}

TEST(FilterSizing, SaysWhichRateFewElementsGet) {
    // (1 - e^(-3/8))^1
    EXPECT_NEAR(filter_size(3, 0.1).expected_rate, 0.3127107212090278, 1e-12);
    const SizedFilter many = filter_size(10'000, 1e-6);
    EXPECT_EQ(many.expected_rate, expected_false_positive_rate(many, 10'000));
    EXPECT_NEAR(many.expected_rate, 1e-6, 0.1e-6);
}

struct BestFunctions {
    std::size_t bytes;
    std::size_t elements;
    std::uint32_t functions;
};

TEST(FilterSizing, FindsTheBestNumberOfFunctions) {
    for (const auto& [bytes, elements, functions] :
         std::initializer_list<BestFunctions>{{1, 1, 6},
                                              {1, 3, 2},
                                              {1, 100, 1},
                                              {2'995, 1'000, 17},
                                              {36'000, 1, 50},
                                              {36'000, 20'000, 10}}) {
        EXPECT_EQ(best_hash_functions(bytes, elements), functions) << bytes << " " << elements;
    }
    for (std::size_t bytes = 1; bytes < 60; ++bytes) {
        for (std::size_t elements = 1; elements < 60; ++elements) {
            const FilterSize best{bytes, best_hash_functions(bytes, elements), false};
            const double rate = expected_false_positive_rate(best, elements);
            for (std::uint32_t k = 1; k <= kMaxHashFunctions; ++k) {
                EXPECT_LE(rate,
                          expected_false_positive_rate({bytes, k, false}, elements) * 1.0000001)
                    << bytes << " " << elements << " " << k;
            }
        }
    }
}

TEST(FilterSizing, FindsTheSmallestFilterThatKeepsARate) {
    for (const std::size_t elements : {1U, 3U, 10U, 100U, 5'000U}) {
        for (const double rate : {0.5, 0.1, 0.01, 1e-5}) {
            const auto smallest = smallest_filter(elements, rate);
            ASSERT_TRUE(smallest) << elements << " " << rate;
            EXPECT_LE(smallest->expected_rate, rate);
            EXPECT_EQ(smallest->expected_rate, expected_false_positive_rate(*smallest, elements));
            if (smallest->bytes == 1) continue;
            const std::size_t less = smallest->bytes - 1;
            const FilterSize smaller{less, best_hash_functions(less, elements), false};
            EXPECT_GT(expected_false_positive_rate(smaller, elements), rate);
        }
    }
    EXPECT_EQ(smallest_filter(3, 0.1)->bytes, 2U);
    EXPECT_FALSE(smallest_filter(30'000, 0.001));
    EXPECT_FALSE(smallest_filter(2, 1e-300)) << "50 functions do not reach it";
    EXPECT_FALSE(smallest_filter(1'000'000'000'000, 0.9));
}

TEST(FilterSizing, FindsTheBestNumberOfFunctionsForARate) {
    for (const auto& [rate, functions] : std::initializer_list<std::pair<double, std::uint32_t>>{
             {0.9, 1}, {0.5, 1}, {0.25, 2}, {0.03, 5}, {0.001, 10}, {1e-4, 13}, {1e-300, 50}}) {
        EXPECT_EQ(best_hash_functions_at_rate(rate), functions) << rate;
    }
}

TEST(FilterSizing, CountsElementsUntilARate) {
    EXPECT_EQ(elements_at_rate({36'000, 50, false}, 1e-30), 1'666U);
    for (const double rate : {0.5, 0.01, 1e-4}) {
        const FilterSize size{5'000, 9, false};
        const std::size_t most = elements_at_rate(size, rate);
        EXPECT_LE(expected_false_positive_rate(size, most), rate);
        EXPECT_GT(expected_false_positive_rate(size, most + 1), rate);
    }
    EXPECT_EQ(elements_at_rate({1, 1, false}, 1e-9), 0U);
    // 5,760 times -ln(1 - rate^(1/50)), 40.6 for the largest double below 1.
    EXPECT_EQ(elements_at_rate({36'000, 50, false}, std::nextafter(1.0, 0.0)), 234'137U);
}

struct GeneralCase {
    std::uint64_t insertions;
    double rate;
    GeneralSize size;
    bool for_peers;
};

// Guava 33: BloomFilter.java, optimalNumOfBits() and optimalNumOfHashFunctions(), and the words of
// BloomFilterStrategies.java, LockFreeBitArray.
TEST(GeneralSizing, FollowsGuava) {
    const double two_to_32 = 4'294'967'296;
    for (const auto& [insertions, rate, size, for_peers] : std::initializer_list<GeneralCase>{
             {1, 0.03, {64, 5}, true},
             {1'000, 0.03, {7'360, 5}, true},          // 7,298 bits
             {1'000, 1e-16 * 10, {71'936, 50}, true},  // 71,887 bits
             {39'000, 0.03, {284'672, 5}, true},       // 284,639 bits
             {40'000, 0.03, {291'968, 5}, false},      // 291,937 bits: 36,496 bytes
             {1'000, 0.9, {256, 1}, true},             // 219 bits, 0.15 functions
             {4'294'967'296, 1e-4, {82'335'024'576, 13}, false},
         }) {
        EXPECT_EQ(general_size(insertions, rate), size) << insertions << " " << rate;
        EXPECT_EQ(size.for_peers().has_value(), for_peers);
    }
    EXPECT_EQ(general_size(1'000), general_size(1'000, 0.03));
    EXPECT_EQ(general_size(1'000).for_peers(), (FilterSize{920, 5, false}));
    const GeneralSize largest = general_size(4'294'967'296, 1e-4);
    EXPECT_NEAR(static_cast<double>(largest.bits), two_to_32 * 19.1701, two_to_32 * 0.0001);
    EXPECT_NEAR(largest.expected_rate(4'294'967'296), 1e-4, 0.01e-4);
    EXPECT_DEATH(general_size(0), "expected_insertions");
    EXPECT_DEATH(general_size(1, 1e-16), "false_positive_rate");
}

TEST(ExpectedRate, FollowsTheFormula) {
    EXPECT_EQ(expected_false_positive_rate({2'995, 15}, 0), 0);
    // (1 - e^(-15 * 1000 / 23960))^15 and (1 - e^(-15 * 2000 / 23960))^15.
    EXPECT_NEAR(expected_false_positive_rate({2'995, 15}, 1'000), 1.0374104937477057e-05, 1e-15);
    EXPECT_NEAR(expected_false_positive_rate({2'995, 15}, 2'000), 0.006402015520301832, 1e-13);
    EXPECT_NEAR(expected_false_positive_rate({1, 1}, 1), 0.11750309741540454, 1e-12);
    EXPECT_NEAR(expected_false_positive_rate({1, 1}, 1'000'000), 1, 1e-12);
}

}  // namespace
}  // namespace petal::bloom
