#include "bloom/counting_filter.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/bloom/measures/samples.h"

namespace petal::bloom {
namespace {

using test::reference_element;

TEST(CountingFilter, ProjectsToTheFilterOfItsElements) {
    for (const FilterSize& size : {FilterSize{179, 9}, FilterSize{4'419, 11}, FilterSize{900, 50},
                                   FilterSize{36'000, 3}, FilterSize{64, 1}}) {
        CountingFilter counting(size, 77);
        BloomFilter plain(size, 77, UpdateMode::all);
        for (int i = 0; i < 60; ++i) {
            counting.insert(reference_element(i));
            if (i % 3 == 0) plain.insert(reference_element(i));
        }
        ASSERT_EQ(counting.saturated(), 0U) << size.bytes;
        for (int i = 0; i < 60; ++i) {
            if (i % 3 != 0) counting.remove(reference_element(i));
        }
        const auto projected = counting.project(UpdateMode::all);
        ASSERT_TRUE(projected);
        EXPECT_EQ(*projected, plain) << size.bytes;
    }
}

TEST(CountingFilter, IsEmptyOnceAllElementsAreRemoved) {
    CountingFilter counting({300, 7}, 1);
    EXPECT_FALSE(counting.contains(reference_element(1)));
    const chain::Bytes longer(1'000, 0x5a);  // more than the buffer on the stack holds
    const chain::Bytes none;
    for (const auto& element : {reference_element(1), reference_element(1), longer, none}) {
        counting.insert(element);
    }
    counting.remove(reference_element(1));
    EXPECT_TRUE(counting.contains(reference_element(1))) << "it was inserted twice";
    EXPECT_TRUE(counting.contains(longer));
    EXPECT_TRUE(counting.contains(none));
    counting.remove(reference_element(1));
    counting.remove(longer);
    counting.remove(none);
    EXPECT_EQ(counting.project(UpdateMode::none)->bits_set(), 0U);
    EXPECT_EQ(counting.bytes(), 1'200U);
}

TEST(CountingFilter, NeverDeniesWhatItHoldsHoweverFull) {
    // With eight counters for a hundred elements, every counter saturates and stays so.
    CountingFilter counting({1, 3}, 5);
    for (int i = 0; i < 100; ++i) counting.insert(reference_element(i));
    EXPECT_EQ(counting.saturated(), 8U);
    for (int i = 0; i < 99; ++i) counting.remove(reference_element(i));
    EXPECT_TRUE(counting.contains(reference_element(99)));
    EXPECT_EQ(counting.project(UpdateMode::none).error(), FilterError::all_ones);
}

TEST(CountingFilter, CountsToFourteenAndBack) {
    CountingFilter counting({100, 1}, 5);
    for (int i = 0; i < 14; ++i) counting.insert(reference_element(0));
    EXPECT_EQ(counting.saturated(), 0U);
    for (int i = 0; i < 14; ++i) counting.remove(reference_element(0));
    EXPECT_FALSE(counting.contains(reference_element(0)));
    for (int i = 0; i < 15; ++i) counting.insert(reference_element(0));
    EXPECT_EQ(counting.saturated(), 1U);
    for (int i = 0; i < 15; ++i) counting.remove(reference_element(0));
    EXPECT_TRUE(counting.contains(reference_element(0)));
}

// A long random history, compared with a list of the elements. The projections must stay equal.
TEST(CountingFilter, AgreesWithRebuildingThroughALongLife) {
    const FilterSize size{800, 6};
    CountingFilter counting(size, 9);
    test::RandomElements random(30);
    std::vector<int> held;
    for (int step = 0; step < 4'000; ++step) {
        if (held.size() < 300 && random.below(5) < 3) {
            held.push_back(step);
            counting.insert(reference_element(step));
        } else if (!held.empty()) {
            const std::size_t at = random.below(held.size());
            counting.remove(reference_element(held[at]));
            held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
        }
        if (step % 500 != 499) continue;
        ASSERT_EQ(counting.saturated(), 0U);
        BloomFilter plain(size, 9, UpdateMode::none);
        for (const int number : held) plain.insert(reference_element(number));
        ASSERT_EQ(*counting.project(UpdateMode::none), plain);
        for (const int number : held) ASSERT_TRUE(counting.contains(reference_element(number)));
    }
}

}  // namespace
}  // namespace petal::bloom
