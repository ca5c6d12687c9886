#include "client/data/sync_standing.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace petal::client {
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
    {"Listening", net::SyncPhase::listening, net::StallReason::none, false, {.is_confirmed = true}},
    {"Done",      net::SyncPhase::done,      net::StallReason::none, false, {.is_confirmed = true}},
    {"Blocks",    net::SyncPhase::blocks,    net::StallReason::none, false, {}},
    {"NoPeer",    net::SyncPhase::no_peer,   net::StallReason::none, false,
     {.trouble = SyncTrouble::no_peer, .failures = "refused"}},
    {"Handshake", net::SyncPhase::handshake, net::StallReason::no_peer, false,
     {.trouble = SyncTrouble::no_peer, .failures = "refused"}},
    {"Stalling",  net::SyncPhase::headers,   net::StallReason::silent_headers, false,
     {.trouble = SyncTrouble::stalled, .stall_reason = net::StallReason::silent_headers}},
    {"Early",     net::SyncPhase::listening, net::StallReason::ahead_of_clock, false,
     {.is_confirmed = true, .trouble = SyncTrouble::stalled,
      .stall_reason = net::StallReason::ahead_of_clock}},
    {"Ahead",     net::SyncPhase::headers,   net::StallReason::ahead_of_clock, false,
     {.trouble = SyncTrouble::stalled, .stall_reason = net::StallReason::ahead_of_clock}},
    {"Behind",    net::SyncPhase::listening, net::StallReason::lighter_chain, false,
     {.trouble = SyncTrouble::shorter_chain}},
    {"OtherChain", net::SyncPhase::listening, net::StallReason::lighter_chain, true,
     {.trouble = SyncTrouble::other_chain, .fork_height = 1'100, .is_other_chain = true}},
}), [](const auto& row) { return row.param.name; });
// clang-format on

class StandingFile : public testing::Test {
protected:
    test::TemporaryFolder folder_;
    std::filesystem::path wallet_ = folder_.path() / "some.db";
    const SyncStanding confirmed_{.is_confirmed = true};
    const SyncStanding lonely_{.trouble = SyncTrouble::no_peer};
};

TEST_F(StandingFile, RecordsSinceWhen) {
    StandingWriter writer(wallet_);
    writer.update(confirmed_, 100);
    writer.update(confirmed_, 200);
    EXPECT_EQ(read_standing(wallet_, 200), (SyncStanding{.is_confirmed = true, .since = 100}));
    writer.update(lonely_, 300);
    writer.update({.trouble = SyncTrouble::no_peer, .failures = "refused"}, 400);
    EXPECT_EQ(read_standing(wallet_, 400),
              (SyncStanding{.since = 300, .trouble = SyncTrouble::no_peer, .failures = "refused"}));
    writer.update({}, 500);
    EXPECT_EQ(read_standing(wallet_, 500), (SyncStanding{.since = 500}));
    writer.update({.early_until = 7'000}, 501);
    EXPECT_EQ(read_standing(wallet_, 501), (SyncStanding{.since = 500, .early_until = 7'000}));
}

TEST_F(StandingFile, OfASuspendedSyncConfirmsNothing) {
    StandingWriter writer(wallet_);
    for (std::int64_t now = 100; now <= 200; ++now) writer.update(confirmed_, now);
    EXPECT_EQ(read_standing(wallet_, 209), (SyncStanding{.is_confirmed = true, .since = 100}));
    EXPECT_EQ(read_standing(wallet_, 211),
              (SyncStanding{.since = 200, .trouble = SyncTrouble::suspended}));
    writer.update(confirmed_, 300);
    EXPECT_EQ(read_standing(wallet_, 300), (SyncStanding{.is_confirmed = true, .since = 100}));
}

TEST_F(StandingFile, HasTheFactsOfEachTrouble) {
    StandingWriter writer(wallet_);
    std::int64_t now = 100;
    for (SyncStanding standing :
         {SyncStanding{.trouble = SyncTrouble::no_peer, .failures = "\x1b[31mrefused\n"},
          SyncStanding{.trouble = SyncTrouble::stalled,
          .stall_reason = net::StallReason::undone_transactions},
          SyncStanding{.trouble = SyncTrouble::shorter_chain},
          SyncStanding{.trouble = SyncTrouble::other_chain,
          .fork_height = 0xffff'ffff,
          .is_other_chain = true}}) {
        standing.since = 100;
        writer.update(standing, now += 10);
        standing.since = 110;
        EXPECT_EQ(read_standing(wallet_, now), standing);
    }
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
        << R"({"time":9,"confirmed":true,"since_time":1,"trouble":"none","stall_reason":"none","fork_height":0,"other_chain":false})";
    ASSERT_EQ(read_standing(wallet_, 9), (SyncStanding{.is_confirmed = true, .since = 1}));
    const StandingWriter next(wallet_);
    EXPECT_EQ(read_standing(wallet_, 9), std::nullopt);
}

TEST_F(StandingFile, ThatIsMalformedIsIgnored) {
    const auto file = folder_.path() / "some.db.sync-standing";
    for (
        const char* text :
        {"", "{", "[]", R"({"time":9,"confirmed":true})",
         R"({"confirmed":true,"since_time":1,"trouble":"none","stall_reason":"none","fork_height":0,"other_chain":false})",
         R"({"time":9e300,"confirmed":true,"since_time":1,"trouble":"none","stall_reason":"none","fork_height":0,"other_chain":false})",
         R"({"time":9,"confirmed":true,"since_time":9223372036854775807,"trouble":"none","stall_reason":"none","fork_height":0,"other_chain":false})",
         R"({"time":9223372036854775807,"confirmed":true,"since_time":1,"trouble":"none","stall_reason":"none","fork_height":0,"other_chain":false})",
         R"({"time":9,"confirmed":true,"since_time":9e300,"trouble":"none","stall_reason":"none","fork_height":0,"other_chain":false})",
         R"({"time":9,"confirmed":true,"since_time":1,"trouble":"","other_chain":false})",
         R"({"time":9,"confirmed":true,"since_time":1,"trouble":"none","stall_reason":"x","fork_height":0,"other_chain":false})",
         R"({"time":9,"confirmed":true,"since_time":1,"trouble":"none","stall_reason":"none","fork_height":-1,"other_chain":false})",
         R"({"time":9,"confirmed":1,"since_time":1,"trouble":"none","stall_reason":"none","fork_height":0,"other_chain":false})"}) {
        std::ofstream(file) << text;
        EXPECT_EQ(read_standing(wallet_, 9), std::nullopt) << text;
    }
    std::filesystem::remove(file);
    std::filesystem::create_directory(file);
    EXPECT_EQ(read_standing(wallet_, 9), std::nullopt);
}

}  // namespace
}  // namespace petal::client
