#include "cli/options/given_txid.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/cli/spending/send_scene.h"

namespace petal::cli {
namespace {

using test::Outcome;

constexpr const char* kWhole = "3fa81c4e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7a92b0d1";

TEST(GivenTxid, IsReadWholeOrInPart) {
    ASSERT_TRUE(GivenTxid::parse(kWhole));
    EXPECT_EQ(GivenTxid::parse(kWhole)->whole(), chain::Txid::from_hex(kWhole));
    for (const char* const text : {"3fa8", "3FA81C", "3fa81c…92b0d1", "3fa81c...92b0d1", "3fa8…"}) {
        ASSERT_TRUE(GivenTxid::parse(text)) << text;
        EXPECT_FALSE(GivenTxid::parse(text)->whole()) << text;
    }
    for (const std::string text :
         {"", "3fa", "3fag", "…92b0d1", "3fa8…zz", "0x3fa8", "3fa8 ", "3fa8…92…b0"}) {
        EXPECT_FALSE(GivenTxid::parse(text)) << text;
    }
    EXPECT_FALSE(GivenTxid::parse(std::string(kWhole) + "0"));
}

TEST(GivenTxid, IsReadInAnOutpoint) {
    const auto coin = GivenOutpoint::parse("3fa81c…92b0d1:12");
    ASSERT_TRUE(coin);
    EXPECT_EQ(coin->index, 12U);
    for (const char* const text : {"3fa8", "3fa8:", "3fa:1", "3fa8:x", "3fa8:4294967296", ":1"}) {
        EXPECT_FALSE(GivenOutpoint::parse(text)) << text;
    }
}

TEST(GivenTxid, IsRefusedIfSeveralFit) {
    GlobalOptions global;
    const auto txid = [](const std::string& begin, char end) {
        return chain::Txid::from_hex(begin + std::string(64 - begin.size(), end)).value();
    };
    std::vector<chain::Txid> own{txid("3fa8", '1'), txid("3fa8", '2'), txid("3fa9", '2')};
    EXPECT_EQ(GivenTxid::parse("3fa9")->find(own, global), own[2]);
    EXPECT_EQ(GivenTxid::parse("3fa8…2222")->find(own, global), own[1]);
    try {
        GivenTxid::parse("3fa8")->find(own, global);
        FAIL();
    } catch (const CommandError& error) {
        EXPECT_EQ(error.code(), "ambiguous-txid");
        EXPECT_EQ(error.details().at("candidates"), (Json{own[0].to_hex(), own[1].to_hex()}));
        EXPECT_NE(std::string(error.what()).find(own[1].to_hex()), std::string::npos);
    }
    for (const char end : {'3', '4', '5', '6', '7'}) own.push_back(txid("3fa8", end));
    try {
        GivenTxid::parse("3FA8")->find(own, global);
        FAIL();
    } catch (const CommandError& error) {
        EXPECT_EQ(error.details().at("candidates").size(), 5U);
        EXPECT_NE(std::string(error.what()).find(" and others; give more digits"),
                  std::string::npos);
    }
}

class WalletsTxids : public test::SendScene {
protected:
    void SetUp() override { make_wallet(); }

    Json coin() const { return scene.run({"utxos", "--json"}).json().at("utxos").at(0); }
    std::string txid() const { return coin().at("txid"); }
};

TEST_F(WalletsTxids, AreFoundByTheirFirstDigits) {
    const std::string whole = txid();
    const std::string vout = ":" + coin().at("vout").dump();
    const std::string begin = whole.substr(0, 10);
    EXPECT_EQ(scene.run({"tx", begin, "--json"}).json().at("txid"), whole);
    const std::string shown = whole.substr(0, 6) + "…" + whole.substr(58);
    EXPECT_EQ(scene.run({"tx", shown, "--json"}).json().at("txid"), whole);
    EXPECT_EQ(scene.run({"label", begin, "rent", "--json"}).json().at("ref"), whole);
    EXPECT_EQ(scene.run({"label", begin + vout, "rent", "--json"}).json().at("type"), "output");
    const Json frozen = scene.run({"freeze", begin + vout, "--json"}).json();
    EXPECT_EQ(frozen.at("coins").at(0).at("txid"), whole);
    EXPECT_EQ(scene.run({"unfreeze", shown + vout}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"abandon", begin, "--json"}).code(), "already-confirmed");
    EXPECT_EQ(scene.run({"bump", begin, "--json"}).code(), "already-confirmed");
    const Json payment =
        scene.run({"send", test::kPayee, "1000sat", "--utxo", begin + vout, "--dry-run", "--json"})
            .json();
    EXPECT_EQ(payment.at("inputs").at(0).at("txid"), whole);
}

TEST_F(WalletsTxids, AreRefusedIfNoneFits) {
    std::string other = txid().substr(0, 10);
    other.back() = other.back() == '0' ? '1' : '0';
    const Outcome unknown = scene.run({"tx", other, "--json"});
    EXPECT_EQ(unknown.code(), "unknown-transaction");
    EXPECT_NE(unknown.err.find(other), std::string::npos);
    EXPECT_EQ(scene.run({"wait", "--tx", other, "--json"}).code(), "unknown-transaction");
    EXPECT_EQ(scene.run({"tx", "abc"}).status, ExitStatus::usage);
}

}  // namespace
}  // namespace petal::cli
