#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "cli/rpc/json_text.h"
#include "tests/cli/rpc/rpc_fixture.h"

namespace petal::cli::rpc {
namespace {

TEST_F(RpcMethodsTest, PaysOutOfThePurse) {
    const std::string own = call("getnewaddress");
    EXPECT_EQ(call("getnewaddress", {"label", "bech32"}), own);
    EXPECT_EQ(refusal("getnewaddress", {"", "p2sh"}), "-5 Unknown address type 'p2sh'");
    EXPECT_EQ(refusal("getnewaddress", {"", "legacy"}),
              "-8 The node's purse has one address, which is of type bech32");
    EXPECT_EQ(call("createwallet", {"w"}), (Json{{"name", "w"}}));
    EXPECT_EQ(call("loadwallet", {"w"}), (Json{{"name", "w"}}));
    EXPECT_EQ(call("getbalance"), 0.0);
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 1}), "-6 Insufficient funds");
    call("generatetoaddress", {101, own});
    EXPECT_EQ(call("getbalance"), 100.0) << "the next block may spend the second coinbase, too";
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 0.00000293}), "-6 Transaction amount too small");
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 0}), "-6 Transaction amount too small");
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, -1}), "-3 Amount out of range");
    EXPECT_EQ(refusal("sendtoaddress", {"x", 1}), "-5 Invalid Bitcoin address: x");
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 1'000}), "-6 Insufficient funds");
    const std::string txid = call("sendtoaddress", {kAddress, "0.5"});
    EXPECT_EQ(call("getrawmempool"), Json::array({txid}));
    EXPECT_EQ(call("getbalance"), 99.49997) << "its own change counts";
    EXPECT_EQ(call("getbalance", {"*", 1}), 50.0);
    EXPECT_EQ(call("listunspent").size(), 1U);
    EXPECT_EQ(call("listunspent", {0}).size(), 2U);
    EXPECT_EQ(call("listunspent", {0, 9, Json::array({kAddress})}), Json::array());
    const Json coin = call("listunspent")[0];
    EXPECT_EQ(coin["amount"], 50.0);
    EXPECT_EQ(coin["address"], own);
    EXPECT_GE(coin["confirmations"], 100);
    const std::string many = call("sendmany", {"", Json{{kAddress, 0.1}, {own, 0.2}}});
    EXPECT_EQ(call("getrawtransaction", {many, 1})["vout"].size(), 3U);
}

// Bitcoin Core: rpc/rawtransaction_util.cpp, ParseOutputs; wallet/spend.cpp, CreateTransaction.
TEST_F(RpcMethodsTest, RefusesPaymentsInCoresOrderAndWords) {
    chain_.mine(101);
    const auto refusal_of = [this](const std::string& amounts) {
        return refusal("sendmany", {"", *parse_bounded(amounts)});
    };
    const std::string to = kAddress;
    std::string in_capitals = to;
    std::ranges::transform(to, in_capitals.begin(), [](char c) {
        return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    });
    EXPECT_EQ(refusal_of("{}"), "-6 Transaction must have at least one recipient");
    EXPECT_EQ(refusal_of("{\"" + to + "\":1,\"" + to + "\":2}"),
              "-8 Invalid parameter, duplicated address: " + to);
    EXPECT_EQ(refusal_of("{\"" + to + "\":1,\"" + in_capitals + "\":2}"),
              "-8 Invalid parameter, duplicated address: " + in_capitals);
    EXPECT_EQ(refusal_of("{\"" + to + "\":0,\"x\":1}"), "-5 Invalid Bitcoin address: x");
    EXPECT_EQ(refusal_of("{\"x\":-1}"), "-3 Amount out of range");
    EXPECT_EQ(refusal_of("{\"" + to + "\":0}"), "-6 Transaction amount too small");
    EXPECT_EQ(refusal("sendtoaddress", {"x", "y"}), "-3 Invalid amount");
    EXPECT_TRUE(chain_.mempool().transactions().empty());
}

TEST_F(RpcMethodsTest, PaysNothingThatTheMempoolRefuses) {
    chain_.mine(100);  // one coin is mature
    for (int i = 0; i < 64; ++i) ASSERT_NO_THROW(call("sendtoaddress", {kAddress, 0.1})) << i;
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 0.1}), "-6 too-large-cluster");
    EXPECT_EQ(call("getrawmempool").size(), 64U);
    call("generatetoaddress", {1, kAddress});
    call("sendtoaddress", {kAddress, 0.1});
}

TEST_F(RpcMethodsTest, TakesBitcoinCoresWalletParametersWithTheirDefaultsAlone) {
    const Json named = {{"name", "w"}};
    EXPECT_EQ(call("createwallet", {"w", false, false, "", false, true, true, false}), named);
    EXPECT_EQ(call("loadwallet", {"w", true}), named);
    for (const Json& other : {Json{{"disable_private_keys", true}}, Json{{"blank", true}},
                              Json{{"passphrase", "secret"}}, Json{{"avoid_reuse", true}},
                              Json{{"descriptors", false}}, Json{{"external_signer", true}}}) {
        Json arguments = other;
        arguments["wallet_name"] = "w";
        EXPECT_EQ(refusal("createwallet", arguments),
                  "-8 Only the default of '" + other.begin().key() + "' is supported");
    }
    chain_.mine(101);
    const Json unset = nullptr;
    call("sendtoaddress", {kAddress, 1, "", "", false, true, unset, "unset", false, unset, false});
    call("sendmany", {"", Json{{kAddress, 0.1}}, 1, "", Json::array(), true, unset, "unset"});
    const auto mempool = call("getrawmempool");
    EXPECT_EQ(mempool.size(), 2U);
    for (const Json& other :
         {Json{{"subtractfeefromamount", true}}, Json{{"replaceable", false}},
          Json{{"conf_target", 6}}, Json{{"estimate_mode", "economical"}},
          Json{{"avoid_reuse", true}}, Json{{"fee_rate", 1}}, Json{{"verbose", true}}}) {
        Json arguments = other;
        arguments["args"] = {kAddress, 1};
        EXPECT_EQ(refusal("sendtoaddress", arguments),
                  "-8 Only the default of '" + other.begin().key() + "' is supported");
    }
    EXPECT_EQ(refusal("sendmany", {"", Json{{kAddress, 1}}, 1, "", Json::array({kAddress})}),
              "-8 Only the default of 'subtractfeefrom' is supported");
    EXPECT_EQ(call("getrawmempool"), mempool);
}

TEST_F(RpcMethodsTest, LeavesBlocksAndTakesThemBack) {
    chain_.mine(101);
    const std::string paid = call("sendtoaddress", {kAddress, 1});
    const std::string first = call("generatetoaddress", {3, kAddress})[0];
    const std::string tip = call("getbestblockhash");
    call("invalidateblock", {first});
    EXPECT_EQ(call("getblockcount"), 101);
    EXPECT_EQ(call("getrawmempool"), Json::array({paid})) << "what it confirmed returns";
    EXPECT_EQ(call("getblockheader", {tip})["confirmations"], -1);
    const std::string other = call("generatetoaddress", {1, kAddress})[0];
    EXPECT_NE(other, first);
    EXPECT_EQ(call("getrawmempool"), Json::array());
    call("reconsiderblock", {tip});
    EXPECT_EQ(call("getbestblockhash"), tip) << "which has more work";
    EXPECT_EQ(call("getblockheader", {first})["confirmations"], 3);
    EXPECT_EQ(call("gettxout", {paid, 0})["confirmations"], 3);
    call("invalidateblock", {first});
    EXPECT_EQ(call("getbestblockhash"), other) << "the best that is left";
    EXPECT_EQ(call("invalidateblock", {kGenesis}), nullptr) << "which changes nothing";
    EXPECT_EQ(call("getbestblockhash"), other);
    EXPECT_EQ(refusal("invalidateblock", {kGenesisCoinbase}), "-5 Block not found");
    EXPECT_EQ(refusal("reconsiderblock", {kGenesisCoinbase}), "-5 Block not found");
    call("sendtoaddress", {kAddress, 1});  // the purse knows its coins
    call("generatetoaddress", {2, kAddress});
    EXPECT_EQ(call("getblockcount"), 104);
}

TEST_F(RpcMethodsTest, MisbehavesOnRequest) {
    call("setfault", {"stall=3,slow=20,no-bloom"});
    const net::NodeBehaviour& behaviour = peers_.behaviour();
    ASSERT_EQ(behaviour.faults.size(), 1U);
    EXPECT_EQ(behaviour.faults[0].kind, net::FaultKind::stall);
    EXPECT_EQ(behaviour.faults[0].after_blocks, 3U);
    EXPECT_EQ(behaviour.block_time, std::chrono::milliseconds{20});
    EXPECT_EQ(behaviour.services & net::kNodeBloom, 0U);
    call("setfault", {""});
    EXPECT_TRUE(peers_.behaviour().faults.empty());
    EXPECT_NE(peers_.behaviour().services & net::kNodeBloom, 0U);
    for (const char* wrong : {"stal", "stall=", "stall=x", "slow", "slow=60001", "pruned=1",
                              "stall,,", ",", "pause", "=1"}) {
        EXPECT_EQ(refusal("setfault", {wrong}).substr(0, 18), "-8 no such fault: ") << wrong;
    }
    net::PeerRecord peer;
    peer.id = 4;
    peers_.records = {peer};
    call("setfault", {"wrong-root", 4});
    EXPECT_EQ(peers_.faulty.at(4).faults.at(0).kind, net::FaultKind::corrupt_proof);
    EXPECT_TRUE(peers_.behaviour().faults.empty());
    EXPECT_EQ(refusal("setfault", {"wrong-root", 5}).substr(0, 4), "-29 ");
    EXPECT_EQ(refusal("setfault", {"pruned", 4}).substr(0, 3), "-8 ");
}

}  // namespace
}  // namespace petal::cli::rpc
