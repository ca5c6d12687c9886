// petal bump against an embedded node whose mempool follows BIP125.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "net/io/clocks.h"
#include "tests/cli/spending/send_scene.h"
#include "tests/support/type_name.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/mnemonic.h"

namespace petal::cli {
namespace {

using test::kPayee;
using test::Outcome;

class BumpCommand : public test::SendScene {
protected:
    void make_wallet_with_coins(int coins) { make_wallet("wpkh", {}, coins); }
    Outcome run(std::vector<std::string> words) const {
        words.insert(words.end(), {"--json", "--yes", "--connect", to_string(node.endpoint())});
        return scene.run(words);
    }
    /// The txid of a payment.
    std::string pay(const std::string& amount) const {
        const Outcome outcome = run({"send", kPayee, amount, "--fee-rate", "2"});
        EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
        return outcome.json().at("txid").get<std::string>();
    }
    Json show(const std::string& txid) const { return scene.run({"tx", txid, "--json"}).json(); }
};

class BumpOfType : public BumpCommand, public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Types, BumpOfType, testing::Values("wpkh", "tr", "sh-wpkh", "pkh"),
                         test::TypeName());

TEST_P(BumpOfType, ReplacesAPaymentThatIsThenMined) {
    make_wallet(GetParam(), {}, 1);
    const std::string old = pay("0.001");
    const Json before = show(old);
    const Outcome bumped = run({"bump", old, "--fee-rate", "5"});
    ASSERT_EQ(bumped.status, ExitStatus::done) << bumped.err;
    const Json json = bumped.json();
    const auto txid = json.at("txid").get<std::string>();
    EXPECT_EQ(json.at("replaces"), old);
    EXPECT_EQ(json.at("replaced_fee_sat"), before.at("fee_sat"));
    EXPECT_NEAR(json.at("fee_rate_sat_vb").get<double>(), 5.0, 0.05);
    EXPECT_EQ(json.at("announced_to"), 1);
    EXPECT_EQ(mempool_size(), 1U) << "the node has replaced the payment";

    const Outcome again = run({"bump", txid});
    ASSERT_EQ(again.status, ExitStatus::done) << again.err;
    const auto last = again.json().at("txid").get<std::string>();
    EXPECT_NEAR(again.json().at("fee_rate_sat_vb").get<double>(), 6.0, 0.05);
    EXPECT_EQ(again.json().at("fee_rate_source"), "replaced");
    EXPECT_EQ(mempool_size(), 1U);
    mine();
    sync();
    EXPECT_EQ(mempool_size(), 0U);
    EXPECT_EQ(show(last).at("confirmations"), 1);
    EXPECT_EQ(show(old).at("replaced_by"), last);
    EXPECT_EQ(show(txid).at("replaced_by"), last);
    const auto fee = again.json().at("fee_sat").get<chain::Satoshis>();
    EXPECT_EQ(scene.run({"balance", "--json"}).json().at("confirmed_sat"), 900'000 - fee);
}

// Otherwise one urgent payment would decide what the next ones cost.
TEST_F(BumpCommand, SetsNoRateForTheNextPayment) {
    make_wallet_with_coins(4);
    const auto mine_now = [this] {
        node.with_chain([](regtest::RegtestChain& chain) {
            chain.set_time(net::unix_time_now() - 60);
            chain.mine();
        });
        sync();
    };
    const auto chosen = [this] { return run({"send", kPayee, "0.001", "--dry-run"}).json(); };
    for (const bool is_abandoned : {false, true}) {
        const std::string old = pay("0.001");
        ASSERT_EQ(run({"bump", old, "--fee-rate", "40", "--accept-fee"}).status, ExitStatus::done);
        if (is_abandoned) {
            ASSERT_EQ(scene.run({"abandon", old}).status, ExitStatus::done);
        }
        mine_now();
        EXPECT_EQ(chosen().at("fee_rate_source"), "default") << is_abandoned;
    }
    pay("0.002");
    mine_now();
    EXPECT_EQ(chosen().at("fee_rate_source"), "confirmed");
    EXPECT_NEAR(chosen().at("fee_rate_sat_vb").get<double>(), 2, 0.05);
}

TEST_F(BumpCommand, AbandoningAReplacementBringsBackWhatItReplaced) {
    make_wallet_with_coins(1);
    const std::string first = pay("0.002");
    const auto second =
        run({"bump", first, "--fee-rate", "9"}).json().at("txid").get<std::string>();
    const Outcome kept = scene.run({"abandon", second});
    EXPECT_NE(kept.out.find("It had replaced " + first + ", which counts again"), std::string::npos)
        << kept.out;
    EXPECT_EQ(kept.out.find("can be spent again"), std::string::npos) << kept.out;
    const auto third =
        run({"bump", first, "--fee-rate", "20"}).json().at("txid").get<std::string>();
    EXPECT_EQ(scene.run({"abandon", third, "--json"}).json().at("counting_again"), Json({first}));
    const auto last = run({"bump", first, "--fee-rate", "40"}).json().at("txid").get<std::string>();
    const Outcome gone = scene.run({"abandon", first});
    EXPECT_NE(gone.out.find("Its coins stay spent, by " + last), std::string::npos) << gone.out;
    EXPECT_NE(scene.run({"abandon", last}).out.find("can be spent again"), std::string::npos);
}

// The wallet has no change addresses. The position of the change is random.
TEST_F(BumpCommand, LowersNoPaymentToTheWalletItself) {
    const auto seed = wallet::Mnemonic::parse(test::kMnemonic).value().seed("").value();
    const auto master = wallet::ExtendedPrivateKey::from_seed(seed.view()).value();
    const std::string key(master.to_string(*chain::find_network("regtest")));
    const std::string file = scene.write("keys", "wpkh(" + key + "/84h/1h/0h/0/*)\n");
    ASSERT_EQ(scene.run({"restore", "--descriptor-file", file}).status, ExitStatus::done);
    pay_wallet();
    sync();
    for (int i = 0; i < 8; ++i) {
        const auto address = scene.run({"receive", "--label", "savings", "--json"})
                                 .json()
                                 .at("address")
                                 .get<std::string>();
        const Outcome sent = run({"send", address, "2000sat", "--fee-rate", "2"});
        ASSERT_EQ(sent.status, ExitStatus::done) << sent.err;
        const Outcome bumped =
            run({"bump", sent.json().at("txid").get<std::string>(), "--fee-rate", "14.5"});
        ASSERT_EQ(bumped.status, ExitStatus::done) << bumped.err;
        const Json outputs = bumped.json().at("outputs");
        const Json payment{{"address", address}, {"amount_sat", 2'000}, {"change", false}};
        EXPECT_EQ(std::ranges::count(outputs, payment), 1) << outputs;
        mine();
        sync();
    }
}

TEST_F(BumpCommand, AddsACoinIfThereIsNoChange) {
    make_wallet_with_coins(2);
    const Json coin = scene.run({"utxos", "--json"}).json().at("utxos").at(0);
    const std::string output = coin.at("txid").get<std::string>() + ':' + coin.at("vout").dump();
    const Outcome all = run({"send", kPayee, "all", "--utxo", output});
    ASSERT_EQ(all.status, ExitStatus::done) << all.err;
    const auto old = all.json().at("txid").get<std::string>();
    const Outcome bumped = run({"bump", old});
    ASSERT_EQ(bumped.status, ExitStatus::done) << bumped.err;
    EXPECT_EQ(bumped.json().at("inputs").size(), 2U);
    EXPECT_EQ(bumped.json().at("outputs").size(), 2U);
    EXPECT_NEAR(bumped.json().at("fee_rate_sat_vb").get<double>(), 2.0, 0.05)
        << "1 sat/vB above the old rate, whatever was added";
    EXPECT_EQ(mempool_size(), 1U);
}

TEST_F(BumpCommand, RefusesWithACodeForEachReason) {
    make_wallet_with_coins(1);
    const std::string all = run({"send", kPayee, "all"}).json().at("txid").get<std::string>();
    const Outcome poor = run({"bump", all});
    EXPECT_EQ(poor.code(), "insufficient-funds");
    EXPECT_NE(poor.err.find("abandon " + all + "` frees its coins"), poor.err.npos) << poor.err;
    EXPECT_GT(poor.json().at("missing_sat").get<chain::Satoshis>(), 0);
    EXPECT_EQ(run({"bump", std::string(64, '1')}).code(), "unknown-transaction");
    EXPECT_EQ(run({"bump", "--child", all}).code(), "no-own-output");
    mine();
    sync();
    EXPECT_EQ(run({"bump", all}).code(), "already-confirmed");

    pay_wallet();
    sync();
    const std::string first = pay("0.001");
    const Outcome low = run({"bump", first, "--fee-rate", "2.5"});
    EXPECT_EQ(low.code(), "fee-rate-too-low");
    EXPECT_GT(low.json().at("least_fee_sat"), low.json().at("replaced_fee_sat"));
    const std::string second = pay("0.002");
    const Outcome parent = run({"bump", first});
    EXPECT_EQ(parent.code(), "has-descendant");
    EXPECT_EQ(parent.json().at("other"), second);
    const auto third = run({"bump", second}).json().at("txid").get<std::string>();
    const Outcome replaced = run({"bump", second});
    EXPECT_EQ(replaced.code(), "already-replaced");
    EXPECT_EQ(replaced.json().at("other"), third);
    EXPECT_EQ(mempool_size(), 2U);
}

TEST_F(BumpCommand, ShowsOrPrintsAReplacementWithoutKeepingIt) {
    make_wallet_with_coins(1);
    const std::string old = pay("0.001");
    const Outcome shown = scene.run({"bump", old, "--dry-run"});
    ASSERT_EQ(shown.status, ExitStatus::done) << shown.err;
    EXPECT_NE(shown.out.find("replaces"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("old fee"), std::string::npos) << shown.out;
    const Outcome printed = scene.run({"bump", old, "--no-broadcast"});
    ASSERT_EQ(printed.status, ExitStatus::done) << printed.err;
    EXPECT_TRUE(show(old).at("replaced_by").is_null());
    EXPECT_EQ(scene.run({"bump", old, "--json"}).code(), "usage")
        << "it asks for confirmation before it sends";
    const Outcome sent =
        scene.run({"broadcast", "-", "--connect", to_string(node.endpoint())}, printed.out);
    EXPECT_EQ(sent.status, ExitStatus::done) << sent.err;
    EXPECT_EQ(mempool_size(), 1U);
}

TEST_F(BumpCommand, PaysForAReceiptByAChild) {
    make_wallet_with_coins(1);
    const auto receipt = make_receipt(50'000);
    node.with_chain([&](regtest::RegtestChain& chain) { chain.submit(receipt); });
    const Outcome seen = scene.run({"wait", "--tx", receipt.txid().to_hex(), "--conf", "0",
                                    "--connect", to_string(node.endpoint())});
    ASSERT_EQ(seen.status, ExitStatus::done) << seen.err;
    const std::string parent = receipt.txid().to_hex();
    EXPECT_EQ(run({"bump", parent}).code(), "foreign-inputs");
    EXPECT_EQ(run({"bump", "--child", parent, "--fee-rate", "500"}).code(), "insufficient-funds");
    const Outcome shown =
        scene.run({"bump", "--child", parent, "--fee-rate", "10", "--dry-run", "--yes"});
    EXPECT_NE(shown.out.find("  receives  "), shown.out.npos) << shown.out;
    EXPECT_EQ(shown.out.find("  pays  "), shown.out.npos) << shown.out;
    EXPECT_NE(shown.out.find("; 10.00 sat/vB with 1 unconfirmed ancestor, as asked)"),
              shown.out.npos)
        << shown.out;
    EXPECT_NE(shown.out.find("1 unconfirmed transaction, raised to 10.00 sat/vB by "),
              shown.out.npos)
        << shown.out;
    EXPECT_NE(shown.out.find("the fee of 1 is not known"), shown.out.npos) << shown.out;
    const Outcome outcome = run({"bump", "--child", parent, "--fee-rate", "10"});
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    const Json json = outcome.json();
    EXPECT_EQ(json.at("parent"), parent);
    EXPECT_TRUE(json.at("parent_fee_sat").is_null());
    const auto size = json.at("vsize").get<chain::Satoshis>() +
                      static_cast<chain::Satoshis>(receipt.virtual_size());
    EXPECT_NEAR(json.at("fee_sat").get<double>(), 10.0 * static_cast<double>(size), 10);
    EXPECT_EQ(mempool_size(), 2U);
    mine();
    sync();
    EXPECT_EQ(show(parent).at("confirmations"), 1);
    EXPECT_EQ(show(json.at("txid").get<std::string>()).at("confirmations"), 1);
}

TEST_F(BumpCommand, RefusesWatchOnlyWallets) {
    const Outcome made = scene.run({"watch", kPayee});
    ASSERT_EQ(made.status, ExitStatus::done) << made.err;
    EXPECT_EQ(run({"bump", std::string(64, '1')}).code(), "watch-only");
}

}  // namespace
}  // namespace petal::cli
