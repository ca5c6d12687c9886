#include "regtest/mempool/lock_times.h"

#include <gtest/gtest.h>

#include <array>
#include <ostream>

namespace petal::regtest {
namespace {

constexpr std::uint32_t kFirstTime = 1'600'000'000;

/// `count` blocks, a minute apart.
BlockTimes minute_blocks(std::uint32_t count) {
    BlockTimes times;
    for (std::uint32_t i = 0; i < count; ++i) times.add(kFirstTime + 60 * i);
    return times;
}

TEST(BlockTimes, TakeTheMedianOfElevenBlocks) {
    BlockTimes times;
    for (const std::uint32_t time : {5U, 1U, 9U}) times.add(time);
    EXPECT_EQ(times.median_time_past(0), 5);
    EXPECT_EQ(times.median_time_past(1), 5) << "the later of the two, as in Bitcoin Core";
    EXPECT_EQ(times.median_time_past(2), 5);
    EXPECT_EQ(minute_blocks(100).median_time_past(), kFirstTime + 60 * 94);
    EXPECT_EQ(minute_blocks(100).median_time_past(50), kFirstTime + 60 * 45);
}

TEST(BlockTimes, ForgetWhatAReorganisationDrops) {
    BlockTimes times = minute_blocks(20);
    times.truncate(9);
    EXPECT_EQ(times.next_height(), 10U);
    EXPECT_EQ(times.median_time_past(), kFirstTime + 60 * 5);
}

struct FinalRow {
    const char* name;
    std::uint32_t lock_time;
    std::uint32_t sequence;
    bool is_final;
};
void PrintTo(const FinalRow& row, std::ostream* out) {
    *out << row.name;
}

class LockTime : public testing::TestWithParam<FinalRow> {};

TEST_P(LockTime, IsComparedWithTheNextBlock) {
    const FinalRow& row = GetParam();
    chain::Transaction transaction;
    transaction.inputs.push_back({{}, {}, 0xffffffff, {}});
    transaction.inputs.push_back({{}, {}, row.sequence, {}});
    transaction.lock_time = row.lock_time;
    EXPECT_EQ(is_final(transaction, minute_blocks(100)), row.is_final);
}

// The next block's height is 100, and lock times are compared with the median time past of block
// 99, which is the time of block 94 (BIP113).
// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, LockTime, testing::ValuesIn<FinalRow>({
    {"None", 0, 0, true},
    {"TheTip", 99, 0, true},
    {"TheNextBlock", 100, 0, false},
    {"TheNextBlockWithFinalInputs", 100, 0xffffffff, true},
    {"TheLastHeight", 499'999'999, 0, false},
    {"TheFirstTime", 500'000'000, 0, true},
    {"BeforeTheMedian", kFirstTime + 60 * 94 - 1, 0, true},
    {"TheMedian", kFirstTime + 60 * 94, 0, false},
}), [](const auto& row) { return row.param.name; });
// clang-format on

struct SequenceRow {
    const char* name;
    std::int32_t version;
    std::uint32_t sequence;
    std::uint32_t coin_height;
    bool is_met;
};
void PrintTo(const SequenceRow& row, std::ostream* out) {
    *out << row.name;
}

class SequenceLock : public testing::TestWithParam<SequenceRow> {};

TEST_P(SequenceLock, IsCountedFromTheCoinsBlock) {
    const SequenceRow& row = GetParam();
    chain::Transaction transaction;
    transaction.version = row.version;
    transaction.inputs.push_back({{}, {}, 0xffffffff, {}});
    transaction.inputs.push_back({{}, {}, row.sequence, {}});
    const std::array heights{std::uint32_t{1}, row.coin_height};
    EXPECT_EQ(are_sequence_locks_met(transaction, heights, minute_blocks(100)), row.is_met);
}

constexpr std::uint32_t kTime = 1U << 22U;

// The coin's time is the median time past of block 39, which is the time of block 34. That of the
// tip is the time of block 94, 3,600 s later: 7 x 512 s are 3,584 s, 8 x 512 s are 4,096 s.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, SequenceLock, testing::ValuesIn<SequenceRow>({
    {"None", 2, 0, 99, true},
    {"Reached", 2, 10, 90, true},
    {"OneBlockTooEarly", 2, 10, 91, false},
    {"OfVersionOne", 1, 10, 91, true},
    {"OfANegativeVersion", -1, 10, 91, false},
    {"Disabled", 2, (1U << 31U) | 10, 91, true},
    {"BitsWithoutAMeaning", 2, (1U << 16U) | 9, 91, true},
    {"AnUnconfirmedCoin", 2, 0, 100, true},
    {"AnUnconfirmedCoinOfOneBlock", 2, 1, 100, false},
    {"TimeReached", 2, kTime | 7, 40, true},
    {"TimeNotReached", 2, kTime | 8, 40, false},
    {"TimeOfTheGenesisBlocksCoin", 2, kTime | 0, 0, true},
}), [](const auto& row) { return row.param.name; });
// clang-format on

}  // namespace
}  // namespace petal::regtest
