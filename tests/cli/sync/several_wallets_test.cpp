#include "cli/sync/several_wallets.h"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/sync/display/progress.h"
#include "cli/sync/sync_reporter.h"
#include "regtest/serve/embedded_node.h"
#include "tests/cli/scene.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

/// Wallets a, b and c with different addresses, and a node whose chain pays b.
class SeveralWalletsTest : public testing::Test {
protected:
    void SetUp() override {
        const std::string words = scene_.write("words", test::kMnemonic);
        for (const auto& [name, type] : {std::pair{"a", "wpkh"}, {"b", "sh-wpkh"}, {"c", "tr"}}) {
            ASSERT_EQ(scene_
                          .run({"restore", "--wallet", name, "--mnemonic-file", words, "--type",
                                type, "--birthday", "0"})
                          .status,
                      ExitStatus::done);
        }
        const std::string address =
            scene_.run({"receive", "--wallet", "b", "--json"}).json().at("address");
        const auto script = *wallet::parse_address(address, *table_network("regtest"));
        node_.with_chain([&](regtest::RegtestChain& chain) {
            chain.mine(120);
            chain.mine_block({chain.make_payment({{50'000, script}})});
            chain.mine(5);
            height_ = chain.height();
        });
    }

    Outcome sync(std::vector<std::string> more) const {
        std::vector<std::string> arguments{"sync", "--connect", to_string(node_.endpoint())};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return scene_.run(arguments);
    }
    Outcome sync_all() const { return sync({"--all-wallets", "--json"}); }

    std::filesystem::path file_of(const std::string& wallet) const {
        return data_of(global()).wallet_file(wallet);
    }
    GlobalOptions global() const {
        GlobalOptions options;
        options.network = table_network("regtest");
        options.data_dir = scene_.folder();
        return options;
    }

    std::uint32_t height_of(const std::string& wallet) const {
        const Json balance = scene_.run({"balance", "--wallet", wallet, "--json"}).json();
        return balance.at("synced_height").is_null()
                   ? 0
                   : balance.at("synced_height").get<std::uint32_t>();
    }

    Scene scene_;
    regtest::EmbeddedNode node_;
    std::uint32_t height_ = 0;
};

TEST_F(SeveralWalletsTest, AreAllSyncedOverHeadersFetchedOnce) {
    const Outcome outcome = sync_all();
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const Json json = outcome.json();
    EXPECT_EQ(json["network"], "regtest");
    EXPECT_EQ(json["tip"]["height"], height_);
    ASSERT_EQ(json["wallets"].size(), 3U);
    const char* const names[] = {"a", "b", "c"};
    std::uint64_t blocks = 0;
    std::vector<std::uint64_t> bytes;
    for (std::size_t i = 0; i < 3; ++i) {
        const Json& wallet = json["wallets"][i];
        EXPECT_EQ(wallet["name"], names[i]);
        EXPECT_EQ(wallet["synced_height"], height_);
        EXPECT_EQ(wallet["balance"]["total_sat"], i == 1 ? 50'000 : 0);
        EXPECT_EQ(wallet["peers"][0]["address"], to_string(node_.endpoint()));
        blocks += wallet["stats"]["filtered_blocks"].get<std::uint64_t>();
        bytes.push_back(wallet["stats"]["bytes_received"].get<std::uint64_t>());
    }
    EXPECT_EQ(json["stats"]["headers"], height_);
    std::ranges::sort(bytes);
    EXPECT_LT(bytes[1] + 70 * height_, bytes[2])
        << "only one of the two wallets has fetched headers";
    EXPECT_EQ(json["stats"]["filtered_blocks"], blocks);
    EXPECT_FALSE(json.contains("wallet"));
    EXPECT_FALSE(json.contains("error"));
}

TEST_F(SeveralWalletsTest, AreThoseThatAreNamed) {
    const Outcome outcome = sync({"--wallet", "c", "--wallet", "a", "--wallet", "c", "--json"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    const Json json = outcome.json();
    ASSERT_EQ(json["wallets"].size(), 2U);
    EXPECT_EQ(json["wallets"][0]["name"], "c");
    EXPECT_EQ(json["wallets"][1]["name"], "a");
    EXPECT_EQ(height_of("a"), height_);
    EXPECT_EQ(height_of("b"), 0U);
}

TEST_F(SeveralWalletsTest, AreEachReportedInWords) {
    const Outcome outcome = sync({"--all-wallets"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    for (const char* name : {"a", "b", "c"}) {
        EXPECT_NE(outcome.out.find("Wallet '" + std::string(name) + "' is synced to block"),
                  std::string::npos)
            << outcome.out;
    }
    const auto first = outcome.out.find("No unconfirmed payments were awaited");
    EXPECT_NE(first, std::string::npos);
    EXPECT_EQ(outcome.out.find("No unconfirmed payments were awaited", first + 1),
              std::string::npos);
}

TEST_F(SeveralWalletsTest, AreSyncedDespiteADamagedWallet) {
    std::ofstream(file_of("b"), std::ios::trunc) << "this is no wallet";
    const Outcome outcome = sync_all();
    EXPECT_EQ(outcome.status, ExitStatus::damaged);
    EXPECT_EQ(outcome.code(), "wallet-damaged");
    EXPECT_NE(outcome.err.find("error: 1 of 3 wallets failed: "), std::string::npos);
    EXPECT_NE(outcome.err.find("'b'"), std::string::npos) << outcome.err;
    const Json json = outcome.json();
    ASSERT_EQ(json["wallets"].size(), 3U);
    EXPECT_EQ(json["wallets"][0]["synced_height"], height_);
    EXPECT_EQ(json["wallets"][1]["name"], "b");
    EXPECT_EQ(json["wallets"][1]["error"]["code"], "wallet-damaged");
    EXPECT_EQ(json["wallets"][2]["synced_height"], height_);
}

// Opening a wallet does not read the whole file; the labels are read when events show them.
TEST_F(SeveralWalletsTest, AreSyncedDespiteAWalletThatCannotSync) {
    SQLite::Database(file_of("b").string(), SQLite::OPEN_READWRITE).exec("DROP TABLE label");
    const Outcome outcome = sync({"--all-wallets", "--json", "--follow", "--timeout", "3"});
    EXPECT_NE(outcome.status, ExitStatus::done);
    EXPECT_NE(outcome.err.find("error: 1 of 3 wallets failed: "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("'b'"), std::string::npos) << outcome.err;
    EXPECT_EQ(height_of("a"), height_);
    EXPECT_EQ(height_of("c"), height_);
}

TEST_F(SeveralWalletsTest, DoNotWaitForOneThatAnotherProcessSyncs) {
    const auto busy = wallet::Wallet::open(file_of("a"), *global().network, wallet::Access::sync);
    const Outcome outcome = sync_all();
    EXPECT_EQ(outcome.status, ExitStatus::wallet);
    EXPECT_EQ(outcome.code(), "wallet-locked");
    EXPECT_EQ(outcome.json()["wallets"][1]["synced_height"], height_);
}

TEST_F(SeveralWalletsTest, EndWithTheHighestExitStatus) {
    const auto busy = wallet::Wallet::open(file_of("a"), *global().network, wallet::Access::sync);
    std::ofstream(file_of("b"), std::ios::trunc) << "this is no wallet";
    const Outcome outcome = sync_all();
    EXPECT_EQ(outcome.status, ExitStatus::damaged) << "not the status of the first failed wallet";
    EXPECT_NE(outcome.err.find("2 of 3 wallets failed"), std::string::npos) << outcome.err;
    EXPECT_EQ(height_of("c"), height_);
}

TEST_F(SeveralWalletsTest, AreSyncedDespiteAnUnknownWalletName) {
    const Outcome outcome = sync({"--wallet", "a", "--wallet", "nope", "--json"});
    EXPECT_EQ(outcome.status, ExitStatus::wallet);
    EXPECT_EQ(outcome.code(), "wallet-missing");
    EXPECT_EQ(height_of("a"), height_);
}

TEST_F(SeveralWalletsTest, EachSayThatTheyAreNotSynced) {
    const Outcome outcome = scene_.run(
        {"sync", "--all-wallets", "--connect", "127.0.0.1:1", "--timeout", "1", "--json"});
    EXPECT_EQ(outcome.status, ExitStatus::no_peer);
    EXPECT_EQ(outcome.code(), "timed-out");
    const Json json = outcome.json();
    for (const Json& wallet : json["wallets"]) {
        EXPECT_EQ(wallet["error"]["code"], "timed-out");
        EXPECT_NE(outcome.err.find("wallet '" + wallet["name"].get<std::string>() + "': not"),
                  std::string::npos)
            << outcome.err;
    }
}

// The chain was reorganised while the sync of another wallet went on.
TEST_F(SeveralWalletsTest, AreNotSyncedToABlockThatHasSinceBeenReplaced) {
    GlobalOptions of_b = global();
    of_b.wallet = "b";
    SyncCommandOptions options;
    options.connection.connect = {node_.endpoint()};
    std::istringstream in;
    std::ostringstream out;
    Console console(in, out, out, {}, /*no_colour=*/true);
    client::SyncSource source(options, data_of(of_b), chain::genesis_anchor(*of_b.network), {});
    SyncDisplay display(options, of_b, console, SyncDisplay::Clock::now(),
                        SyncDisplay::Mode::to_the_last_block);
    client::WalletSync sync(options, "b", open_wallet(of_b, wallet::Access::sync), source,
                            client::GroupMember{0, 1});
    ChainWarnings warned;
    SyncReporter reporter(options, of_b, console, display, source, sync, warned, /*shared=*/true);
    client::SyncReport report;
    report.end = client::SyncEnd::done;
    report.synced_height = 7;
    EXPECT_NO_THROW(reporter.conclude(report));
    report.end = client::SyncEnd::overtaken;
    try {
        reporter.conclude(report);
        ADD_FAILURE() << "it must not count as synced";
    } catch (const CommandError& error) {
        EXPECT_EQ(error.status(), ExitStatus::no_peer);
        EXPECT_STREQ(error.code().c_str(), "reorganised");
    }
}

TEST_F(SeveralWalletsTest, WarnIfOneStrangerGetsAllFilters) {
    std::vector<std::string> route{"--proxy",   "127.0.0.1:1", "--connect",
                                   "a.invalid", "--timeout",   "1"};
    const auto warning_of = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), route.begin(), route.end());
        return scene_.run(arguments).err;
    };
    EXPECT_NE(warning_of({"sync", "--all-wallets"}).find("gets the filters of 3 wallets"),
              std::string::npos);
    EXPECT_EQ(warning_of({"sync", "--wallet", "a"}).find("filters of"), std::string::npos);
    route[3] = "localhost";
    EXPECT_EQ(warning_of({"sync", "--all-wallets"}).find("filters of"), std::string::npos);
}

TEST(SeveralWallets, MayBeASingleWallet) {
    const Scene scene;
    regtest::EmbeddedNode node;
    node.with_chain([](regtest::RegtestChain& chain) { chain.mine(5); });
    const std::vector<std::string> sync{"sync", "--all-wallets", "--json", "--connect",
                                        to_string(node.endpoint())};
    EXPECT_EQ(scene.run(sync).code(), "wallet-missing");
    ASSERT_EQ(scene.run({"create"}).status, ExitStatus::done);
    EXPECT_EQ(scene.run(sync).json()["wallets"][0]["name"], "default");
    const Outcome alone = scene.run({"sync", "--all-wallets", "--proxy", "127.0.0.1:1", "--connect",
                                     "a.invalid", "--timeout", "1"});
    EXPECT_EQ(alone.err.find("filters of"), std::string::npos) << alone.err;
}

TEST(SeveralWallets, AreAcceptedOnlyBySync) {
    const Scene scene;
    const Outcome balance = scene.run({"balance", "--wallet", "a", "--wallet", "b"});
    EXPECT_EQ(balance.status, ExitStatus::usage);
    EXPECT_NE(balance.err.find("--wallet names several wallets, which only sync takes: a, b"),
              std::string::npos)
        << balance.err;
    EXPECT_EQ(scene.run({"sync", "--all-wallets", "--wallet", "a"}).status, ExitStatus::usage);
    EXPECT_EQ(scene.run({"balance", "--wallet", "a", "--wallet", "a"}).status, ExitStatus::wallet);
}

TEST(OverallProgress, HasTheLowestPhaseAndAllBlocks) {
    net::SyncStatus scanning;
    scanning.phase = net::SyncPhase::blocks;
    scanning.first_height = 101;
    scanning.target_height = scanning.header_height = 300;
    scanning.counts.scanned_blocks = 50;
    net::SyncStatus done = scanning;
    done.phase = net::SyncPhase::done;
    done.counts.scanned_blocks = 200;
    const net::SyncStatus all = overall_status({&done, &scanning});
    EXPECT_EQ(all.phase, net::SyncPhase::blocks);
    EXPECT_EQ(all.target_height - all.first_height + 1, 400U);
    EXPECT_EQ(all.counts.scanned_blocks, 250U);
    EXPECT_EQ(all.header_height, 300U);
    net::SyncStatus connecting;
    EXPECT_EQ(overall_status({&scanning, &connecting}).phase, net::SyncPhase::no_peer);
    EXPECT_EQ(overall_status({&done, &done}).phase, net::SyncPhase::done);
}

}  // namespace
}  // namespace petal::cli
