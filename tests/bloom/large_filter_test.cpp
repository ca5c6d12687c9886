#include "bloom/large_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "bloom/murmur3_128.h"

namespace petal::bloom {
namespace {

chain::Bytes bytes_of(const GeneralSize& size) {
    return chain::Bytes(static_cast<std::size_t>(size.bits / 8));
}

std::string element(int number) {
    return "element " + std::to_string(number);
}

TEST(LargeFilter, HoldsWhatWasInserted) {
    const GeneralSize size = general_size(5'000, 0.01);
    chain::Bytes bytes = bytes_of(size);
    LargeFilter filter(bytes, size.hash_functions);
    EXPECT_EQ(filter.size(), size);
    EXPECT_EQ(filter.fill(), 0);
    int surely_new = 0;
    for (int i = 0; i < 5'000; ++i) surely_new += filter.insert(chain::as_bytes(element(i)));
    // The others match by chance, at most one in a hundred.
    EXPECT_GT(surely_new, 4'950);
    for (int i = 0; i < 5'000; ++i) {
        EXPECT_TRUE(filter.contains(chain::as_bytes(element(i)))) << i;
        EXPECT_FALSE(filter.insert(chain::as_bytes(element(i)))) << i;
    }
    int mistaken = 0;
    for (int i = 5'000; i < 105'000; ++i) mistaken += filter.contains(chain::as_bytes(element(i)));
    EXPECT_NEAR(mistaken, 1'000, 4 * std::sqrt(1'000));
    EXPECT_NEAR(filter.false_positive_rate(), 0.01, 0.0007);
    EXPECT_NEAR(filter.fill(), 0.5, 0.02);
}

// Guava: BloomFilterStrategies.java, MURMUR128_MITZ_64.
TEST(LargeFilter, SetsTheBitsOfH1PlusITimesH2) {
    for (const std::size_t size : {8U, 24U, 1'000U}) {
        chain::Bytes bytes(size);
        LargeFilter filter(bytes, 7);
        filter.insert(chain::as_bytes("an element"));
        const Hash128 hash = murmur3_128(0, chain::as_bytes("an element"));
        chain::Bytes expected(size);
        for (std::uint64_t i = 0; i < 7; ++i) {
            const std::uint64_t combined = hash.low + i * hash.high;
            const std::uint64_t bit = (combined & 0x7fffffffffffffffU) % (size * 8);
            expected[bit / 8] = static_cast<chain::Byte>(expected[bit / 8] | 1U << bit % 8);
        }
        EXPECT_EQ(bytes, expected) << size;
    }
}

TEST(LargeFilter, EstimatesTheFillOfManyBytes) {
    constexpr std::size_t kMegabyte = 1'048'576;
    chain::Bytes bytes(40 * kMegabyte);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = i % 4 == 0 ? 0xff : 0x01;
    const LargeFilter filter(bytes, 3);
    EXPECT_DOUBLE_EQ(filter.fill(), (8.0 + 3) / 32);
    EXPECT_DOUBLE_EQ(filter.false_positive_rate(), std::pow(11.0 / 32, 3));
}

}  // namespace
}  // namespace petal::bloom
