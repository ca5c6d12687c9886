#include "bloom/fast_remainder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "bloom/sizing.h"

namespace petal::bloom {
namespace {

constexpr std::uint32_t kEnd = std::uint32_t{1} << FastRemainder::kDividendBits;

// If the quotient is inexact, the first wrong results are at the largest multiples of the divisor
// and one below.
TEST(FastRemainder, IsExactAtTheLargestMultiplesOfEverySize) {
    for (std::uint32_t divisor = 1; divisor <= kMaxFilterBytes; ++divisor) {
        const FastRemainder remainder(divisor);
        const std::uint32_t largest_multiple = (kEnd - 1) / divisor * divisor;
        ASSERT_EQ(remainder(largest_multiple), 0U) << divisor;
        ASSERT_EQ(remainder(largest_multiple - 1), divisor - 1) << divisor;
        ASSERT_EQ(remainder(kEnd - 1), (kEnd - 1) % divisor) << divisor;
        ASSERT_EQ(remainder(0), 0U) << divisor;
        ASSERT_EQ(remainder(divisor), 0U) << divisor;
        ASSERT_EQ(remainder(divisor - 1), divisor - 1) << divisor;
    }
}

TEST(FastRemainder, IsExactInBetween) {
    std::mt19937 random(1);
    for (int i = 0; i < 200'000; ++i) {
        const auto divisor = static_cast<std::uint32_t>(random() % kMaxFilterBytes + 1);
        const auto dividend = static_cast<std::uint32_t>(random() % kEnd);
        ASSERT_EQ(FastRemainder(divisor)(dividend), dividend % divisor)
            << dividend << " % " << divisor;
    }
}

TEST(FastRemainder, TakesDivisorsUpTo65535) {
    EXPECT_EQ(FastRemainder(0xffff)(kEnd - 1), (kEnd - 1) % 0xffff);
    EXPECT_DEATH(FastRemainder(0x10000), "by <= 0xffff");
    EXPECT_DEATH(FastRemainder(0), "by > 0");
}

}  // namespace
}  // namespace petal::bloom
