#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "chain/script/script.h"
#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "regtest/serve/embedded_node.h"
#include "tests/cli/scene.h"
#include "tests/support/socks_server.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

constexpr chain::Satoshis kBitcoin = 100'000'000;

/// A data folder with a wallet, and a node to sync it from.
class SyncCommand : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(scene_.run({"create"}).status, ExitStatus::done); }

    Outcome sync(regtest::EmbeddedNode& node, std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"sync", "--connect", to_string(node.endpoint())};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return scene_.run(arguments);
    }

    chain::Bytes new_script() const {
        const std::string address = scene_.run({"receive", "--new", "--json"}).json().at("address");
        return *wallet::parse_address(address, *chain::find_network("regtest"));
    }

    /// Replaces the wallet by one with this birthday.
    void restore_with_birthday(const std::string& birthday) const {
        ASSERT_EQ(scene_.run({"delete", "--yes"}).status, ExitStatus::done);
        const std::string words = scene_.write("words", test::kMnemonic);
        ASSERT_EQ(scene_.run({"restore", "--mnemonic-file", words, "--birthday", birthday}).status,
                  ExitStatus::done);
    }

    /// Mines `blocks` blocks, the last of which pays the wallet 1 BTC.
    void mine_payment(regtest::EmbeddedNode& node, std::uint32_t blocks) const {
        const chain::Bytes script = new_script();
        node.with_chain([&](regtest::RegtestChain& chain) {
            const auto payment = chain.make_payment({{kBitcoin, script}});
            if (chain.height() + 1 < blocks) chain.mine(blocks - 1 - chain.height());
            chain.mine_block({payment});
        });
    }

    Scene scene_;
};

TEST_F(SyncCommand, SaysHowFarTheAmountsAreKnown) {
    regtest::EmbeddedNode node;
    mine_payment(node, 200);
    ASSERT_EQ(sync(node).status, ExitStatus::done);
    EXPECT_NE(scene_.run({"balance"}).out.find("\nAs of block 200, "), std::string::npos);
    for (const char* command : {"balance", "utxos", "history", "addresses", "info"}) {
        const Json json = scene_.run({command, "--json"}).json();
        EXPECT_EQ(json.at("synced_height"), 200) << command;
        EXPECT_EQ(json.at("header_height"), 200) << command;
        EXPECT_EQ(json.at("synced"), true) << command;
    }

    ASSERT_EQ(scene_.run({"rescan", "--from", "101"}).status, ExitStatus::done);
    const Json half = scene_.run({"balance", "--json"}).json();
    EXPECT_EQ(half.at("synced_height"), 100);
    EXPECT_EQ(half.at("header_height"), 200);
    EXPECT_EQ(half.at("synced"), false);
    EXPECT_NE(scene_.run({"history"}).out.find("\nAs of block 100 of 200, not synced"),
              std::string::npos);
    EXPECT_EQ(scene_.run({"rescan", "--from", "150", "--json"}).code(), "not-searched-yet");
}

TEST_F(SyncCommand, SaysThatAChainHasNoBlockAfterItsFirst) {
    regtest::EmbeddedNode node;
    const Outcome synced = sync(node);
    EXPECT_EQ(synced.status, ExitStatus::done) << synced.err;
    EXPECT_NE(synced.out.find("is synced to block 0 of regtest"), std::string::npos) << synced.out;
    EXPECT_EQ(synced.out.find("Not proven"), std::string::npos) << synced.out;
    EXPECT_EQ(sync(node, {"--json"}).json().at("minimum_work"), true);
    const std::string balance = scene_.run({"balance"}).out;
    EXPECT_NE(balance.find("\nNo block is searched yet: the stored chain has none after"),
              std::string::npos)
        << balance;
}

TEST_F(SyncCommand, SaysThatTheStoredHeadersAreMissingOrUnusable) {
    regtest::EmbeddedNode node;
    mine_payment(node, 130);
    ASSERT_EQ(sync(node).status, ExitStatus::done);
    const std::string text =
        "\nAs of block 130, whose header is not stored; `petal --network "
        "regtest --datadir " +
        scene_.folder().string() + " sync` fetches the headers again.\n";
    scene_.write("regtest/headers.dat", "");
    std::filesystem::remove(scene_.path("regtest/headers.dat.index"));
    EXPECT_NE(scene_.run({"balance"}).out.find(text), std::string::npos);
    ASSERT_EQ(sync(node).status, ExitStatus::done);
    EXPECT_NE(scene_.run({"balance"}).out.find("\nAs of block 130, "), std::string::npos);

    std::filesystem::remove(scene_.path("regtest/headers.dat"));
    std::filesystem::create_symlink("/nowhere", scene_.path("regtest/headers.dat"));
    EXPECT_NE(scene_.run({"balance"}).out.find(", but the stored headers can't be used; `"),
              std::string::npos);
}

TEST_F(SyncCommand, FindsEarlierPaymentsOnceTheBirthdayIsSetBack) {
    regtest::EmbeddedNode node;
    restore_with_birthday("180");
    mine_payment(node, 150);
    node.with_chain([](regtest::RegtestChain& chain) { chain.mine(50); });
    ASSERT_EQ(sync(node).status, ExitStatus::done);
    EXPECT_EQ(scene_.run({"balance", "--json"}).json().at("total_sat"), 0);
    ASSERT_EQ(scene_.run({"rescan", "--from", "100"}).status, ExitStatus::done);
    ASSERT_EQ(sync(node).status, ExitStatus::done);
    const Json history = scene_.run({"history", "--json"}).json().at("transactions");
    EXPECT_EQ(scene_.run({"balance", "--json"}).json().at("confirmed_sat"), kBitcoin);
    ASSERT_EQ(scene_.run({"rescan"}).status, ExitStatus::done);
    const Json unsearched = scene_.run({"balance", "--json"}).json();
    EXPECT_EQ(unsearched.at("confirmed_sat"), 0);
    EXPECT_EQ(unsearched.at("pending_sat"), kBitcoin);
    EXPECT_EQ(scene_.run({"history", "--json"}).json().at("transactions")[0].at("height"),
              history[0].at("height"))
        << "a merkle proof stays valid";
    EXPECT_NE(scene_.run({"balance"}).out.find("Not synced: all blocks are to be searched again"),
              std::string::npos);
    ASSERT_EQ(sync(node).status, ExitStatus::done);
    EXPECT_EQ(scene_.run({"history", "--json"}).json().at("transactions"), history);
}

TEST_F(SyncCommand, RescanNeverMovesTheBirthdayForward) {
    const auto birthday_after = [&](const std::string& from) {
        return scene_.run({"rescan", "--from", from, "--json"}).json().at("birthday_height");
    };
    regtest::EmbeddedNode node;
    restore_with_birthday("120");
    mine_payment(node, 150);
    EXPECT_EQ(birthday_after("140"), 120) << "the new wallet was never synced";
    ASSERT_EQ(sync(node).status, ExitStatus::done);
    EXPECT_EQ(birthday_after("140"), 120);

    // The synced block is not on the stored chain.
    std::filesystem::remove(scene_.path("regtest/headers.dat"));
    regtest::EmbeddedNode other;
    other.with_chain([](regtest::RegtestChain& chain) { chain.mine(200); });
    ASSERT_EQ(scene_.run({"--wallet", "second", "create"}).status, ExitStatus::done);
    ASSERT_EQ(sync(other, {"--wallet", "second"}).status, ExitStatus::done);
    EXPECT_EQ(birthday_after("140"), 120);
    EXPECT_EQ(birthday_after("110"), 110);
    ASSERT_EQ(sync(other).status, ExitStatus::done);
    EXPECT_EQ(scene_.run({"info", "--json"}).json().at("synced_height"), 200);

    // Compares a height with a date while no headers are stored.
    restore_with_birthday("2024-05-31");
    for (const auto& entry : std::filesystem::directory_iterator(scene_.path("regtest"))) {
        if (entry.is_regular_file()) std::filesystem::remove(entry.path());
    }
    EXPECT_EQ(scene_.run({"rescan", "--from", "110", "--json"}).code(), "unknown-date");
    const Json later = scene_.run({"rescan", "--from", "2024-07-01", "--json"}).json();
    EXPECT_EQ(later, scene_.run({"rescan", "--json"}).json());
}

TEST_F(SyncCommand, WarnsOfABirthdayAboveTheTip) {
    regtest::EmbeddedNode node;
    restore_with_birthday("151");
    mine_payment(node, 150);
    const Outcome outcome = sync(node);
    EXPECT_EQ(outcome.status, ExitStatus::done);
    EXPECT_NE(outcome.err.find("block 151, is later than the last block, 150"), std::string::npos)
        << outcome.err;
    ASSERT_EQ(scene_.run({"rescan", "--from", "150"}).status, ExitStatus::done);
    EXPECT_EQ(sync(node).err.find("later than"), std::string::npos);
}

TEST_F(SyncCommand, HistoryIsOfADayAnAddressOrForASpreadsheet) {
    regtest::EmbeddedNode node;
    mine_payment(node, 150);
    mine_payment(node, 152);
    ASSERT_EQ(sync(node).status, ExitStatus::done);
    const auto history = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"history", "--json"});
        return scene_.run(options).json().at("transactions");
    };
    const Json all = history({});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(history({"--since", "2011-01-01"}).size(), 2U);
    EXPECT_EQ(history({"--since", "2999-01-01"}).size(), 0U);
    const Json addresses = scene_.run({"addresses", "--json"}).json().at("addresses");
    EXPECT_EQ(history({"--address", addresses[0].at("address")}), Json::array({all[1]}));
    EXPECT_EQ(history({"--address", addresses[1].at("address"), "--limit", "1"}),
              Json::array({all[0]}));
    EXPECT_EQ(history({"--address", addresses[2].at("address")}).size(), 0U);
    EXPECT_EQ(scene_.run({"history", "--address", "x"}).status, ExitStatus::failed);

    ASSERT_EQ(scene_.run({"label", all[0].at("txid"), "=1+\"2\""}).status, ExitStatus::done);
    const std::string csv = scene_.run({"history", "--csv", "--limit", "1"}).out;
    EXPECT_TRUE(
        csv.starts_with("time,height,txid,net_btc,fee_btc,confirmations,replaced_by,label,"
                        "recipients,fee_rate_sat_vb,undone\r\n"));
    EXPECT_NE(csv.find("Z,152," + all[0].at("txid").get<std::string>() +
                       ",1.00000000,,1,,\"'=1+\"\"2\"\"\",,,false\r\n"),
              std::string::npos)
        << csv;
    const std::string long_label(600, 'x');
    ASSERT_EQ(scene_.run({"label", all[0].at("txid"), long_label}).status, ExitStatus::done);
    EXPECT_NE(scene_.run({"history", "--csv"}).out.find('"' + long_label + '"'), std::string::npos);
    EXPECT_EQ(scene_.run({"history", "--csv", "--json"}).status, ExitStatus::usage);

    EXPECT_EQ(scene_.run({"history", "--csv"}).err, "");
    ASSERT_EQ(scene_.run({"rescan", "--from", "151"}).status, ExitStatus::done);
    const Outcome half = scene_.run({"history", "--csv"});
    EXPECT_EQ(half.err,
              "warning: As of block 150 of 152, not synced: payments in later blocks are missing "
              "or unconfirmed here; `petal --network regtest --datadir " +
                  scene_.folder().string() + " sync` goes on.\n");
    EXPECT_TRUE(half.out.starts_with("time,height,")) << half.out;
}

TEST_F(SyncCommand, ReportsWithTheContractsKeys) {
    regtest::EmbeddedNode node;
    mine_payment(node, 200);
    const Outcome outcome = sync(node, {"--json"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    const Json json = outcome.json();
    EXPECT_EQ(json.at("network"), "regtest");
    EXPECT_EQ(json.at("tip").at("height"), 200);
    EXPECT_EQ(json.at("tip").at("hash"),
              node.with_chain([](regtest::RegtestChain& chain) { return chain.tip().to_hex(); }));
    EXPECT_GT(json.at("tip").at("time"), 1'296'688'602);
    EXPECT_EQ(json.at("wallet"),
              Json::parse(R"({"name":"default","synced_height":200,"birthday_height":0})"));
    EXPECT_EQ(json.at("balance"), Json::parse(R"({"confirmed_sat":100000000,"pending_sat":0,)"
                                              R"("immature_sat":0,"total_sat":100000000,)"
                                              R"("unconfirmed_spent_sat":0,"frozen_sat":0})"));
    const Json& stats = json.at("stats");
    for (const char* key :
         {"seconds", "headers", "filtered_blocks", "full_blocks", "transactions", "false_positives",
          "bytes_received", "bytes_sent", "peers", "filter_loads", "reorgs", "refetched_blocks"}) {
        EXPECT_TRUE(stats.at(key).is_number()) << key;
    }
    EXPECT_EQ(stats.at("headers"), 200);
    EXPECT_EQ(stats.at("peers"), 1);
    ASSERT_EQ(json.at("peers").size(), 1U);
    const Json& peer = json.at("peers")[0];
    EXPECT_EQ(peer.at("address"), to_string(node.endpoint()));
    EXPECT_EQ(peer.at("user_agent"), "/petal-regtest:0.1.0/");
    EXPECT_EQ(peer.at("height"), 200);
    EXPECT_EQ(peer.at("bytes_received"), stats.at("bytes_received"));
    EXPECT_EQ(peer.at("misbehaviour"), 0);
}

TEST_F(SyncCommand, ShowsTheCoinAndTheTransactionAfterwards) {
    regtest::EmbeddedNode node;
    mine_payment(node, 150);
    ASSERT_EQ(sync(node).status, ExitStatus::done);
    const Json coin = scene_.run({"utxos", "--json"}).json().at("utxos").at(0);
    EXPECT_EQ(coin.at("amount_sat"), kBitcoin);
    EXPECT_EQ(coin.at("height"), 150);
    EXPECT_EQ(coin.at("confirmations"), 1);
    EXPECT_EQ(coin.at("descriptor_path"), "m/84h/1h/0h/0/0");
    EXPECT_EQ(coin.at("coinbase"), false);
    EXPECT_EQ(coin.at("spendable"), true);
    const Json entry = scene_.run({"history", "--json"}).json().at("transactions").at(0);
    EXPECT_EQ(entry.at("txid"), coin.at("txid"));
    EXPECT_EQ(entry.at("received_sat"), kBitcoin);
    EXPECT_EQ(entry.at("sent_sat"), 0);
    EXPECT_EQ(entry.at("net_sat"), kBitcoin);
    EXPECT_TRUE(entry.at("fee_sat").is_null());
    EXPECT_TRUE(entry.at("replaced_by").is_null());
    EXPECT_EQ(entry.at("label"), "");
    const Json address = scene_.run({"addresses", "--json"}).json().at("addresses").at(0);
    EXPECT_EQ(address.at("used"), true);
    EXPECT_EQ(address.at("received_sat"), kBitcoin);
    EXPECT_EQ(scene_.run({"utxos", "--min-conf", "2", "--json"}).json().at("utxos").size(), 0U);
    EXPECT_NE(scene_.run({"history"}).out.find("+1.00000000"), std::string::npos);
    EXPECT_NE(scene_.run({"utxos"}).out.find("150"), std::string::npos);
}

TEST_F(SyncCommand, ListensForUnconfirmedTransactionsOnRequestAndSaysSo) {
    regtest::EmbeddedNode node;
    mine_payment(node, 130);
    const chain::Bytes script = new_script();
    node.with_chain([&](regtest::RegtestChain& chain) { chain.pay(script, 5'000); });

    const Outcome plain = sync(node);
    EXPECT_NE(plain.out.find("No unconfirmed payments were awaited"), std::string::npos)
        << plain.out;
    EXPECT_EQ(scene_.run({"balance", "--json"}).json().at("pending_sat"), 0);

    const Outcome listening = sync(node, {"--wait-unconfirmed", "0.5"});
    EXPECT_NE(listening.out.find("were listened for"), std::string::npos) << listening.out;
    EXPECT_NE(listening.out.find("a node may answer later"), std::string::npos) << listening.out;
    const std::string explanation = "\nPending amounts are in no block";
    EXPECT_NE(listening.out.find(explanation), std::string::npos) << listening.out;
    EXPECT_NE(scene_.run({"balance"}).out.find(explanation), std::string::npos)
        << "only on a terminal is it explained for good";
    EXPECT_NE(sync(node).out.find(explanation), std::string::npos);
    EXPECT_EQ(scene_.run({"balance", "--json"}).json().at("pending_sat"), 5'000);
    EXPECT_TRUE(
        scene_.run({"history", "--json"}).json().at("transactions").at(0).at("height").is_null());
}

TEST_F(SyncCommand, WarnsOnceOfANamedNodeThatIsDead) {
    regtest::EmbeddedNode node;
    mine_payment(node, 130);
    const Outcome outcome = sync(node, {"--connect", "127.0.0.1:1"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_EQ(outcome.err.find("127.0.0.1:1 can't be reached"),
              outcome.err.rfind("127.0.0.1:1 can't be reached"));
    EXPECT_NE(outcome.err.find("warning: 127.0.0.1:1 can't be reached (connection refused)"),
              std::string::npos)
        << outcome.err;
}

TEST_F(SyncCommand, SaysThatABloomFilterSearchesBlocksAgain) {
    regtest::EmbeddedNode node;
    restore_with_birthday("1");
    mine_payment(node, 130);
    const std::string warning =
        "warning: the blocks from 1 on were searched by compact filters, and are searched again by "
        "Bloom filters\n";
    EXPECT_EQ(sync(node, {"--source", "compact"}).err.find(warning), std::string::npos);
    EXPECT_NE(sync(node).err.find(warning), std::string::npos);
    EXPECT_EQ(sync(node).err.find(warning), std::string::npos);
}

TEST_F(SyncCommand, ExplainsOnceWhatBalanceHasExplained) {
    regtest::EmbeddedNode node;
    mine_payment(node, 130);
    const chain::Bytes script = new_script();
    node.with_chain([&](regtest::RegtestChain& chain) { chain.pay(script, 5'000); });
    ASSERT_EQ(sync(node, {"--wait-unconfirmed", "0.5"}).status, ExitStatus::done);

    const auto explains = [](const Outcome& outcome) {
        EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
        return outcome.out.find("Pending amounts are in no block") != std::string::npos;
    };
    ASSERT_EQ(chmod(scene_.folder().c_str(), 0777), 0);
    EXPECT_TRUE(explains(scene_.run_on_terminal({"balance"})));
    ASSERT_EQ(chmod(scene_.folder().c_str(), 0700), 0);
    EXPECT_TRUE(explains(scene_.run_on_terminal({"balance"})))
        << "nothing is written where other users can write";
    EXPECT_FALSE(explains(scene_.run_on_terminal({"balance"})));
    EXPECT_FALSE(explains(sync(node)));
    EXPECT_TRUE(explains(scene_.run_on_terminal({"balance", "--explain"})));
    EXPECT_TRUE(explains(sync(node, {"--explain"})));
    EXPECT_TRUE(explains(sync(node, {"--explain", "--all-wallets"})));
}

TEST_F(SyncCommand, ReportsAReorganisation) {
    regtest::EmbeddedNode node;
    mine_payment(node, 140);
    ASSERT_EQ(sync(node).status, ExitStatus::done);
    node.with_chain([](regtest::RegtestChain& chain) {
        chain.reorganise(135, 6, regtest::RegtestChain::Dropped::to_mempool);
    });
    const Outcome outcome = sync(node, {"--json", "-v"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_EQ(outcome.json().at("stats").at("reorgs"), 1);
    EXPECT_EQ(outcome.json().at("tip").at("height"), 141);
    EXPECT_EQ(outcome.json().at("balance").at("confirmed_sat"), 0);
    EXPECT_NE(outcome.err.find("reorganisation: 5 blocks above block 135"), std::string::npos)
        << outcome.err;
}

TEST_F(SyncCommand, NamesThePeerOfAnotherNetwork) {
    regtest::EmbeddedNode node;
    ASSERT_EQ(scene_.run({"--network", "signet", "create"}).status, ExitStatus::done);
    const Outcome outcome = scene_.run(
        {"--network", "signet", "sync", "--json", "--connect", to_string(node.endpoint())});
    EXPECT_EQ(outcome.status, ExitStatus::no_peer);
    EXPECT_EQ(outcome.code(), "no-usable-peer");
    EXPECT_NE(outcome.err.find("is it a node of signet?"), std::string::npos) << outcome.err;
}

TEST_F(SyncCommand, GivesUpOnAStallingPeerInTimeAndKeepsWhatItSent) {
    regtest::ServerOptions options;
    options.behaviour.faults = {{regtest::FaultKind::stall, 30, 1, {}}};
    regtest::EmbeddedNode node(options);
    mine_payment(node, 200);
    const Outcome outcome = sync(node, {"--json", "--timeout", "1"});
    EXPECT_EQ(outcome.status, ExitStatus::no_peer);
    EXPECT_EQ(outcome.code(), "timed-out");
    EXPECT_NE(outcome.err.find("of 200"), std::string::npos) << outcome.err;

    node.set_behaviour({});
    const Json json = sync(node, {"--json"}).json();
    EXPECT_EQ(json.at("stats").at("headers"), 0);
    EXPECT_LE(json.at("stats").at("filtered_blocks"), 180);
    EXPECT_EQ(json.at("balance").at("confirmed_sat"), kBitcoin);
}

TEST_F(SyncCommand, TimesOutOnlyWhileBlocksAreMissing) {
    regtest::EmbeddedNode node;
    mine_payment(node, 130);
    ASSERT_EQ(sync(node).status, ExitStatus::done);
    const Outcome outcome = sync(node, {"--json", "--timeout", "1", "--wait-unconfirmed", "30"});
    EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
}

TEST_F(SyncCommand, NamesTheRemedyIfNoPeerSendsTheBlocksOfManyHeaders) {
    regtest::EmbeddedNode ahead;
    regtest::EmbeddedNode behind;
    ahead.with_chain([](regtest::RegtestChain& chain) { chain.mine(127); });
    behind.with_chain([](regtest::RegtestChain& chain) { chain.mine(120); });
    ASSERT_EQ(sync(ahead).status, ExitStatus::done);
    restore_with_birthday("1");
    const Outcome outcome = sync(behind, {"--json", "--timeout", "4"});
    EXPECT_EQ(outcome.status, ExitStatus::no_peer);
    EXPECT_EQ(outcome.code(), "timed-out");
    EXPECT_NE(outcome.err.find("at block 120 of 127, waiting for a peer that has the next blocks"),
              std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("headers reset` forgets their headers"), std::string::npos)
        << outcome.err;
    ASSERT_EQ(scene_.run({"headers", "reset", "--yes"}).status, ExitStatus::done);
    EXPECT_EQ(sync(behind).status, ExitStatus::done);
}

TEST_F(SyncCommand, LeavesAWalletAloneThatIsBeingSynced) {
    regtest::EmbeddedNode node;
    GlobalOptions global;
    global.network = table_network("regtest");
    global.data_dir = scene_.folder();
    const wallet::Wallet held = open_wallet(global, wallet::Access::sync);
    const Outcome follower = sync(node, {"--follow", "--json"});
    EXPECT_EQ(follower.status, ExitStatus::wallet);
    const Outcome outcome = sync(node, {"--json", "--timeout", "0.2"});
    EXPECT_EQ(outcome.status, ExitStatus::no_peer);
    EXPECT_EQ(outcome.code(), "timed-out");
    EXPECT_NE(outcome.err.find("another petal syncs this wallet"), std::string::npos);
    EXPECT_NE(outcome.err.find("warning: another petal is syncing this wallet, so until it ends "
                               "these options have no effect: --connect\n"),
              std::string::npos)
        << outcome.err;
    const Outcome more = scene_.run(
        {"sync", "--timeout", "0.2", "--proxy", "127.0.0.1:9", "--full-blocks", "--peers", "2"});
    EXPECT_NE(more.err.find("no effect: --peers, --proxy, --source\n"), std::string::npos)
        << more.err;
    EXPECT_EQ(scene_.run({"sync", "--timeout", "0.2"}).err.find("no effect"), std::string::npos);
    EXPECT_EQ(scene_.run({"balance"}).status, ExitStatus::done);
}

TEST_F(SyncCommand, SaysWhatHappenedInWords) {
    restore_with_birthday("1");  // the filter of a different wallet may match one more transaction
    regtest::EmbeddedNode node;
    mine_payment(node, 200);
    const std::string text = sync(node).out;
    for (const char* part :
         {"Wallet 'default' is synced to block 200 of regtest", "200 new", "1 received",
          "/petal-regtest:0.1.0/", "confirmed", "1.00000000 BTC", "--wait-unconfirmed"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
}

constexpr const char* kOnion = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion";

TEST_F(SyncCommand, SyncsAnOnionServiceThroughAProxy) {
    regtest::EmbeddedNode node;
    mine_payment(node, 150);
    const test::SocksServer proxy{test::SocksManner::forwards, {{kOnion, node.endpoint()}}};
    const Outcome outcome = scene_.run({"sync", "--json", "--onion-only", "--proxy",
                                        to_string(proxy.endpoint()), "--connect", kOnion});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_EQ(outcome.json().at("peers")[0].at("address"), std::string(kOnion) + ":18444");
    ASSERT_EQ(proxy.requests().size(), 1U);
}

TEST_F(SyncCommand, TakesTheProxyFromTheConfigFile) {
    const test::SocksServer proxy{test::SocksManner::refuses};
    scene_.write("petal.toml", "proxy = \"" + to_string(proxy.endpoint()) + "\"\n");
    const Outcome outcome = scene_.run({"sync", "--json", "--connect", "node.example:1"});
    EXPECT_EQ(outcome.code(), "no-usable-peer");
    EXPECT_NE(outcome.err.find("the proxy refuses"), std::string::npos) << outcome.err;
    EXPECT_EQ(proxy.requests().size(), 1U);
}

TEST_F(SyncCommand, RefusesToGoRoundTheProxy) {
    const std::string onion = kOnion;
    const std::vector<std::vector<std::string>> refused{
        {"sync", "--onion-only"},
        {"sync", "--connect", onion},
        {"sync", "--proxy", "127.0.0.1:1", "--onion-only", "--connect", "127.0.0.1:2"},
        {"sync", "--proxy", "tor.example:1", "--onion-only", "--connect", onion},
        {"sync", "--proxy", onion},
        {"sync", "--proxy", "127.0.0.1:0"},
        {"sync", "--proxy", "127.0.0.1:1", "--connect", "a" + onion},
    };
    for (const auto& arguments : refused) {
        EXPECT_EQ(scene_.run(arguments).status, ExitStatus::usage) << arguments.back();
    }
}

TEST_F(SyncCommand, RefusesSeedsThatItWouldNotAsk) {
    const std::vector<std::vector<std::string>> refused{
        {"sync", "--dns-seed", "seed.example", "--connect", "127.0.0.1:1"},
        {"sync", "--dns-seed", "none", "--onion-only", "--proxy", "127.0.0.1:1"},
    };
    for (const auto& arguments : refused) {
        EXPECT_EQ(scene_.run(arguments).status, ExitStatus::usage) << arguments[3];
    }
    // An option of the command line overrides the config file.
    scene_.write("petal.toml", "dns-seed = \"seed.example\"\n");
    const Outcome outcome = scene_.run({"sync", "--json", "--connect", "127.0.0.1:1"});
    EXPECT_EQ(outcome.code(), "no-usable-peer") << outcome.err;
}

}  // namespace
}  // namespace petal::cli
