#include "bloom/packed_counters.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace petal::bloom {
namespace {

template <typename Counters>
class PackedCountersTest : public testing::Test {};

using AllCounters = testing::Types<Bitmap, TwoBitMap, PackedCounters<4>>;
TYPED_TEST_SUITE(PackedCountersTest, AllCounters);

TYPED_TEST(PackedCountersTest, CountsAsAVectorOfNumbersDoes) {
    for (const std::size_t size : {1U, 7U, 8U, 9U, 1'000U}) {
        TypeParam counters(size);
        std::vector<unsigned> naive(size, 0);
        std::mt19937 random(7);
        for (int i = 0; i < 3'000; ++i) {
            const std::size_t number = random() % size;
            EXPECT_EQ(counters.add(number), naive[number]);
            if (naive[number] < TypeParam::kMost) ++naive[number];
            const std::size_t other = random() % size;
            const auto value = static_cast<std::uint8_t>(random() % (TypeParam::kMost + 1U));
            counters.set(other, value);
            naive[other] = value;
        }
        std::vector<std::pair<std::size_t, unsigned>> visited;
        counters.visit_counted([&visited](std::size_t number, std::uint8_t count) {
            visited.emplace_back(number, count);
        });
        std::vector<std::pair<std::size_t, unsigned>> expected;
        for (std::size_t i = 0; i < size; ++i) {
            EXPECT_EQ(counters.count(i), naive[i]);
            if (naive[i] != 0) expected.emplace_back(i, naive[i]);
        }
        EXPECT_EQ(visited, expected);
    }
}

TEST(PackedCounters, TakesAsFewBytesAsItsBitsNeed) {
    EXPECT_EQ(Bitmap(0).bytes(), 0U);
    EXPECT_EQ(Bitmap(9).bytes(), 2U);
    EXPECT_EQ(TwoBitMap(9).bytes(), 3U);
    EXPECT_EQ(PackedCounters<4>(9).bytes(), 5U);
    EXPECT_EQ(Bitmap(9).size(), 9U);
}

}  // namespace
}  // namespace petal::bloom
