// Which peer is asked for which blocks, and for how many at a time.
#include "net/sync/blocks/block_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "net/peer/request_pacer.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using Heights = std::vector<std::uint32_t>;

constexpr PeerId kAlice = 1;
constexpr PeerId kBob = 2;
constexpr milliseconds kAskedAt{1'000};

bool any(std::uint32_t /*height*/) {
    return true;
}

BlockSchedule schedule_from(std::uint32_t height) {
    BlockSchedule schedule;
    schedule.start_at(height);
    return schedule;
}

TEST(BlockSchedule, AssignsTheLowestUnassignedBlocks) {
    BlockSchedule schedule = schedule_from(5);
    EXPECT_EQ(schedule.take(kAlice, 3, 100, any, kAskedAt), (Heights{5, 6, 7}));
    EXPECT_EQ(schedule.take(kBob, 2, 100, any, kAskedAt), (Heights{8, 9}));
    EXPECT_EQ(schedule.next(), 10U);
    EXPECT_EQ(schedule.open(), 5U);
    EXPECT_EQ(schedule.take(kAlice, 5, 11, any, kAskedAt), (Heights{10, 11}));
    EXPECT_EQ(schedule.take(kBob, 1, 11, any, kAskedAt), Heights{});
    EXPECT_EQ(schedule.take(kBob, 1, 12, any, kAskedAt), Heights{12});
}

TEST(BlockSchedule, ReassignsLostBlocks) {
    BlockSchedule schedule = schedule_from(1);
    schedule.take(kAlice, 4, 100, any, kAskedAt);
    schedule.on_arrived(2);
    schedule.on_lost(kAlice, {1, 3, 4});
    EXPECT_EQ(schedule.lowest_open(), 1U);
    EXPECT_EQ(schedule.take(kBob, 4, 100, any, kAskedAt), (Heights{1, 3, 4, 5}));
}

TEST(BlockSchedule, LeavesBlocksToAnotherPeer) {
    const auto may_take = [](std::uint32_t height) { return height != 2; };
    BlockSchedule schedule = schedule_from(1);
    schedule.take(kAlice, 3, 100, any, kAskedAt);
    schedule.on_lost(kAlice, {1, 2, 3});
    EXPECT_EQ(schedule.take(kBob, 4, 5, may_take, kAskedAt), (Heights{1, 3, 4, 5}));
    EXPECT_EQ(schedule.take(kAlice, 4, 5, any, kAskedAt), Heights{2});

    const BlockSchedule::Helper bob{kBob, 5, milliseconds{0}, may_take};
    EXPECT_EQ(schedule.next_take_over(bob), std::nullopt);
    EXPECT_EQ(schedule.take_over(bob, 1, kAskedAt), Heights{});
    EXPECT_EQ(schedule.take_over({kBob, 5, milliseconds{0}, any}, 1, kAskedAt), Heights{2});
}

TEST(BlockSchedule, BoundsTheBlocksAhead) {
    BlockSchedule schedule = schedule_from(1);
    schedule.take(kAlice, 1, 1'000'000, any, kAskedAt);
    const auto rest = schedule.take(kBob, 1'000'000, 1'000'000, any, kAskedAt);
    EXPECT_EQ(rest.size(), BlockSchedule::kMaxAhead - 1);
    EXPECT_EQ(schedule.take(kBob, 1, 1'000'000, any, kAskedAt), Heights{});
    for (const std::uint32_t height : rest) schedule.on_arrived(height);
    EXPECT_EQ(schedule.take(kBob, 1, 1'000'000, any, kAskedAt), Heights{});
    schedule.on_arrived(1);
    EXPECT_EQ(schedule.take(kBob, 1, 1'000'000, any, kAskedAt),
              Heights{BlockSchedule::kMaxAhead + 1});
}

TEST(BlockSchedule, LetsAnIdlePeerTakeOverStalledBlocks) {
    BlockSchedule schedule = schedule_from(1);
    schedule.take(kAlice, 3, 100, any, kAskedAt);
    constexpr milliseconds kLong{200};
    const BlockSchedule::Helper alice{kAlice, 100, kLong, any};
    const BlockSchedule::Helper bob{kBob, 100, kLong, any};
    EXPECT_EQ(schedule.next_take_over(bob), kAskedAt + kLong);
    EXPECT_EQ(schedule.next_take_over(alice), std::nullopt);
    EXPECT_EQ(schedule.take_over(bob, 2, kAskedAt + milliseconds{199}), Heights{});
    EXPECT_EQ(schedule.take_over(alice, 2, kAskedAt + kLong), Heights{});
    EXPECT_EQ(schedule.take_over(bob, 2, kAskedAt + kLong), (Heights{1, 2}));
    EXPECT_EQ(schedule.take_over({kBob, 2, kLong, any}, 2, kAskedAt + kLong), Heights{})
        << "no block is taken over twice";
    EXPECT_TRUE(schedule.is_requested_from_two(1));
    EXPECT_FALSE(schedule.is_requested_from_two(3));
    schedule.on_arrived(1);
    EXPECT_FALSE(schedule.is_requested_from_two(1));
    schedule.restart_at(2);
    EXPECT_TRUE(schedule.requested_from_two().empty());
}

TEST(BlockSchedule, KeepsABlockOpenWhileOneOfTwoPeersMaySendIt) {
    BlockSchedule schedule = schedule_from(1);
    schedule.take(kAlice, 2, 100, any, kAskedAt);
    schedule.take_over({kBob, 100, milliseconds{0}, any}, 2, kAskedAt);
    schedule.on_lost(kAlice, {1, 2});
    EXPECT_EQ(schedule.open(), 2U);
    schedule.on_lost(kBob, {1, 2});
    EXPECT_EQ(schedule.open(), 0U);
    EXPECT_EQ(schedule.take(kAlice, 2, 2, any, kAskedAt), (Heights{1, 2}));
}

TEST(BlockSchedule, ReassignsAllBlocksFromTheRestartHeight) {
    BlockSchedule schedule = schedule_from(1);
    schedule.take(kAlice, 6, 100, any, kAskedAt);
    HeightRanges again;
    again.add(2, 5);
    schedule.add(again);
    schedule.restart_at(4);
    EXPECT_EQ(schedule.take(kBob, 10, 6, any, kAskedAt), (Heights{2, 3, 4, 5, 6}));
}

TEST(RequestPacer, StartsWithFewBlocks) {
    EXPECT_EQ(RequestPacer{}.window(2'000), 16U);
    EXPECT_EQ(RequestPacer{}.window(5), 5U);
}

struct PaceCase {
    std::string name;
    milliseconds round_trip;
    double milliseconds_a_block;
    std::size_t least;
    std::size_t most;
};

void PrintTo(const PaceCase& c, std::ostream* out) {
    *out << c.name;
}

class PaceOf : public testing::TestWithParam<PaceCase> {};

/// A peer that is asked for as many blocks as its pace allows, a quarter of the window at a time.
TEST_P(PaceOf, KeepsThePeerBusyAndNoMore) {
    const PaceCase& peer = GetParam();
    RequestPacer pacer;
    pacer.on_round_trip(peer.round_trip);
    // Blocks requested at once, and when the last of them arrives.
    std::deque<std::pair<std::size_t, double>> due;
    double now = 0;
    double busy_until = 0;
    std::size_t in_flight = 0;
    const auto ask = [&] {
        while (true) {
            const std::size_t window = pacer.window(2'000);
            const std::size_t share = std::max<std::size_t>(window / 4, 1);
            if (in_flight > 0 && in_flight + share > window) return;
            in_flight += share;
            pacer.on_asked(share, in_flight, milliseconds{static_cast<int>(now)});
            const double half = static_cast<double>(peer.round_trip.count()) / 2;
            busy_until = std::max(busy_until, now + half) +
                         static_cast<double>(share) * peer.milliseconds_a_block;
            due.emplace_back(share, busy_until + half);
        }
    };
    for (int i = 0; i < 200; ++i) {
        ask();
        now = due.front().second;
        in_flight -= due.front().first;
        due.pop_front();
        pacer.on_answered(in_flight, milliseconds{static_cast<int>(now)});
    }
    EXPECT_GE(pacer.window(2'000), peer.least);
    EXPECT_LE(pacer.window(2'000), peer.most);
}

INSTANTIATE_TEST_SUITE_P(
    Peers, PaceOf,
    testing::Values(PaceCase{"NearAndQuick", milliseconds{0}, 0.05, 500, 2'000},
                    PaceCase{"NearAndSlow", milliseconds{0}, 5, 4, 12},
                    PaceCase{"FarAndQuick", milliseconds{100}, 0.05, 2'000, 2'000},
                    PaceCase{"FarAndSlow", milliseconds{100}, 5, 22, 60},
                    PaceCase{"VerySlow", milliseconds{10}, 1'000, 2, 2}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace petal::net
