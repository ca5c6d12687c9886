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
