#include "chain/expected.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace petal::chain {
namespace {

enum class Trouble { small, large };

Expected<std::string, Trouble> text(bool good) {
    if (!good) return Unexpected(Trouble::large);
    return std::string("fine");
}

Expected<void, Trouble> nothing(bool good) {
    if (!good) return Unexpected(Trouble::small);
    return {};
}

TEST(Expected, HoldsAValue) {
    const auto result = text(true);
    ASSERT_TRUE(result.has_value());
    EXPECT_TRUE(static_cast<bool>(result));
    EXPECT_EQ(*result, "fine");
    EXPECT_EQ(result->size(), 4U);
    EXPECT_EQ(result.value_or("other"), "fine");
}

TEST(Expected, HoldsAnError) {
    const auto result = text(false);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error(), Trouble::large);
    EXPECT_EQ(result.value_or("other"), "other");
}

TEST(Expected, TellsValueFromErrorOfTheSameType) {
    const Expected<int, int> value = 3;
    const Expected<int, int> error = Unexpected(3);
    EXPECT_TRUE(value.has_value());
    EXPECT_FALSE(error.has_value());
}

TEST(Expected, GivesAwayAValueThatOnlyMoves) {
    Expected<std::unique_ptr<int>, Trouble> result = std::make_unique<int>(5);
    const std::unique_ptr<int> taken = *std::move(result);
    EXPECT_EQ(*taken, 5);
}

TEST(Expected, OfNothingSucceedsOrFails) {
    EXPECT_TRUE(nothing(true).has_value());
    const auto failed = nothing(false);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error(), Trouble::small);
}

}  // namespace
}  // namespace petal::chain
