#include "net/peer/byte_budget.h"

#include <gtest/gtest.h>

namespace petal::net {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstBytes{1'000'000'000};

TEST(ByteBudget, EndsAFloodAfterSixteenMegabytes) {
    ByteBudget budget;
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(budget.spend(4'000'000, kFirstBytes));
    EXPECT_FALSE(budget.spend(1, kFirstBytes));
}

TEST(ByteBudget, GrowsWithTime) {
    ByteBudget budget;
    milliseconds now = kFirstBytes;
    EXPECT_TRUE(budget.spend(ByteBudget::kAtOnce, now));
    for (int i = 0; i < 1'000; ++i) {
        now += milliseconds{500};
        EXPECT_TRUE(budget.spend(ByteBudget::kPerSecond / 2, now));
    }
    EXPECT_FALSE(budget.spend(1, now));
}

TEST(ByteBudget, SavesNoMoreThanItAllowsAtOnce) {
    ByteBudget budget;
    EXPECT_TRUE(budget.spend(1, milliseconds{0}));
    EXPECT_TRUE(budget.spend(ByteBudget::kAtOnce, milliseconds::max()));
    EXPECT_FALSE(budget.spend(1, milliseconds::max()));
}

TEST(ByteBudget, DoesNotGrowWhileTheClockGoesBack) {
    ByteBudget budget;
    EXPECT_TRUE(budget.spend(ByteBudget::kAtOnce, kFirstBytes));
    EXPECT_FALSE(budget.spend(1, kFirstBytes - milliseconds{1'000}));
}

}  // namespace
}  // namespace petal::net
