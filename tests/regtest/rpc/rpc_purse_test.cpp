#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "chain/script/script.h"
#include "regtest/rpc/json_text.h"
#include "tests/regtest/rpc/rpc_fixture.h"

namespace petal::regtest::rpc {
namespace {

TEST_F(RpcMethodsTest, PaysOutOfThePurse) {
    const std::string own = call("getnewaddress");
    EXPECT_EQ(call("getnewaddress", {"label", "bech32"}), own);
    EXPECT_EQ(refusal("getnewaddress", {"", "p2sh"}), "-5 Unknown address type 'p2sh'");
    EXPECT_EQ(refusal("getnewaddress", {"", "legacy"}),
              "-8 The node's purse has one address, which is of type bech32");
    EXPECT_EQ(call("createwallet", {"w"}), (Json{{"name", "w"}}));
    EXPECT_EQ(refusal("createwallet", {""}), "-8 Wallet name cannot be empty");
    EXPECT_EQ(call("loadwallet", {"w"}), (Json{{"name", "w"}}));
    EXPECT_EQ(call("getbalance"), 0.0);
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 1}), "-6 Insufficient funds");
    call("generatetoaddress", {101, own});
    EXPECT_EQ(call("getbalance"), 50.0) << "a coinbase counts after 101 confirmations";
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 51}), "-6 Insufficient funds");
    call("generatetoaddress", {1, kAddress});
    EXPECT_EQ(call("getbalance"), 100.0);
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 0.00000293}), "-6 Transaction amount too small");
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 0}), "-6 Transaction amount too small");
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, -1}), "-3 Amount out of range");
    EXPECT_EQ(refusal("sendtoaddress", {"x", 1}), "-5 Invalid Bitcoin address: x");
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 1'000}), "-6 Insufficient funds");
    const std::string txid = call("sendtoaddress", {kAddress, "0.5"});
    EXPECT_EQ(call("getrawmempool"), Json::array({txid}));
    EXPECT_EQ(call("getbalance"), 99.49997) << "the purse's own change counts";
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

// Bitcoin Core: wallet/rpc/coins.cpp; wallet/spend.cpp, AvailableCoins.
TEST_F(RpcMethodsTest, ListsCoinsAsItIsAsked) {
    chain_.mine(103);  // three coins have 101 confirmations
    const std::string own = call("getnewaddress");
    EXPECT_EQ(call("getbalance", {"*", 0, true, false}), 150.0);
    EXPECT_EQ(refusal("getbalance", {"*", 0, false, true}),
              "-4 wallet does not have the \"avoid reuse\" feature enabled");
    const auto listed = [this](const Json& options) {
        return call("listunspent", {1, 9'999'999, Json::array(), true, options}).size();
    };
    EXPECT_EQ(listed(Json::object()), 3U);
    EXPECT_EQ(listed({{"maximumCount", 2}}), 2U);
    EXPECT_EQ(listed({{"minimumSumAmount", 50.1}}), 2U);
    EXPECT_EQ(listed({{"minimumAmount", "50.00000001"}}), 0U);
    EXPECT_EQ(listed({{"maximumAmount", 49.9}}), 0U);
    EXPECT_EQ(listed({{"include_immature_coinbase", true}}), 103U);
    const auto refused = [this](const Json& addresses, const Json& options = Json::object()) {
        return refusal("listunspent", {0, 9, addresses, true, options});
    };
    EXPECT_EQ(refused(Json::array({"x"})), "-5 Invalid Bitcoin address: x");
    EXPECT_EQ(refused(Json::array({own, own})), "-8 Invalid parameter, duplicated address: " + own);
    EXPECT_EQ(refused(Json::array(), {{"x", 1}}), "-3 Unexpected key x");
    EXPECT_EQ(refused(Json::array(), {{"minimumAmount", -1}}), "-3 Amount out of range");

    EXPECT_EQ(refused(Json::array(), {{"maximumCount", "1"}}),
              "-3 JSON value of type string for field maximumCount is not of expected type number");
    // With named arguments, the options may stand beside the other arguments.
    EXPECT_EQ(call("listunspent", Json{{"include_immature_coinbase", true}}).size(), 103U);
    EXPECT_EQ(call("listunspent", Json{{"args", Json::array({1})}, {"maximumCount", 2}}).size(),
              2U);
    EXPECT_EQ(refusal("listunspent", Json{{"query_options", Json::object()}, {"maximumCount", 2}}),
              "-8 Parameter query_options conflicts with parameter maximumCount");
    EXPECT_EQ(refusal("listunspent", Json{{"maximumcount", 2}}),
              "-8 Unknown named parameter maximumcount");
    EXPECT_EQ(refusal("listunspent", {{"args", Json::array({1, 9, Json::array(), true, Json()})},
                                      {"maximumCount", 2}}),
              "-8 Parameter query_options specified twice both as positional and named argument");
}

TEST_F(RpcMethodsTest, ListsUnconfirmedCoinsOfOthersAsUnsafe) {
    chain_.mine(101);
    const auto paid = payment();
    chain_.submit(paid);
    chain_.mine();
    const Json before = call("getbalance");
    chain::Transaction foreign;
    foreign.inputs = {{{paid.txid(), 0}, {}, 0xfffffffd, {}}};
    foreign.outputs = {{kBitcoin - 1'000, purse_script(PurseKind::p2wpkh)}};
    chain_.submit(foreign);
    EXPECT_EQ(call("getbalance"), before);
    const Json unconfirmed = call("listunspent", {0, 0});
    ASSERT_EQ(unconfirmed.size(), 1U);
    EXPECT_EQ(unconfirmed[0]["safe"], false);
    EXPECT_EQ(call("listunspent", {0, 0, Json::array(), false}), Json::array());
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
    chain_.mine(101);  // one coin counts
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
    EXPECT_EQ(refusal("sendtoaddress", Json{{"args", {kAddress, 1}}, {"avoid_reuse", true}}),
              "-8 Only the default of 'avoid_reuse' is supported");
}

TEST_F(RpcMethodsTest, PaysTheFeeThatIsAskedFor) {
    chain_.mine(110);
    const auto rate_of = [this](const std::string& txid) {
        const Json entry = call("getmempoolentry", {txid});
        return entry["fees"]["base"].get<double>() * 1e8 / entry["vsize"].get<double>();
    };
    const auto send = [this](const Json& named) {
        Json arguments = named;
        arguments["args"] = {kAddress, 1};
        return call("sendtoaddress", arguments);
    };
    for (const Json& rate : {Json(1), Json(25), Json("1.125")}) {
        const double asked = rate.is_string() ? 1.125 : rate.get<double>();
        const double paid = rate_of(send({{"fee_rate", rate}, {"estimate_mode", "unset"}}));
        EXPECT_GE(paid, asked);
        EXPECT_LE(paid, asked * 1.02);
    }
    EXPECT_GE(rate_of(send({{"conf_target", 6}, {"estimate_mode", "Economical"}})), 10);
    Json many;
    for (int i = 0; i < 300; ++i) {
        const auto script = chain::p2wpkh_script(
            {static_cast<std::uint8_t>(i % 256), static_cast<std::uint8_t>(i / 256)});
        many[wallet::address_of(script, regtest_network())] = 0.01;
    }
    const std::string large = call("sendmany", Json{{"amounts", many}, {"fee_rate", 2}});
    EXPECT_GE(rate_of(large), 2);
    EXPECT_LE(rate_of(large), 2.01);
    const auto sequence_of = [this](const std::string& txid) {
        return call("getrawtransaction", {txid, 1})["vin"][0]["sequence"];
    };
    EXPECT_EQ(sequence_of(send({{"replaceable", false}})), 0xfffffffe);
    EXPECT_EQ(sequence_of(send({{"replaceable", true}})), 0xfffffffd);
    EXPECT_EQ(send({{"verbose", true}})["fee_reason"], "Fallback fee");
    EXPECT_EQ(send({{"verbose", true}, {"fee_rate", 1}})["fee_reason"], "None");
}

TEST_F(RpcMethodsTest, TakesTheFeeFromWhatItPays) {
    chain_.mine(101);
    const Json all = call("getbalance");
    const Json sweep = {
        {"args", {kAddress, all}}, {"subtractfeefromamount", true}, {"fee_rate", 5}};
    const std::string swept = call("sendtoaddress", sweep);
    EXPECT_EQ(call("getbalance"), 0.0);
    const Json entry = call("getmempoolentry", {swept});
    const Json outputs = call("getrawtransaction", {swept, 1})["vout"];
    ASSERT_EQ(outputs.size(), 1U);
    EXPECT_DOUBLE_EQ(outputs[0]["value"].get<double>() + entry["fees"]["base"].get<double>(), all);
    chain_.mine(1);
    const std::string own = call("getnewaddress");
    const auto many = [&](const Json& from) {
        return Json{{"amounts", Json{{kAddress, 1}, {own, 2}}},
                    {"subtractfeefrom", from},
                    {"fee_rate", 1.01}};
    };
    // The fee is 106 satoshis and 69 for the input. The first output pays the odd satoshi.
    const std::string halved = call("sendmany", many({own, kAddress}));
    const Json parts = call("getrawtransaction", {halved, 1})["vout"];
    EXPECT_EQ(parts[0]["value"], 0.99999912);
    EXPECT_EQ(parts[1]["value"], 1.99999913);
    const std::string prefix = "-8 Invalid parameter 'subtract fee from output', ";
    EXPECT_EQ(refusal("sendmany", many({own, own})), prefix + "duplicated position: 1");
    EXPECT_EQ(refusal("sendmany", many({"x"})), prefix + "destination x not found in tx outputs");
    EXPECT_EQ(refusal("sendmany", many({1, own})), prefix + "duplicated position: 1");
    EXPECT_EQ(refusal("sendmany", many({-1})), prefix + "negative position: -1");
    EXPECT_EQ(refusal("sendmany", many({2})), prefix + "position too large: 2");
    EXPECT_EQ(refusal("sendmany", many(Json::array({nullptr}))),
              prefix + "invalid value type: null");
    const auto send = [this](const Json& amount, const Json& rate) {
        return refusal("sendtoaddress", Json{{"args", {kAddress, amount}},
                                             {"subtractfeefromamount", true},
                                             {"fee_rate", rate}});
    };
    chain_.mine(1);
    EXPECT_EQ(send(0.00001, 25), "-6 The transaction amount is too small to pay the fee");
    EXPECT_EQ(send(0.000005, 2),
              "-6 The transaction amount is too small to send after the fee has been deducted");
    EXPECT_EQ(call("getrawmempool"), Json::array());
}

TEST_F(RpcMethodsTest, RefusesFeesAsBitcoinCore) {
    chain_.mine(101);
    const auto refused = [this](const Json& named) {
        Json arguments = named;
        arguments["args"] = {kAddress, 1};
        return refusal("sendtoaddress", arguments);
    };
    EXPECT_EQ(refused({{"fee_rate", 1}, {"conf_target", 6}}).substr(0, 54),
              "-8 Cannot specify both conf_target and fee_rate. Pleas");
    EXPECT_EQ(refused({{"fee_rate", 1}, {"estimate_mode", "economical"}}),
              "-8 Cannot specify both estimate_mode and fee_rate");
    EXPECT_EQ(refused({{"conf_target", 0}}), "-8 Invalid conf_target, must be between 1 and 1008");
    EXPECT_EQ(refused({{"estimate_mode", "x"}}).substr(0, 34),
              "-8 Invalid estimate_mode parameter");
    EXPECT_EQ(refused({{"fee_rate", 1.0001}}), "-3 Invalid amount");
    EXPECT_EQ(refused({{"fee_rate", -1}}), "-3 Amount out of range");
    EXPECT_EQ(refused({{"fee_rate", 0.05}}), "-6 min relay fee not met");
    EXPECT_EQ(refused({{"fee_rate", 100'000}}),
              "-6 Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)");
    EXPECT_EQ(call("getrawmempool"), Json::array());
}

TEST_F(RpcMethodsTest, InvalidatesAndReconsidersBlocks) {
    chain_.mine(101);
    const std::string paid = call("sendtoaddress", {kAddress, 1});
    const std::string first = call("generatetoaddress", {3, kAddress})[0];
    const std::string tip = call("getbestblockhash");
    call("invalidateblock", {first});
    EXPECT_EQ(call("getblockcount"), 101);
    EXPECT_EQ(call("getrawmempool"), Json::array({paid}))
        << "its transactions return to the mempool";
    EXPECT_EQ(call("getblockheader", {tip})["confirmations"], -1);
    const std::string other = call("generatetoaddress", {1, kAddress})[0];
    EXPECT_NE(other, first);
    EXPECT_EQ(call("getrawmempool"), Json::array());
    call("reconsiderblock", {tip});
    EXPECT_EQ(call("getbestblockhash"), tip) << "this branch has more work";
    EXPECT_EQ(call("getblockheader", {first})["confirmations"], 3);
    EXPECT_EQ(call("gettxout", {paid, 0})["confirmations"], 3);
    call("invalidateblock", {first});
    EXPECT_EQ(call("getbestblockhash"), other) << "the best remaining branch";
    EXPECT_EQ(call("invalidateblock", {kGenesis}), nullptr)
        << "the genesis block cannot be invalidated";
    EXPECT_EQ(call("getbestblockhash"), other);
    EXPECT_EQ(refusal("invalidateblock", {kGenesisCoinbase}), "-5 Block not found");
    EXPECT_EQ(refusal("reconsiderblock", {kGenesisCoinbase}), "-5 Block not found");
    call("sendtoaddress", {kAddress, 1});  // so that the purse has found its coins
    call("generatetoaddress", {2, kAddress});
    EXPECT_EQ(call("getblockcount"), 104);
}

TEST_F(RpcMethodsTest, MisbehavesOnRequest) {
    call("setfault", {"stall=3,slow=20,no-bloom"});
    const NodeBehaviour& behaviour = peers_.behaviour();
    ASSERT_EQ(behaviour.faults.size(), 1U);
    EXPECT_EQ(behaviour.faults[0].kind, FaultKind::stall);
    EXPECT_EQ(behaviour.faults[0].after_blocks, 3U);
    EXPECT_EQ(behaviour.block_time, std::chrono::milliseconds{20});
    EXPECT_EQ(behaviour.services & net::kNodeBloom, 0U);
    call("setfault", {""});
    EXPECT_TRUE(peers_.behaviour().faults.empty());
    EXPECT_NE(peers_.behaviour().services & net::kNodeBloom, 0U);
    for (const char* wrong : {"stal", "stall,,", ",", "pause", "=1"}) {
        EXPECT_EQ(refusal("setfault", {wrong}).substr(0, 18), "-8 no such fault: ") << wrong;
    }
    const std::string txid = kGenesisCoinbase;
    call("setfault", {"omit-transaction=" + txid + ",withhold-transaction=2"});
    ASSERT_EQ(behaviour.faults.size(), 2U);
    EXPECT_EQ(behaviour.faults[0].transaction, chain::Txid::from_hex(txid));
    EXPECT_FALSE(behaviour.faults[1].transaction);
    EXPECT_EQ(behaviour.faults[1].after_blocks, 2U);
    EXPECT_EQ(refusal("setfault", {"omit-transaction=" + txid.substr(1)}),
              "-8 omit-transaction needs a whole number or a txid");
    for (const auto& wrong :
         std::vector<std::string>{"stall=", "stall=x", "stall=-1", "silent=1x", "stall=" + txid}) {
        EXPECT_NE(refusal("setfault", {wrong}).find("=N needs a whole number"), std::string::npos)
            << wrong;
    }
    EXPECT_EQ(refusal("setfault", {"pruned=1"}), "-8 pruned takes no number");
    for (const char* wrong : {"slow", "slow=60001", "slow=x"}) {
        EXPECT_EQ(refusal("setfault", {wrong}),
                  "-8 slow needs milliseconds from 0 to 60,000, as in slow=200");
    }
    call("setfault", {"wrong-filter=7,no-compact-filters"});
    ASSERT_EQ(behaviour.faults.size(), 1U);
    EXPECT_EQ(behaviour.faults[0].kind, FaultKind::wrong_filter);
    EXPECT_EQ(behaviour.faults[0].after_blocks, 7U);
    EXPECT_EQ(behaviour.services & net::kNodeCompactFilters, 0U);
    call("setfault", {""});
    PeerRecord peer;
    peer.id = 4;
    peers_.records = {peer};
    call("setfault", {"wrong-root", 4});
    EXPECT_EQ(peers_.faulty.at(4).faults.at(0).kind, FaultKind::corrupt_proof);
    EXPECT_TRUE(peers_.behaviour().faults.empty());
    EXPECT_EQ(refusal("setfault", {"wrong-root", 5}).substr(0, 4), "-29 ");
    call("setfault", {"garbage", "4"});  // bitcoin-cli sends numbers as strings here
    EXPECT_EQ(peers_.faulty.at(4).faults.at(0).kind, FaultKind::garbage);
    EXPECT_EQ(refusal("setfault", {"garbage", "4x"}), "-8 nodeid must be a number (not '4x')");
    EXPECT_EQ(refusal("setfault", {"garbage", ""}).substr(0, 3), "-8 ");
    EXPECT_EQ(refusal("setfault", {"pruned", 4}).substr(0, 3), "-8 ");
}

}  // namespace
}  // namespace petal::regtest::rpc
