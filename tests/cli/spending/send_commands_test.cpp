// petal send against an embedded node, which verifies the spends.
#include <gtest/gtest.h>

#include <algorithm>

#include "chain/bytes.h"
#include "chain/transaction.h"
#include "cli/options/data_folder.h"
#include "cli/payment/fee_rate_choice.h"
#include "cli/text/amount.h"
#include "net/io/clocks.h"
#include "tests/cli/spending/send_scene.h"
#include "tests/support/type_name.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using test::kCoin;
using test::kOtherPayee;
using test::kPayee;
using test::Outcome;
using test::Scene;

class SendCommand : public test::SendScene {};

class SendOfType : public SendCommand, public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Types, SendOfType, testing::Values("wpkh", "tr", "sh-wpkh", "pkh"),
                         test::TypeName());

TEST_P(SendOfType, PaysSubtractsAndEmptiesTheWallet) {
    make_wallet(GetParam());
    const Outcome paid = send({kPayee, "0.012", "--fee-rate", "3", "--yes"});
    ASSERT_EQ(paid.status, ExitStatus::done) << paid.err;
    const Json json = paid.json();
    // One signature of 256 is a byte shorter than assumed.
    const auto rated = 3 * json.at("vsize").get<chain::Satoshis>();
    EXPECT_GE(json.at("fee_sat"), rated);
    EXPECT_LE(json.at("fee_sat"), rated + 6);
    EXPECT_EQ(balance().at("total_sat"), 1'800'000 - json.at("fee_sat").get<chain::Satoshis>());
    mine();
    sync();

    const Outcome subtracted = send({kPayee, "0.002", "--subtract-fee", "--yes"});
    ASSERT_EQ(subtracted.status, ExitStatus::done) << subtracted.err;
    EXPECT_EQ(balance().at("total_sat"), 1'600'000 - json.at("fee_sat").get<chain::Satoshis>());
    mine();
    sync();

    const Outcome all = send({kPayee, "all", "--yes"});
    ASSERT_EQ(all.status, ExitStatus::done) << all.err;
    EXPECT_EQ(all.json().at("outputs").size(), 1U);
    mine();
    sync();
    EXPECT_EQ(balance().at("total_sat"), 0);
    EXPECT_EQ(balance().at("confirmed_sat"), 0);
    EXPECT_EQ(mempool_size(), 0U);
}

TEST_F(SendCommand, ReportsWithTheContractsKeys) {
    make_wallet();
    const Outcome outcome = send({kPayee, "0.001", "--yes"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    const Json json = outcome.json();
    const auto hex = json.at("hex").get<std::string>();
    const auto sent = chain::decode_transaction(*chain::from_hex(hex)).value();
    EXPECT_EQ(json.at("network"), "regtest");
    EXPECT_EQ(json.at("txid"), sent.txid().to_hex());
    EXPECT_EQ(json.at("vsize"), sent.virtual_size());
    EXPECT_EQ(json.at("fee_rate_sat_vb"), 1.0);
    EXPECT_EQ(json.at("fee_rate_source"), "default");
    EXPECT_EQ(json.at("announced_to"), 1);
    EXPECT_EQ(json.at("seen_from"), 0);
    ASSERT_EQ(json.at("inputs").size(), sent.inputs.size());
    EXPECT_EQ(json.at("inputs").at(0).at("txid"), sent.inputs[0].prevout.txid.to_hex());
    EXPECT_EQ(json.at("inputs").at(0).at("vout"), sent.inputs[0].prevout.index);
    EXPECT_EQ(json.at("inputs").at(0).at("amount_sat"), kCoin);
    EXPECT_TRUE(json.at("inputs").at(0).at("address").is_string());
    ASSERT_EQ(json.at("outputs").size(), 2U);
    const std::size_t change = json.at("outputs").at(0).at("change") == true ? 0 : 1;
    EXPECT_EQ(json.at("outputs").at(change).at("change"), true);
    EXPECT_EQ(json.at("outputs").at(1 - change).at("change"), false);
    EXPECT_EQ(json.at("outputs").at(1 - change).at("address"), kPayee);
    EXPECT_EQ(json.at("outputs").at(1 - change).at("amount_sat"), 100'000);
    EXPECT_EQ(mempool_size(), 1U);
}

TEST_P(SendOfType, IsKnownWithItsRecipientsAndItsFeeRate) {
    make_wallet(GetParam());
    const auto txid = send({kPayee, "0.001", "--fee-rate", "4", "--yes"}).json().at("txid");
    const Json recipients = Json::array({Json{{"address", kPayee}, {"amount_sat", 100'000}}});
    for (const bool is_mined : {false, true}) {
        const Json entries = scene.run({"history", "--json"}).json().at("transactions");
        const auto is_payment = [&](const Json& entry) { return entry.at("txid") == txid; };
        const auto entry = std::ranges::find_if(entries, is_payment);
        ASSERT_NE(entry, entries.end());
        EXPECT_EQ(entry->at("recipients"), recipients);
        EXPECT_NEAR(entry->at("fee_rate_sat_vb").get<double>(), 4, 0.05);
        EXPECT_EQ(entries.back().at("recipients"), Json::array()) << "a receipt has no recipients";
        EXPECT_TRUE(entries.back().at("fee_rate_sat_vb").is_null());
        EXPECT_EQ(scene
                      .run({"wait", "--tx", txid.get<std::string>(), "--conf", "0", "--json",
                            "--connect", to_string(node.endpoint())})
                      .json()
                      .at("recipients"),
                  recipients);
        const std::string list = scene.run({"history"}).out;
        EXPECT_NE(list.find("  to " + std::string(kPayee) + "\n"), std::string::npos) << list;
        const Outcome shown = scene.run({"tx", txid.get<std::string>()});
        const std::string fee = std::to_string(entry->at("fee_sat").get<int>()) + " sat (";
        EXPECT_NE(shown.out.find(fee), std::string::npos) << shown.out;
        EXPECT_NE(shown.out.find(" sat/vB)"), std::string::npos) << shown.out;
        if (is_mined) continue;
        mine();
        sync();
    }
}

TEST_F(SendCommand, IsExportedToSpreadsheets) {
    make_wallet();
    const Json sent = send({std::string(kPayee) + "=0.001", std::string(kOtherPayee) + "=0.002",
                            "--fee-rate", "4", "--yes"})
                          .json();
    const std::string csv = scene.run({"history", "--csv", "--limit", "1"}).out;
    const std::string both = std::string(kPayee) + "=0.00100000 " + kOtherPayee + "=0.00200000";
    const std::string reversed = std::string(kOtherPayee) + "=0.00200000 " + kPayee + "=0.00100000";
    const std::string end = "\"," + sent.at("fee_rate_sat_vb").dump() + ",false\r\n";
    EXPECT_TRUE(csv.ends_with(",\"\",\"" + both + end) ||
                csv.ends_with(",\"\",\"" + reversed + end))
        << csv;
    const std::string list = scene.run({"history", "--limit", "1"}).out;
    EXPECT_NE(list.find(" and 1 other\n"), std::string::npos) << list;
}

TEST_F(SendCommand, DryRunTriesThePasswordThatItIsGiven) {
    make_wallet("wpkh", {"--password-file", scene.write("right", "correct horse")});
    const auto try_with = [&](const std::string& password) {
        const std::string file = scene.write("tried", password);
        return send({kPayee, "0.001", "--dry-run", "--password-file", file});
    };
    EXPECT_EQ(try_with("wrong").code(), "wrong-password");
    EXPECT_EQ(try_with("correct horse").status, ExitStatus::done);
    EXPECT_EQ(send({kPayee, "0.001", "--dry-run"}).status, ExitStatus::done)
        << "a dry run needs no password";
}

TEST_F(SendCommand, PaysTheFeeRateOfPaymentsThatConfirmedLately) {
    make_wallet();
    const auto paid_at = [&](const std::string& rate, std::int64_t age) {
        ASSERT_EQ(send({kPayee, "0.001", "--fee-rate", rate, "--yes"}).status, ExitStatus::done);
        node.with_chain([age](regtest::RegtestChain& chain) {
            chain.set_time(net::unix_time_now() - age);
            chain.mine();
        });
        sync();
    };
    const auto chosen = [&] { return send({kPayee, "0.001", "--dry-run"}).json(); };
    paid_at("20", 25 * 3'600);
    EXPECT_EQ(chosen().at("fee_rate_source"), "default");
    paid_at("7.5", 23 * 3'600);
    EXPECT_EQ(chosen().at("fee_rate_source"), "confirmed");
    EXPECT_NEAR(chosen().at("fee_rate_sat_vb").get<double>(), 7.5, 0.05);
    ASSERT_EQ(send({kPayee, "0.001", "--fee-rate", "2", "--yes"}).status, ExitStatus::done);
    EXPECT_NEAR(chosen().at("fee_rate_sat_vb").get<double>(), 7.5, 0.05)
        << "it is still unconfirmed";
    paid_at("3", 3'600);
    EXPECT_NEAR(chosen().at("fee_rate_sat_vb").get<double>(), 3, 0.05)
        << "the median of 2, 3 and 7.5";
    const std::string text = scene.run({"send", kPayee, "0.001", "--dry-run"}).out;
    EXPECT_NE(text.find("sat/vB, as payments that confirmed in the last day"), text.npos) << text;

    const GlobalOptions global = global_options("regtest");
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    EXPECT_EQ(choose_rate("", wallet, true, global).source, client::RateSource::confirmed);
    EXPECT_EQ(choose_rate("", wallet, false, global).source, client::RateSource::default_rate)
        << "the peer that served the blocks may have fabricated them";
}

TEST_F(SendCommand, WarnsOfCoinsThatMayBeSpent) {
    make_wallet();
    const std::string warning = "the wallet is not synced: its coins may be spent already";
    const auto warns = [&](std::vector<std::string> words) {
        words.insert(words.end(), {kPayee, "0.001"});
        return scene.run(words).err.find(warning) != std::string::npos;
    };
    EXPECT_FALSE(warns({"send", "--dry-run"}) || warns({"psbt", "create"}));
    ASSERT_EQ(scene.run({"rescan"}).status, ExitStatus::done);
    EXPECT_TRUE(warns({"send", "--dry-run"}));
    EXPECT_TRUE(warns({"psbt", "create"}));
}

TEST_F(SendCommand, WritesAndSendsNothingUnlessAllIsRight) {
    make_wallet();
    const std::string payee = kPayee;
    struct Row {
        std::vector<std::string> words;
        ExitStatus status;
        const char* code;
    };
    const std::string foreign = std::string(64, '1') + ":0";
    const std::vector<Row> rows{
        {{payee, "0.04", "--yes"}, ExitStatus::failed, "insufficient-funds"},
        {{payee, "0.03", "--yes"}, ExitStatus::failed, "insufficient-funds"},
        {{payee, "293sat", "--yes"}, ExitStatus::failed, "dust"},
        {{payee, "0", "--yes"}, ExitStatus::failed, "bad-amount"},
        {{payee, "0.001", "--yes", "--fee-rate", "100"}, ExitStatus::failed, "absurd-fee"},
        {{payee, "0.001"}, ExitStatus::usage, "usage"},
        {{payee, "0.001", "--yes", "--utxo", foreign}, ExitStatus::failed, "not-spendable"},
        {{payee, "0.001", "--yes", "--utxo", "1:2"}, ExitStatus::usage, "usage"},
        {{payee, "0.001", "--yes", "--fee-rate", "0"}, ExitStatus::usage, "usage"},
        {{payee + "=all", std::string(kOtherPayee) + "=0.001", "--subtract-fee", "--yes"},
         ExitStatus::usage,
         "usage"},
        {{"bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "0.001", "--yes"},
         ExitStatus::failed,
         "bad-address"},
    };
    const Json before = balance();
    for (const Row& row : rows) {
        const Outcome outcome = send(row.words);
        EXPECT_EQ(outcome.status, row.status) << outcome.out;
        EXPECT_EQ(outcome.code(), row.code) << outcome.out;
    }
    EXPECT_EQ(balance(), before);
    EXPECT_EQ(history_size(), 3U);
    EXPECT_EQ(mempool_size(), 0U);
}

TEST_F(SendCommand, NamesTheLeastAmountOfTheAddress) {
    make_wallet();
    for (const auto& [address, least] : {std::pair{kPayee, "294"}, {kOtherPayee, "330"}}) {
        EXPECT_NE(send({address, "100sat", "--yes"})
                      .err.find(std::string("; the least for this address is ") + least + " sat"),
                  std::string::npos);
    }
    const Outcome subtracted = send({kPayee, "300sat", "--subtract-fee", "--yes"});
    EXPECT_NE(subtracted.err.find("the least for this address is 294 sat"), std::string::npos)
        << subtracted.err;
}

TEST_F(SendCommand, ShowsWhatLeavesTheWallet) {
    make_wallet();
    const auto own = scene.run({"receive", "--json"}).json().at("address").get<std::string>();
    const std::string text =
        scene.run({"send", own + "=0.002", std::string(kPayee) + "=0.001", "--dry-run"}).out;
    EXPECT_NE(text.find("  receives        0.00200000 BTC to " + own + ", the wallet's\n"),
              text.npos)
        << text;
    EXPECT_NE(text.find("  pays            0.00100000 BTC to " + std::string(kPayee) + "\n"),
              text.npos)
        << text;
    EXPECT_NE(text.find("  total           0.00100"), text.npos) << text;
}

TEST_F(SendCommand, WarnsOfAnAbsurdFeeThatIsOnlyShown) {
    make_wallet();
    const std::string warning = "warning: the fee of ";
    const auto is_warned = [&](const std::string& option) {
        const Outcome shown = send({kPayee, "1000sat", "--fee-rate", "100", "--dry-run", option});
        EXPECT_EQ(shown.status, ExitStatus::done) << shown.err;
        const bool is_told = shown.err.find(warning) != std::string::npos;
        const Json warnings = shown.json().at("warnings");
        EXPECT_EQ(warnings.size(), is_told ? 1U : 0U);
        if (is_told) {
            EXPECT_EQ(warnings[0].at("code"), "absurd-fee");
            EXPECT_EQ("warning: " + warnings[0].at("message").get<std::string>() + "\n", shown.err);
        }
        return is_told;
    };
    EXPECT_TRUE(is_warned("--yes"));
    EXPECT_FALSE(is_warned("--accept-fee"));
    EXPECT_FALSE(is_warned("--max-fee=14100sat"));
    EXPECT_TRUE(is_warned("--max-fee=14099sat"));
}

TEST_F(SendCommand, SaysThatItsPeerHasTheWalletsFilter) {
    make_wallet();
    const Outcome lone = send({kPayee, "0.001", "--yes"});
    EXPECT_EQ(lone.json().at("announced_to_filter_peers"), 1);
    const Outcome printed = send({kPayee, "0.001", "--yes", "--no-broadcast"});
    EXPECT_EQ(printed.json().at("announced_to_filter_peers"), 0);
}

TEST_F(SendCommand, SubtractsTheFeeAnywayWhenItSendsAll) {
    make_wallet();
    const Outcome lone = send({kPayee, "all", "--subtract-fee", "--yes"});
    EXPECT_EQ(lone.status, ExitStatus::done) << "without the flag, the result is the same";
}

TEST_F(SendCommand, SaysHowMuchIsMissing) {
    make_wallet();
    const Json error = send({kPayee, "0.04", "--yes"}).json();
    EXPECT_EQ(error.at("error").at("code"), "insufficient-funds");
    // 42 + 124 + 3 x 271 weight units are 245 vB. Rounding may add one satoshi for each input.
    EXPECT_NEAR(static_cast<double>(error.at("missing_sat").get<chain::Satoshis>()),
                1'000'000 + 245, 4);
    EXPECT_EQ(error.at("unconfirmed_sat"), 0);
    EXPECT_EQ(error.at("immature_sat"), 0);
    EXPECT_EQ(error.at("frozen_sat"), 0);
}

TEST_F(SendCommand, SaysHowMuchCanBeSpent) {
    make_wallet();
    const std::string too_much = send({kPayee, "0.04", "--yes"}).err;
    EXPECT_NE(too_much.find("; 0.03000000 BTC can be spent; all in place of the amount sends"),
              std::string::npos)
        << too_much;
    const std::string without_fee = send({kPayee, "0.03", "--yes"}).err;
    EXPECT_NE(without_fee.find("; 0.03000000 BTC can be spent; --subtract-fee takes the fee"),
              std::string::npos)
        << without_fee;
}

TEST_F(SendCommand, LabelsAPaymentByItsTransaction) {
    make_wallet();
    const std::string label(100, 'x');
    const Outcome unpaid = scene.run({"label", kPayee, label});
    EXPECT_NE(unpaid.err.find(" is not in wallet 'default'"), std::string::npos) << unpaid.err;
    ASSERT_EQ(send({kPayee, "0.001", "--yes"}).status, ExitStatus::done);
    const Json payment = scene.run({"history", "--json"}).json().at("transactions").at(0);
    const auto txid = payment.at("txid").get<std::string>();
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"label", kPayee}, {"label", kPayee, label}}) {
        const std::string refusal = scene.run(words).err;
        EXPECT_NE(refusal.find(" is not one of the wallet's addresses; the payment to it is "
                               "labelled with `petal "),
                  std::string::npos)
            << refusal;
        EXPECT_NE(refusal.find("label " + txid + "`"), std::string::npos) << refusal;
    }
    ASSERT_EQ(scene.run({"label", txid, label}).status, ExitStatus::done);
    EXPECT_NE(scene.run({"history"}).out.find(label), std::string::npos);
}

TEST_F(SendCommand, SaysHowMuchIsFrozen) {
    make_wallet();
    const Json coin = scene.run({"utxos", "--json"}).json().at("utxos").at(0);
    const std::string output = coin.at("txid").get<std::string>() + ':' + coin.at("vout").dump();
    const std::string labels = scene.write(
        "labels", R"({"type":"output","ref":")" + output + R"(","spendable":false})" + '\n');
    ASSERT_EQ(scene.run({"labels", "import", labels}).status, ExitStatus::done);
    const Outcome refused = send({kPayee, "0.025", "--yes"});
    EXPECT_EQ(refused.code(), "insufficient-funds");
    EXPECT_EQ(refused.json().at("frozen_sat"), kCoin);
    EXPECT_NE(refused.err.find("; 0.01000000 BTC are frozen (`petal "), std::string::npos)
        << refused.err;
    const Outcome named = scene.run({"send", kPayee, "0.001", "--utxo", output, "--dry-run"});
    EXPECT_NE(named.err.find(output + " is frozen; `petal"), std::string::npos) << named.err;
    const Outcome all = scene.run({"send", kPayee, "all", "--fee-rate", "2", "--dry-run"});
    EXPECT_EQ(all.status, ExitStatus::done);
    EXPECT_NE(all.err.find("not all of the wallet is paid: 0.01000000 BTC are frozen"),
              std::string::npos)
        << all.err;
}

TEST_F(SendCommand, SaysInAFewLinesWhatWasSent) {
    make_wallet();
    const std::vector<std::string> send{"send",  kPayee,      "0.001",
                                        "--yes", "--connect", to_string(node.endpoint())};
    const std::string explanation = "sync --follow`";
    const Outcome first = scene.run(send);
    ASSERT_EQ(first.status, ExitStatus::done) << first.err;
    EXPECT_LE(std::ranges::count(first.out, '\n'), 6) << first.out;
    EXPECT_NE(first.out.find("  pays            0.00100000 BTC to " + std::string(kPayee) + "\n"),
              std::string::npos)
        << first.out;
    EXPECT_LT(first.out.find("  pays "), first.out.find("  fee ")) << first.out;
    EXPECT_NE(first.out.find(explanation), std::string::npos) << first.out;
    EXPECT_NE(scene.run_on_terminal(send).out.find(explanation), std::string::npos)
        << "only on a terminal is it explained for good";
    EXPECT_EQ(scene.run_on_terminal(send).out.find(explanation), std::string::npos);
    std::vector<std::string> explained = send;
    explained.insert(explained.begin() + 1, "--explain");
    const Outcome last = scene.run(explained);
    EXPECT_NE(last.out.find(explanation), std::string::npos) << last.out;
    EXPECT_NE(last.out.find("  peers"), std::string::npos) << last.out;
}

TEST_F(SendCommand, SpendsNoFrozenCoinUntilItIsUnfrozen) {
    make_wallet();
    std::vector<std::string> freeze{"freeze"};
    const Json coins = scene.run({"utxos", "--json"}).json().at("utxos");
    for (const Json& coin : coins) {
        freeze.push_back(coin.at("txid").get<std::string>() + ':' + coin.at("vout").dump());
    }
    const Outcome frozen = scene.run(freeze);
    const std::string first =
        freeze.at(1) + " (" + format_btc(coins.at(0).at("amount_sat")) + " BTC)";
    EXPECT_TRUE(frozen.out.starts_with(first + " is frozen: no payment spends it.\n"))
        << frozen.out;
    const std::string short_name =
        freeze.at(1).substr(0, 10) + freeze.at(1).substr(freeze.at(1).find(':'));
    EXPECT_EQ(scene.run({"freeze", short_name}).out, first + " was frozen already.\n");
    const Json balance = scene.run({"balance", "--json"}).json();
    EXPECT_EQ(balance.at("frozen_sat"), balance.at("total_sat"));
    const std::string text = scene.run({"balance"}).out;
    EXPECT_NE(text.find(" BTC of the total\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\nNo payment spends frozen coins; "), std::string::npos) << text;
    EXPECT_EQ(scene.run({"utxos", "--json"}).json().at("utxos").at(0).at("frozen"), true);
    EXPECT_EQ(send({kPayee, "0.001", "--yes"}).code(), "insufficient-funds");
    const Outcome named = send({kPayee, "0.001", "--yes", "--utxo", freeze.at(1)});
    EXPECT_EQ(named.code(), "not-spendable");
    EXPECT_NE(named.err.find(" unfreeze " + freeze.at(1) + "`"), std::string::npos) << named.err;

    const Json unfrozen = scene.run({"unfreeze", freeze.at(1), "--json"}).json();
    EXPECT_EQ(unfrozen.at("coins").at(0).at("frozen"), false);
    EXPECT_EQ(unfrozen.at("coins").at(0).at("changed"), true);
    EXPECT_EQ(scene.run({"unfreeze", freeze.at(1)}).out, first + " was not frozen.\n");
    EXPECT_EQ(send({kPayee, "0.001", "--yes"}).status, ExitStatus::done);
}

TEST_F(SendCommand, SaysOfAFrozenCoinThatItIsSpent) {
    make_wallet("wpkh", {}, 1);
    const Json coin = scene.run({"utxos", "--json"}).json().at("utxos").at(0);
    const std::string name = coin.at("txid").get<std::string>() + ':' + coin.at("vout").dump();
    ASSERT_EQ(send({kPayee, "all", "--yes"}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"freeze", name}).out,
              name + " is frozen, but a transaction spends it already.\n");
    EXPECT_NE(scene.run({"freeze", name.substr(0, 8)}).err.find("is not TXID:VOUT; `petal"),
              std::string::npos);
}

TEST_F(SendCommand, FreezesOnlyCoinsOfTheWallet) {
    make_wallet();
    const std::string foreign = std::string(64, 'a') + ":0";
    EXPECT_EQ(scene.run({"freeze", foreign, "--json"}).code(), "not-in-wallet");
    EXPECT_EQ(scene.run({"freeze", "nonsense"}).status, ExitStatus::usage);
    EXPECT_EQ(scene.run({"freeze"}).status, ExitStatus::usage);
}

TEST_F(SendCommand, SaysHowMuchItOnlyWatches) {
    make_wallet();
    ASSERT_EQ(scene.run({"import", kPayee, "--birthday", "0"}).status, ExitStatus::done);
    const auto script = wallet::parse_address(kPayee, *chain::find_network("regtest")).value();
    node.with_chain([&](regtest::RegtestChain& chain) {
        chain.mine_block({chain.make_payment({{2 * kCoin, script}})});
    });
    sync();
    const Json coins = scene.run({"utxos", "--json"}).json().at("utxos");
    const auto watched =
        std::ranges::find(coins, Json(kPayee), [](const Json& coin) { return coin.at("address"); });
    ASSERT_NE(watched, coins.end());
    EXPECT_EQ(watched->at("spendable"), false);
    EXPECT_NE(scene.run({"utxos"}).out.find("watched only"), std::string::npos);
    const Outcome refused = send({kOtherPayee, "0.04", "--yes"});
    EXPECT_EQ(refused.json().at("watched_sat"), 2 * kCoin);
    EXPECT_NE(refused.err.find("; 0.02000000 BTC are of keys that the wallet only watches"),
              std::string::npos)
        << refused.err;
    const std::string output =
        watched->at("txid").get<std::string>() + ':' + watched->at("vout").dump();
    const Outcome named = scene.run({"send", kOtherPayee, "0.001", "--utxo", output, "--dry-run"});
    EXPECT_NE(named.err.find("is of a key that the wallet only watches"), std::string::npos);
    EXPECT_NE(scene.run({"send", kOtherPayee, "all", "--fee-rate", "2", "--dry-run"})
                  .err.find("not all of the wallet is paid: 0.02000000 BTC are of keys"),
              std::string::npos);
}

TEST_F(SendCommand, BalanceTellsThatItsBlockHasLeftTheChain) {
    make_wallet();
    EXPECT_EQ(balance().at("reorganised"), false);
    node.with_chain([](regtest::RegtestChain& chain) { chain.reorganise(chain.height() - 1, 3); });
    ASSERT_EQ(scene.run({"--wallet", "other", "create"}).status, ExitStatus::done);
    ASSERT_EQ(
        scene.run({"--wallet", "other", "sync", "--connect", to_string(node.endpoint())}).status,
        ExitStatus::done);
    EXPECT_EQ(balance().at("reorganised"), true);
    EXPECT_NE(scene.run({"balance"}).out.find("which is no longer in the best chain"),
              std::string::npos);
    sync();
    EXPECT_EQ(balance().at("reorganised"), false);
}

TEST_F(SendCommand, SpendsExactlyTheNamedCoins) {
    make_wallet();
    const Json coins = scene.run({"utxos", "--json"}).json().at("utxos");
    const auto name = [&](std::size_t index) {
        return coins.at(index).at("txid").get<std::string>() + ":" +
               std::to_string(coins.at(index).at("vout").get<int>());
    };
    const Outcome outcome = send({kPayee, "0.001", "--yes", "--utxo", name(1), "--utxo", name(2)});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    EXPECT_EQ(outcome.json().at("inputs").size(), 2U);
    const Json left = scene.run({"utxos", "--min-conf", "1", "--json"}).json().at("utxos");
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left.at(0).at("txid"), coins.at(0).at("txid"));
    const Outcome again = send({kPayee, "0.001", "--yes", "--utxo", name(1)});
    EXPECT_EQ(again.code(), "not-spendable");
    const Outcome twice = send({kPayee, "0.001", "--yes", "--utxo", name(0), "--utxo", name(0)});
    EXPECT_EQ(twice.code(), "usage");
}

TEST_F(SendCommand, ShowsTheCoinThatAShortTxidNames) {
    make_wallet();
    const Json coin = scene.run({"utxos", "--json"}).json().at("utxos").at(1);
    const std::string txid = coin.at("txid");
    const std::string vout = ":" + std::to_string(coin.at("vout").get<int>());
    const std::string line =
        "  spends          " + txid + vout + ", " + format_btc(coin.at("amount_sat")) + " BTC\n";
    const std::string named = txid.substr(0, 10) + vout;
    EXPECT_NE(scene.run({"send", kPayee, "0.001", "--dry-run", "--utxo", named}).out.find(line),
              std::string::npos);
    EXPECT_NE(scene.run({"psbt", "create", kPayee, "0.001", "--utxo", named}).err.find(line),
              std::string::npos);
    EXPECT_EQ(scene.run({"send", kPayee, "0.001", "--dry-run"}).out.find("  spends "),
              std::string::npos);
}

TEST_F(SendCommand, ShowsAPaymentWithoutMakingIt) {
    make_wallet();
    const Outcome outcome = send({kPayee, "0.001", "--dry-run"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    const Json json = outcome.json();
    EXPECT_TRUE(json.at("txid").is_null());
    EXPECT_TRUE(json.at("hex").is_null());
    EXPECT_EQ(json.at("fee_sat"), 141);
    EXPECT_EQ(json.at("announced_to"), 0);
    EXPECT_EQ(history_size(), 3U);
    EXPECT_EQ(mempool_size(), 0U);
}

TEST_F(SendCommand, PrintsATransactionForBroadcast) {
    make_wallet();
    const Outcome printed = scene.run({"send", kPayee, "0.001", "--no-broadcast"});
    ASSERT_EQ(printed.status, ExitStatus::done) << printed.err;
    EXPECT_EQ(history_size(), 3U);
    EXPECT_EQ(mempool_size(), 0U);
    const Outcome sent =
        scene.run({"broadcast", "-", "--connect", to_string(node.endpoint())}, printed.out);
    ASSERT_EQ(sent.status, ExitStatus::done) << sent.err;
    EXPECT_EQ(history_size(), 4U);
    EXPECT_EQ(mempool_size(), 1U);
}

TEST_F(SendCommand, AsksForThePasswordOfAnEncryptedWallet) {
    const std::string password = scene.write("password.txt", "correct horse");
    make_wallet("wpkh", {"--password-file", password});
    const Outcome locked = send({kPayee, "0.001", "--yes"});
    EXPECT_EQ(locked.status, ExitStatus::wallet);
    EXPECT_EQ(locked.code(), "locked");
    const Outcome wrong = send(
        {kPayee, "0.001", "--yes", "--password-file", scene.write("wrong.txt", "battery staple")});
    EXPECT_EQ(wrong.status, ExitStatus::wallet);
    EXPECT_EQ(history_size(), 3U);
    const Outcome paid = send({kPayee, "0.001", "--yes", "--password-file", password});
    EXPECT_EQ(paid.status, ExitStatus::done) << paid.err;
    EXPECT_EQ(mempool_size(), 1U);
}

TEST_F(SendCommand, LabelsAPaymentAsItsLinkSays) {
    make_wallet();
    const std::string link = std::string("bitcoin:") + kPayee + "?amount=0.001&label=rent%20June";
    ASSERT_EQ(send({link, "--yes"}).status, ExitStatus::done);
    const Json history = scene.run({"history", "--json"}).json().at("transactions");
    EXPECT_EQ(history.at(0).at("label"), "rent June");
}

TEST_F(SendCommand, ShowsWhatItsLinkSaysBeforeItPays) {
    make_wallet();
    const std::string link = std::string("bitcoin:") + kPayee +
                             "?amount=0.001&label=Alice%1B%5B2J&message=rent%0A%20%20fee%200";
    const Outcome shown = scene.run({"send", link, "--dry-run"});
    EXPECT_NE(shown.out.find("  label           Alice\\x1b[2J\n"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("  message         rent\\x0a  fee 0\n"), std::string::npos)
        << shown.out;
    const std::string nameless = std::string("bitcoin:") + kPayee + "?amount=0.001&message=rent";
    ASSERT_EQ(send({nameless, "--yes"}).status, ExitStatus::done);
    const Json history = scene.run({"history", "--json"}).json().at("transactions");
    EXPECT_EQ(history.at(0).at("label"), "rent") << "it is the only label";
}

TEST_F(SendCommand, PaysFromAccountsThatWereDiscovered) {
    const std::string words = scene.write("words.txt", test::kMnemonic);
    const auto restore = [&](const std::string& name, std::vector<std::string> more) {
        more.insert(more.begin(),
                    {"--wallet", name, "restore", "--mnemonic-file", words, "--json"});
        const Outcome outcome = scene.run(more);
        EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
        return outcome.json();
    };
    restore("third", {"--account", "3", "--type", "tr"});
    const auto address = scene.run({"--wallet", "third", "receive", "--json"}).json().at("address");
    const auto script =
        wallet::parse_address(address.get<std::string>(), *chain::find_network("regtest")).value();
    node.with_chain([&](regtest::RegtestChain& chain) {
        chain.mine_block({chain.make_payment({{kCoin, script}})});
    });

    EXPECT_EQ(restore("default", {"--discover-accounts"}).at("accounts"), Json::array({0}));
    sync();
    const Json info = scene.run({"info", "--json"}).json();
    EXPECT_EQ(info.at("accounts"), Json::array({3}));
    EXPECT_EQ(info.at("types"), Json::array({"tr"}));
    const Outcome sent = send({kPayee, "all", "--yes"});
    EXPECT_EQ(sent.status, ExitStatus::done) << sent.err;
    EXPECT_EQ(mempool_size(), 1U);
    for (const std::string other : {"--type=tr", "--account=1"}) {
        const Outcome both = scene.run(
            {"--wallet", "x", "restore", "--mnemonic-file", words, "--discover-accounts", other});
        EXPECT_EQ(both.status, ExitStatus::usage) << other;
    }
}

TEST_F(SendCommand, PaysOnMainnetOnlyIfThatIsAskedFor) {
    const test::ScopedVariable variable("PETAL_NETWORK", "mainnet");
    const Outcome outcome = Scene::run_plain({"--datadir", scene.folder().string(), "--json",
                                              "send", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
                                              "0.001", "--fee-rate", "1", "--yes"});
    EXPECT_EQ(outcome.status, ExitStatus::usage);
    EXPECT_NE(outcome.err.find("--network mainnet"), std::string::npos) << outcome.err;
    ASSERT_EQ(scene
                  .run({"--network", "mainnet", "restore", "--mnemonic-file",
                        scene.write("words.txt", test::kMnemonic)})
                  .status,
              ExitStatus::done);
    const Outcome asked =
        scene.run({"--network", "mainnet", "--json", "send",
                   "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "0.001", "--yes"});
    EXPECT_EQ(asked.status, ExitStatus::usage);
    EXPECT_NE(asked.err.find("--fee-rate"), std::string::npos) << asked.err;
}

}  // namespace
}  // namespace petal::cli
