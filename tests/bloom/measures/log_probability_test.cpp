#include "bloom/measures/log_probability.h"

#include <gtest/gtest.h>

namespace petal::bloom {
namespace {

TEST(LogProbability, PrintsThreeDigitsHoweverSmall) {
    EXPECT_EQ(LogProbability::of(1).to_string(), "1");
    EXPECT_EQ(LogProbability::of(0.001).to_string(), "0.001");
    EXPECT_EQ(LogProbability::power(198.0 / 287'544, 9).to_string(), "3.48e-29");
    // (1/288,000)^50, the rate of the sparsest filter that BIP37 allows, and its third power.
    const auto sparsest = LogProbability::power(1.0 / 288'000, 50);
    EXPECT_EQ(sparsest.to_string(), "1.07e-273");
    EXPECT_EQ((sparsest * sparsest * sparsest).to_string(), "1.23e-819");
    EXPECT_EQ(LogProbability().to_string(), "0");
}

TEST(LogProbability, CarriesARoundingIntoTheExponent) {
    const double ln10 = 2.302585092994046;
    EXPECT_EQ(LogProbability::from_ln(-400 * ln10 - 1e-9).to_string(), "1e-400");
    EXPECT_EQ(LogProbability::from_ln(-400 * ln10).to_string(), "1e-400");
}

TEST(LogProbability, ComparesAndMultiplies) {
    const auto half = LogProbability::of(0.5);
    EXPECT_DOUBLE_EQ((half * half).value(), 0.25);
    EXPECT_DOUBLE_EQ(half.log2(), -1);
    EXPECT_LT(half * half, half);
    EXPECT_LT(LogProbability(), LogProbability::power(1e-5, 1'000));
    EXPECT_TRUE(LogProbability().is_zero());
    EXPECT_FALSE(LogProbability::power(1e-5, 1'000).is_zero());
    EXPECT_DOUBLE_EQ(LogProbability::power(0, 0).value(), 1);
    EXPECT_DOUBLE_EQ(LogProbability::power(0, 3).value(), 0);
}

}  // namespace
}  // namespace petal::bloom
