#include "cli/sync/sync_standing.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/regtest/temporary_folder.h"

namespace petal::cli {
namespace {

struct StandingCase {
    std::string name;
    net::SyncPhase phase;
    net::StallReason stall_reason;
    bool has_other_chain;
    SyncStanding standing;
};

void PrintTo(const StandingCase& row, std::ostream* out) {
    *out << row.name;
}

class SyncStandingOf : public testing::TestWithParam<StandingCase> {};

TEST_P(SyncStandingOf, IsConfirmedOnlyByAPeerOnTheStoredChain) {
    const StandingCase& row = GetParam();
    net::SyncStatus status;
    status.phase = row.phase;
    status.stall_reason = row.stall_reason;
    if (row.has_other_chain)
        status.other_chain = {.peer = 1, .fork_height = 1'100, .height = 1'200};
    EXPECT_EQ(sync_standing(status, "refused"), row.standing);
    status.early_until = 7'000;
    EXPECT_EQ(sync_standing(status, "refused").early_until, 7'000);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(All, SyncStandingOf, testing::ValuesIn(std::initializer_list<StandingCase>{
    {"Listening", net::SyncPhase::listening, net::StallReason::none, false, {true, 0, "", false}},
    {"Done",      net::SyncPhase::done,      net::StallReason::none, false, {true, 0, "", false}},
    {"Blocks",    net::SyncPhase::blocks,    net::StallReason::none, false, {false, 0, "", false}},
    {"NoPeer",    net::SyncPhase::no_peer,   net::StallReason::none, false,
     {false, 0, "has no peer (refused)", false}},
    {"Handshake", net::SyncPhase::handshake, net::StallReason::no_peer, false,
     {false, 0, "has no peer (refused)", false}},
    {"Stalling",  net::SyncPhase::headers,   net::StallReason::silent_headers, false,
     {false, 0, "waits for a peer's headers", false}},
    {"Early",     net::SyncPhase::listening, net::StallReason::ahead_of_clock, false,
     {true, 0, "waits for the clock, as a peer's headers are more than two hours ahead of it", false}},
    {"Ahead",     net::SyncPhase::headers,   net::StallReason::ahead_of_clock, false,
     {false, 0, "waits for the clock, as a peer's headers are more than two hours ahead of it", false}},
    {"Behind",    net::SyncPhase::listening, net::StallReason::lighter_chain, false,
     {false, 0, "has no peer with all blocks of the stored chain", false}},
    {"OtherChain", net::SyncPhase::listening, net::StallReason::lighter_chain, true,
     {false, 0, "has no peer with the stored chain: its peers' chain forks off after block 1,100",
      true}},
}), [](const auto& row) { return row.param.name; });
// clang-format on

class StandingFile : public testing::Test {
protected:
    TemporaryFolder folder_;
    std::filesystem::path wallet_ = folder_.path() / "some.db";
    const SyncStanding confirmed_{.is_confirmed = true};
    const SyncStanding lonely_{.trouble = "has no peer"};
};

TEST_F(StandingFile, RecordsSinceWhen) {
    StandingWriter writer(wallet_);
    writer.update(confirmed_, 100);
    writer.update(confirmed_, 200);
    EXPECT_EQ(read_standing(wallet_, 200), (SyncStanding{true, 100, "", false}));
    writer.update(lonely_, 300);
    writer.update({.trouble = "has no peer (refused)"}, 400);
    EXPECT_EQ(read_standing(wallet_, 400),
              (SyncStanding{false, 300, "has no peer (refused)", false}));
    writer.update({}, 500);
    EXPECT_EQ(read_standing(wallet_, 500), (SyncStanding{false, 500, "", false}));
    writer.update({.early_until = 7'000}, 501);
    EXPECT_EQ(read_standing(wallet_, 501), (SyncStanding{false, 500, "", false, 7'000}));
}

TEST_F(StandingFile, OfASuspendedSyncConfirmsNothing) {
    StandingWriter writer(wallet_);
    for (std::int64_t now = 100; now <= 200; ++now) writer.update(confirmed_, now);
    EXPECT_EQ(read_standing(wallet_, 209), (SyncStanding{true, 100, "", false}));
    EXPECT_EQ(read_standing(wallet_, 211),
              (SyncStanding{false, 200, "is suspended or hangs", false}));
    writer.update(confirmed_, 300);
    EXPECT_EQ(read_standing(wallet_, 300), (SyncStanding{true, 100, "", false}));
}

TEST_F(StandingFile, IsRenewedAfterTheClockWasSetBack) {
    StandingWriter writer(wallet_);
    writer.update(confirmed_, 1'000);
    EXPECT_FALSE(read_standing(wallet_, 900)->is_confirmed);
    writer.update(confirmed_, 900);
    EXPECT_TRUE(read_standing(wallet_, 900)->is_confirmed);
}

TEST_F(StandingFile, IsRemovedWithItsSync) {
    {
        StandingWriter writer(wallet_);
        writer.update(confirmed_, 100);
        ASSERT_TRUE(read_standing(wallet_, 100));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(StandingFile, OfAKilledSyncIsNotReused) {
    const auto file = folder_.path() / "some.db.sync-standing";
    std::ofstream(file)
        << R"({"time":9,"confirmed":true,"since_time":1,"trouble":"","other_chain":false})";
    ASSERT_EQ(read_standing(wallet_, 9), (SyncStanding{true, 1, "", false}));
    const StandingWriter next(wallet_);
    EXPECT_EQ(read_standing(wallet_, 9), std::nullopt);
}

TEST_F(StandingFile, ThatIsMalformedIsIgnored) {
    const auto file = folder_.path() / "some.db.sync-standing";
    for (const char* text :
         {"", "{", "[]", R"({"time":9,"confirmed":true})",
          R"({"confirmed":true,"since_time":1,"trouble":"","other_chain":false})",
          R"({"time":9e300,"confirmed":true,"since_time":1,"trouble":"","other_chain":false})",
          R"({"time":9,"confirmed":true,"since_time":9e300,"trouble":"","other_chain":false})",
          R"({"time":9,"confirmed":1,"since_time":1,"trouble":"","other_chain":false})"}) {
        std::ofstream(file) << text;
        EXPECT_EQ(read_standing(wallet_, 9), std::nullopt) << text;
    }
    std::filesystem::remove(file);
    std::filesystem::create_directory(file);
    EXPECT_EQ(read_standing(wallet_, 9), std::nullopt);
}

}  // namespace
}  // namespace petal::cli
