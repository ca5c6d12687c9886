// Syncs while another process syncs the same wallet.
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/sync/other_sync.h"
#include "cli/sync/text/sync_report.h"
#include "client/data/stored_chain.h"
#include "client/data/sync_standing.h"
#include "net/io/clocks.h"
#include "regtest/serve/embedded_node.h"
#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

/// A wallet that is synced to block 130.
class OtherSync : public testing::Test {
protected:
    void SetUp() override {
        global_.network = table_network("regtest");
        global_.data_dir = scene_.folder();
        ASSERT_EQ(scene_.run({"create"}).status, ExitStatus::done);
        node_.with_chain([](regtest::RegtestChain& chain) { chain.mine(130); });
        ASSERT_EQ(sync().status, ExitStatus::done);
    }

    Outcome sync(std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"sync", "--connect", endpoint_});
        return scene_.run(more);
    }

    Scene scene_;
    GlobalOptions global_;
    regtest::EmbeddedNode node_;
    const std::string endpoint_ = to_string(node_.endpoint());
};

TEST_F(OtherSync, IsReliedOnOnlyAsFarAsItsPeersConfirm) {
    const wallet::Wallet held = open_wallet(global_, wallet::Access::sync);
    client::StandingWriter other(wallet_file(global_));
    EXPECT_EQ(scene_.run({"sync", "--timeout", "0.2"}).status, ExitStatus::no_peer);
    other.update({.is_confirmed = true}, net::unix_time_now());
    EXPECT_EQ(scene_.run({"sync"}).status, ExitStatus::done);

    other.update({.trouble = client::SyncTrouble::no_peer, .failures = "refused"},
                 net::unix_time_now());
    const Outcome late = scene_.run({"wait", "--height", "130", "--timeout", "0.2"});
    EXPECT_EQ(late.status, ExitStatus::no_peer);
    EXPECT_NE(late.err.find("not synced within --timeout; another petal syncs this wallet, but has "
                            "no peer (refused), since 20"),
              std::string::npos)
        << late.err;
    EXPECT_NE(late.err.find(": no peer has confirmed it yet, as of block 130"), std::string::npos)
        << late.err;

    // The trouble has lasted longer than this process would wait itself.
    const client::SyncStanding lonely{
        .trouble = client::SyncTrouble::other_chain, .fork_height = 100, .is_other_chain = true};
    other.update({}, 0);
    other.update(lonely, net::unix_time_now() - 600);
    other.update(lonely, net::unix_time_now());
    const Outcome given_up = scene_.run({"sync", "--json"});
    EXPECT_EQ(given_up.status, ExitStatus::no_peer);
    EXPECT_EQ(given_up.code(), "no-usable-peer");
    EXPECT_NE(given_up.err.find(" headers reset` forgets the stored one: as of block 130 of 130"),
              std::string::npos)
        << given_up.err;
}

TEST_F(OtherSync, ThatIsSuspendedConfirmsNothing) {
    const wallet::Wallet held = open_wallet(global_, wallet::Access::sync);
    client::StandingWriter other(wallet_file(global_));
    other.update({.is_confirmed = true}, net::unix_time_now() - 600);
    const Outcome given_up = scene_.run({"sync", "--json"});
    EXPECT_EQ(given_up.code(), "no-usable-peer");
    EXPECT_NE(
        given_up.err.find("another petal syncs this wallet, but is suspended or hangs, since"),
        std::string::npos)
        << given_up.err;
}

TEST_F(OtherSync, ThatEndsLeavesTheRestOfTheTimeout) {
    std::optional<wallet::Wallet> held = open_wallet(global_, wallet::Access::sync);
    client::StandingWriter other(wallet_file(global_));
    other.update({.is_confirmed = true}, net::unix_time_now());
    const AwaitedState awaited{[&held](const wallet::Wallet&) { return held.reset(), false; },
                               [](const wallet::Wallet&) { return ""; }};
    constexpr std::chrono::milliseconds kTimeout{60'000};
    SyncCommandOptions options;
    options.connection.timeout = kTimeout;
    std::istringstream in;
    std::ostringstream out;
    Console console(in, out, out, {}, /*no_colour=*/true);
    EXPECT_TRUE(open_or_await_other(options, global_, &awaited, console));
    EXPECT_LT(options.connection.timeout, kTimeout);
    EXPECT_GT(options.connection.timeout, std::chrono::milliseconds{0});
}

TEST_F(OtherSync, ThatWaitsForTheClockIsSaidByBalance) {
    const auto balance = [this] { return scene_.run({"balance", "--json"}); };
    const std::int64_t now = net::unix_time_now();
    EXPECT_TRUE(balance().json().at("ahead_of_clock_until_time").is_null());
    {
        client::StandingWriter other(wallet_file(global_));
        other.update({.is_confirmed = true, .early_until = now + 3'000}, now);
        EXPECT_EQ(balance().json().at("ahead_of_clock_until_time"), now + 3'000);
        EXPECT_NE(balance().err.find("another petal syncs this wallet, but waits for the clock"),
                  std::string::npos);
        other.update({.is_confirmed = true, .early_until = now - 1}, now);
        EXPECT_EQ(balance().err, "") << "it counts by now";
        other.update({.is_confirmed = true}, now);
        EXPECT_EQ(balance().err, "");
        other.update({.is_confirmed = true, .early_until = now + 3'000}, now);
    }
    EXPECT_EQ(balance().err, "") << "the sync has ended";
}

// `encrypt` and `import` take the sync lock, too.
TEST_F(OtherSync, ThatWasKilledDoesNotVouchForTheNextLockHolder) {
    std::ofstream(wallet_file(global_).string() + ".sync-standing")
        << R"({"time":)" << net::unix_time_now()
        << R"(,"confirmed":true,"since_time":1,"trouble":"none","stall_reason":"none","fork_height":0,"other_chain":false})";
    const wallet::Wallet held = open_wallet(global_, wallet::Access::sync);
    EXPECT_EQ(scene_.run({"sync", "--timeout", "0.2"}).status, ExitStatus::no_peer);
}

TEST_F(OtherSync, DoesNotVouchForHeadersOfAnotherWalletsSync) {
    const client::StoredChain held(data_of(global_), chain::genesis_anchor(*global_.network),
                                   /*read_only=*/false);
    ASSERT_FALSE(held.file.read_only());
    node_.with_chain([](regtest::RegtestChain& chain) { chain.mine(5); });
    ASSERT_EQ(scene_.run({"--wallet", "second", "create"}).status, ExitStatus::done);
    ASSERT_EQ(sync({"--wallet", "second"}).status, ExitStatus::done);
    const Json second = scene_.run({"--wallet", "second", "balance", "--json"}).json();
    EXPECT_EQ(second.at("synced_height"), 135);
    EXPECT_EQ(second.at("header_height"), 135);
    EXPECT_EQ(second.at("synced"), true);
    const Json first = scene_.run({"balance", "--json"}).json();
    EXPECT_EQ(first.at("header_height"), 135);
    EXPECT_EQ(first.at("synced"), false);
}

TEST(SyncText, SaysWhetherUnconfirmedTransactionsMayComeLater) {
    std::istringstream in;
    std::ostringstream out;
    const Console console(in, out, out, {}, /*no_colour=*/true);
    Explanations explanations({}, /*shows_all=*/false);
    client::SyncReport report;
    report.listened = std::chrono::seconds{29};
    EXPECT_NE(sync_text(report, explanations, {}, console).find("may answer later"),
              std::string::npos);
    report.listened = std::chrono::seconds{30};
    EXPECT_EQ(sync_text(report, explanations, {}, console).find("may answer later"),
              std::string::npos);
}

TEST(TroubleSentence, SaysWhyASyncMakesNoProgress) {
    EXPECT_EQ(trouble_sentence({}), "");
    EXPECT_EQ(trouble_sentence({.trouble = client::SyncTrouble::no_peer}), "has no peer");
    EXPECT_EQ(trouble_sentence({.trouble = client::SyncTrouble::no_peer, .failures = "a\x1b[1mb"}),
              "has no peer (a\\x1b[1mb)");
    EXPECT_EQ(trouble_sentence({.trouble = client::SyncTrouble::other_chain, .fork_height = 1'100}),
              "has no peer with the stored chain: its peers' chain forks off after block 1,100");
    EXPECT_EQ(trouble_sentence({.trouble = client::SyncTrouble::shorter_chain}),
              "has no peer with all blocks of the stored chain");
    EXPECT_EQ(trouble_sentence({.trouble = client::SyncTrouble::stalled,
                                .stall_reason = net::StallReason::silent_headers}),
              "waits for a peer's headers");
    EXPECT_EQ(trouble_sentence({.trouble = client::SyncTrouble::suspended}),
              "is suspended or hangs");
}

}  // namespace
}  // namespace petal::cli
