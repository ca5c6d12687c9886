#include "cli/sync/display/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace petal::cli {
namespace {

using namespace std::chrono_literals;

/// A sync of 20,000 blocks on a console whose standard error is a terminal or not.
class ProgressTest : public testing::Test {
protected:
    std::string shown(bool terminal,
                      const std::vector<std::pair<Progress::Clock::duration, std::uint64_t>>& steps,
                      LogLevel level = LogLevel::warning, std::uint32_t header_height = 20'000) {
        std::istringstream in;
        std::ostringstream out;
        std::ostringstream err;
        Console console(in, out, err, {false, false, terminal}, /*no_colour=*/true);
        console.set_log_level(level);
        const Progress::Clock::time_point start{};
        {
            Progress progress(console, start);
            for (const auto& [time, blocks] : steps) {
                net::SyncStatus status;
                status.phase = net::SyncPhase::blocks;
                status.header_height = header_height;
                status.target_height = 20'000;
                status.first_height = 1;
                status.counts.scanned_blocks = blocks;
                progress.update(status, start + time);
            }
        }
        EXPECT_EQ(out.str(), "");
        return err.str();
    }
};

TEST_F(ProgressTest, WritesAPlainLineEveryFewSecondsWithoutATerminal) {
    EXPECT_EQ(shown(false, {{1s, 1'000}, {2s, 2'000}, {5s, 5'000}, {6s, 6'000}, {10s, 10'000}}),
              "blocks 5,000 of 20,000 (25%), headers 20,000, 1,000/s, 15 s left\n"
              "blocks 10,000 of 20,000 (50%), headers 20,000, 1,000/s, 10 s left\n");
}

TEST_F(ProgressTest, MarksWhatOnlyAPeerClaims) {
    EXPECT_EQ(shown(false, {{5s, 5'000}}, LogLevel::warning, 6'000),
              "blocks 5,000 of 20,000 claimed (25%), headers 6,000\n");
}

TEST_F(ProgressTest, SaysWhatTheLastSecondsAreFor) {
    const auto told = [](bool listens, net::StallReason reason) {
        std::istringstream in;
        std::ostringstream out;
        std::ostringstream err;
        Console console(in, out, err, {false, false, false}, /*no_colour=*/true);
        Progress progress(console, Progress::Clock::time_point{}, ProgressFormat::automatic, "",
                          listens);
        net::SyncStatus status;
        status.phase = net::SyncPhase::listening;
        status.stall_reason = reason;
        progress.update(status, Progress::Clock::time_point{} + 5s);
        return err.str();
    };
    using enum net::StallReason;
    const std::string undone =
        "waiting for peers that still have the transactions of replaced blocks\n";
    EXPECT_EQ(told(true, none), "listening for unconfirmed transactions\n");
    EXPECT_EQ(told(true, undone_transactions), "listening for unconfirmed transactions; " + undone);
    EXPECT_EQ(told(false, none), "waiting for more peers\n");
    EXPECT_EQ(told(false, undone_transactions), undone);
}

TEST_F(ProgressTest, WritesAnObjectASecondAsJson) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    Console console(in, out, err, {false, false, true}, /*no_colour=*/false);
    Progress progress(console, Progress::Clock::time_point{}, ProgressFormat::json);
    net::SyncStatus status;
    status.phase = net::SyncPhase::blocks;
    status.target_height = 20;
    const auto update = [&](Progress::Clock::duration time, std::uint32_t height) {
        status.synced_height = height;
        progress.update(status, Progress::Clock::time_point{} + time);
    };
    update(0s, 1);
    update(500ms, 2);  // too soon
    update(1s, 1);     // no progress
    update(1s, 3);
    status.phase = net::SyncPhase::done;
    update(1100ms, 20);  // the end is always reported
    std::istringstream lines(err.str());
    std::vector<Json> told;
    for (std::string line; std::getline(lines, line);) told.push_back(Json::parse(line));
    ASSERT_EQ(told.size(), 3U) << err.str();
    EXPECT_EQ(told[1]["synced_height"], 3);
    EXPECT_EQ(told[2], (Json{{"event", "progress"},
                             {"phase", "done"},
                             {"header_height", 0},
                             {"presync_height", nullptr},
                             {"synced_height", 20},
                             {"target_height", 20},
                             {"waiting_for", nullptr},
                             {"ahead_of_clock_until_time", nullptr}}));
}

TEST_F(ProgressTest, IsSilentIfDisabled) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    Console console(in, out, err, {false, false, true}, /*no_colour=*/false);
    Progress progress(console, Progress::Clock::time_point{}, ProgressFormat::none);
    net::SyncStatus status;
    status.phase = net::SyncPhase::blocks;
    progress.update(status, Progress::Clock::time_point{} + 10s);
    EXPECT_EQ(err.str(), "");
}

TEST_F(ProgressTest, SaysNothingOfAShortSync) {
    EXPECT_EQ(shown(false, {{1s, 10'000}, {2s, 20'000}}), "");
}

TEST_F(ProgressTest, DrawsABarOnATerminalAndClearsIt) {
    const std::string text = shown(true, {{0s, 0}, {1s, 10'000}});
    EXPECT_NE(text.find("█░"), std::string::npos) << text;
    EXPECT_NE(text.find("blocks 10,000 of 20,000 (50%)"), std::string::npos) << text;
    EXPECT_NE(text.find("10,000/s, 1.0 s left"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("\r\x1b[K"));
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST_F(ProgressTest, IsSilentIfOnlyErrorsAreLogged) {
    EXPECT_EQ(shown(true, {{0s, 0}, {6s, 10'000}}, LogLevel::error), "");
    EXPECT_EQ(shown(false, {{0s, 0}, {6s, 10'000}}, LogLevel::error), "");
}

}  // namespace
}  // namespace petal::cli
