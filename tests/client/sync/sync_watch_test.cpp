#include "client/sync/sync_watch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace petal::client {
namespace {

class SyncWatchTest : public testing::Test {
protected:
    SyncWatchTest() {
        events_.on_other_chain = [this](const net::SyncStatus&) { told_.push_back("other"); };
        events_.on_shorter_chain = [this] { told_.push_back("shorter"); };
        events_.on_old_tip = [this] { told_.push_back("old"); };
        events_.on_ahead_of_clock = [this](const net::SyncStatus&) { told_.push_back("clock"); };
    }

    std::vector<std::string> told_;
    SyncWatchEvents events_;
    SyncWatch watch_;
    net::SyncStatus status_;
};

TEST_F(SyncWatchTest, TellsOfEachOtherChainAnew) {
    for (const bool is_other : {false, true, true, false, true}) {
        status_.other_chain.reset();
        if (is_other) status_.other_chain.emplace();
        watch_.update_chains(status_, events_);
    }
    EXPECT_EQ(told_, (std::vector<std::string>{"other", "other"}));
}

TEST_F(SyncWatchTest, TellsOnceOfAShorterChainWhileItListens) {
    status_.stall_reason = net::StallReason::lighter_chain;
    status_.phase = net::SyncPhase::blocks;
    watch_.update_chains(status_, events_);
    EXPECT_TRUE(told_.empty());
    status_.phase = net::SyncPhase::listening;
    watch_.update_chains(status_, events_);
    status_.stall_reason = net::StallReason::none;
    watch_.update_chains(status_, events_);
    status_.stall_reason = net::StallReason::lighter_chain;
    watch_.update_chains(status_, events_);
    EXPECT_EQ(told_, std::vector<std::string>{"shorter"});
}

TEST_F(SyncWatchTest, TellsOfAnOldTipWheneverItBecomesOld) {
    for (const bool is_old : {true, true, false, true}) watch_.update_age(is_old, events_);
    EXPECT_EQ(told_, (std::vector<std::string>{"old", "old"}));
}

TEST_F(SyncWatchTest, TellsOfTheClockOnlyForHalfAMinuteOrMore) {
    constexpr std::int64_t kNow = 1'700'000'000;
    status_.early_until = kNow + 29;
    watch_.update_clock(status_, kNow, events_);
    EXPECT_TRUE(told_.empty());
    status_.early_until = kNow + 30;
    watch_.update_clock(status_, kNow, events_);
    watch_.update_clock(status_, kNow, events_);
    EXPECT_EQ(told_.size(), 1U);
    status_.early_until.reset();
    watch_.update_clock(status_, kNow, events_);
    status_.early_until = kNow + 30;
    watch_.update_clock(status_, kNow, events_);
    EXPECT_EQ(told_.size(), 2U) << "for each such block";
}

TEST_F(SyncWatchTest, TellsOnceOfABlockThatIsTooFarAhead) {
    status_.peers.emplace_back().ahead_of_clock = net::AheadOfClock::far;
    watch_.update_clock(status_, 7, events_);
    watch_.update_clock(status_, 7, events_);
    EXPECT_EQ(told_, std::vector<std::string>{"clock"});
}

TEST_F(SyncWatchTest, NeedsNoFunctions) {
    status_.other_chain.emplace();
    watch_.update_chains(status_, {});
    watch_.update_age(true, {});
}

}  // namespace
}  // namespace petal::client
