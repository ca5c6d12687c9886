#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chain/script/script.h"
#include "regtest/rpc/btc_amount.h"
#include "tests/regtest/rpc/rpc_fixture.h"

namespace petal::regtest::rpc {
namespace {

TEST_F(RpcMethodsTest, TakesTransactionsAndRefusesThemAsBitcoinCoreDoes) {
    chain_.mine(101);
    const chain::Transaction good = payment();
    const std::string txid = good.txid().to_hex();
    auto wrong = good;
    ++wrong.outputs[0].value;
    auto foreign = good;
    foreign.inputs[0].prevout.index = 7;
    const std::string decode_failed =
        "-22 TX decode failed. Make sure the tx has at least one input.";
    EXPECT_EQ(refusal("sendrawtransaction", {"00"}), decode_failed);
    EXPECT_EQ(refusal("sendrawtransaction", {"x"}), decode_failed);
    EXPECT_EQ(refusal("sendrawtransaction", {hex_of(wrong)}).substr(0, 37),
              "-26 mempool-script-verify-flag-failed");
    EXPECT_EQ(refusal("sendrawtransaction", {hex_of(foreign)}),
              "-25 bad-txns-inputs-missingorspent");
    EXPECT_EQ(refusal("sendrawtransaction", {hex_of(good), 0.00000001}),
              "-25 Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)");
    EXPECT_EQ(refusal("sendrawtransaction", {hex_of(good), 1}),
              "-8 Fee rates larger than or equal to 1BTC/kvB are not accepted");
    EXPECT_EQ(call("getrawmempool"), Json::array());
    EXPECT_EQ(call("sendrawtransaction", {hex_of(good)}), txid);
    EXPECT_EQ(call("sendrawtransaction", {hex_of(good)}), txid) << "sending it again is no error";
    EXPECT_EQ(call("getrawmempool"), Json::array({txid}));
    call("generatetoaddress", {1, kAddress});
    EXPECT_EQ(refusal("sendrawtransaction", {hex_of(good)}),
              "-27 Transaction outputs already in utxo set");
}

// Bitcoin Core: CFeeRate::GetFee.
TEST_F(RpcMethodsTest, RoundsTheMaximumFeeUp) {
    chain_.mine(101);
    const chain::Transaction good = payment();
    const auto size = static_cast<chain::Satoshis>(good.virtual_size());
    constexpr chain::Satoshis kFee = 3'000;
    const chain::Satoshis rate = kFee * 1'000 / size;
    ASSERT_NE(rate * size, kFee * 1'000);
    const auto tested = [&](chain::Satoshis most) {
        return call("testmempoolaccept",
                    {Json::array({hex_of(good)}), btc_json(most)})[0]["allowed"];
    };
    EXPECT_EQ(tested(rate), true);
    EXPECT_EQ(tested(rate - 1'000 / size - 1), false);
    EXPECT_EQ(refusal("sendrawtransaction", {hex_of(good), btc_json(rate - 1'000 / size - 1)}),
              "-25 Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)");
    EXPECT_EQ(call("sendrawtransaction", {hex_of(good), btc_json(rate)}), good.txid().to_hex());
}

// Bitcoin Core: CScript::IsUnspendable and HasValidOps.
TEST_F(RpcMethodsTest, BurnsNoMoreThanItIsAllowed) {
    chain_.mine(101);
    using Bytes = chain::Bytes;
    Bytes too_long_push = chain::push_data(Bytes(521));
    const std::vector<Bytes> burnt = {{0x6a}, {0x6a, 0xba},        {0x51, 0x02, 0x01},
                                      {0xba}, Bytes(10'001, 0x51), too_long_push};
    chain::Transaction transaction = payment();
    const auto send = [&](const Json& most) {
        return refusal("sendrawtransaction", {hex_of(transaction), 0.1, most});
    };
    const std::string refused =
        "-25 Unspendable output exceeds maximum configured by user (maxburnamount)";
    for (const Bytes& script : burnt) {
        transaction.outputs[0] = {1'000, script};
        EXPECT_EQ(send(0.00000999), refused) << chain::to_hex(script).substr(0, 20);
        EXPECT_NE(send(0.00001), refused) << chain::to_hex(script).substr(0, 20);
    }
    transaction.outputs[0] = {1'000, {0x51, 0xb9}};
    EXPECT_NE(send(0), refused);
}

TEST_F(RpcMethodsTest, TestsWhetherATransactionWouldBeTaken) {
    chain_.mine(101);
    const chain::Transaction good = payment();
    auto wrong = good;
    ++wrong.outputs[0].value;
    auto foreign = good;
    foreign.inputs[0].prevout.index = 7;
    const auto test = [this](const chain::Transaction& transaction, const Json& rate = 0.1) {
        return call("testmempoolaccept", {Json::array({hex_of(transaction)}), rate})[0];
    };
    const Json accepted = test(good);
    EXPECT_EQ(accepted["allowed"], true);
    EXPECT_EQ(accepted["txid"], good.txid().to_hex());
    EXPECT_EQ(accepted["wtxid"], good.wtxid().to_hex());
    EXPECT_EQ(accepted["vsize"], good.virtual_size());
    EXPECT_EQ(accepted["fees"]["base"], 0.00003);  // 1,000 satoshis for each input and output
    EXPECT_EQ(test(wrong)["reject-reason"].get<std::string>().substr(0, 33),
              "mempool-script-verify-flag-failed");
    EXPECT_EQ(test(foreign)["reject-reason"], "missing-inputs");
    EXPECT_EQ(test(good, 0.00001)["reject-reason"], "max-fee-exceeded");
    EXPECT_EQ(call("getrawmempool"), Json::array()) << "nothing was accepted";
    chain_.submit(good);
    EXPECT_EQ(test(good)["reject-reason"], "txn-already-in-mempool");
    EXPECT_EQ(refusal("testmempoolaccept", Json::array({Json::array()})).substr(0, 3), "-8 ");
    EXPECT_EQ(refusal("testmempoolaccept", Json::array({Json::array({"zz"})})),
              "-22 TX decode failed: zz Make sure the tx has at least one input.");
}

TEST_F(RpcMethodsTest, TellsOfTheMempool) {
    chain_.mine(100);  // only the first coinbase has matured
    const chain::Transaction parent = payment();
    chain_.submit(parent);
    const chain::Transaction child = payment(kBitcoin / 2);  // spends the change
    chain_.submit(child);
    const std::string parent_id = parent.txid().to_hex();
    const std::string child_id = child.txid().to_hex();
    const Json first = call("getmempoolentry", {parent_id});
    EXPECT_EQ(first["time"], chain_.block_at(100).header.time);
    EXPECT_EQ(first["height"], 100);
    EXPECT_EQ(first["vsize"], parent.virtual_size());
    EXPECT_EQ(first["descendantcount"], 2);
    EXPECT_EQ(first["descendantsize"], parent.virtual_size() + child.virtual_size());
    EXPECT_EQ(first["ancestorcount"], 1);
    EXPECT_EQ(first["fees"]["base"], 0.00003);
    EXPECT_EQ(first["fees"]["descendant"], 0.00006);
    EXPECT_EQ(first["fees"]["chunk"], 0.00003) << "the child does not pay a higher fee rate";
    EXPECT_EQ(first["chunkweight"], parent.weight());
    EXPECT_EQ(first["depends"], Json::array());
    EXPECT_EQ(first["spentby"], Json::array({child_id}));
    const Json all = call("getrawmempool", {true});
    EXPECT_EQ(all[parent_id], first);
    EXPECT_EQ(all[child_id]["ancestorcount"], 2);
    EXPECT_EQ(all[child_id]["depends"], Json::array({parent_id}));
    const Json info = call("getmempoolinfo");
    EXPECT_EQ(info["size"], 2);
    EXPECT_EQ(info["bytes"], parent.virtual_size() + child.virtual_size());
    EXPECT_EQ(info["total_fee"], 0.00006);
    EXPECT_EQ(info["minrelaytxfee"], 0.000001);
    EXPECT_EQ(info["maxdatacarriersize"], 100'000);
    EXPECT_EQ(info["limitclustercount"], 64);
    EXPECT_EQ(info["limitclustersize"], 101'000);
    EXPECT_EQ(info["optimal"], true);
    EXPECT_GT(info["usage"], parent.serialize().size() + child.serialize().size());
    EXPECT_EQ(refusal("getmempoolentry", {kGenesis}), "-5 Transaction not in mempool");
}

class RpcMempoolTimes : public RpcMethodsTest {
protected:
    RpcMempoolTimes() : RpcMethodsTest([this] { return now; }) {}

    std::int64_t now = 1'700'000'000;
};

TEST_F(RpcMempoolTimes, AreOfTheChainsClock) {
    chain_.mine(102);
    const std::string first = call("sendtoaddress", {kAddress, 1});
    now += 5;
    const std::string second = call("sendtoaddress", {kAddress, 2});
    call("generateblock", {kAddress, Json::array({first})});
    Json entry = call("getmempoolentry", {second});
    EXPECT_EQ(entry["time"], 1'700'000'005);
    EXPECT_EQ(entry["height"], 102);
    now += 5;
    call("invalidateblock", {call("getbestblockhash")});
    EXPECT_EQ(call("getmempoolentry", {second}), entry) << "it was in the mempool all the time";
    entry = call("getmempoolentry", {first});
    EXPECT_EQ(entry["time"], 1'700'000'010) << "the time of its return";
    EXPECT_EQ(entry["height"], 102);
}

TEST_F(RpcMethodsTest, ShowsTheClusterOfATransaction) {
    chain_.mine(102);
    const auto parent = payment();
    const chain::Txid txid = chain_.submit(parent);
    const chain::Txid other = chain_.submit(payment());
    const Json alone = call("getmempoolcluster", {txid.to_hex()});
    const bool is_connected = call("getmempoolentry", {other.to_hex()})["depends"].size() > 0;
    EXPECT_EQ(alone["txcount"], is_connected ? 2 : 1);
    std::size_t weight = 0;
    Json txids = Json::array();
    for (const Json& chunk : alone["chunks"]) {
        weight += chunk["chunkweight"].get<std::size_t>();
        for (const Json& one : chunk["txs"]) txids.push_back(one);
    }
    EXPECT_EQ(alone["clusterweight"], weight);
    EXPECT_EQ(txids[0], txid.to_hex());
    EXPECT_EQ(refusal("getmempoolcluster", {kGenesisCoinbase}), "-5 Transaction not in mempool");
}

TEST_F(RpcMethodsTest, GivesMinersATemplate) {
    chain_.mine(101);
    const auto parent = payment();
    chain_.submit(parent);
    const Json request = {{"rules", {"segwit"}}};
    const Json given = call("getblocktemplate", Json::array({request}));
    EXPECT_EQ(given["height"], chain_.height() + 1);
    EXPECT_EQ(given["previousblockhash"], chain_.tip().to_hex());
    ASSERT_EQ(given["transactions"].size(), 1U);
    EXPECT_EQ(given["transactions"][0]["data"], hex_of(parent));
    EXPECT_EQ(given["coinbasevalue"], block_subsidy(chain_.height() + 1) +
                                          given["transactions"][0]["fee"].get<chain::Satoshis>());

    // The block that a miner makes of it.
    chain::Transaction coinbase =
        make_coinbase(given["height"].get<std::uint32_t>(), 1,
                      {given["coinbasevalue"].get<chain::Satoshis>(), chain::Bytes{0x51}});
    const std::string commitment = given["default_witness_commitment"];
    coinbase.outputs.push_back({0, *chain::from_hex(commitment)});
    coinbase.inputs.front().witness = {chain::Bytes(32)};
    const std::vector transactions{coinbase, parent};
    const std::vector txids{coinbase.txid(), parent.txid()};
    const RegtestBlock mined =
        mine_block_on(chain_.tip(), given["curtime"].get<std::uint32_t>(), transactions, txids);
    const chain::Block block{mined.header, mined.transactions};
    EXPECT_EQ(call("submitblock", {chain::to_hex(block.serialize())}), nullptr);
    EXPECT_EQ(chain_.tip(), mined.header.hash());

    EXPECT_EQ(refusal("getblocktemplate", Json::array({Json::object()})),
              "-8 getblocktemplate must be called with the segwit rule set (call with {\"rules\": "
              "[\"segwit\"]})");
    EXPECT_EQ(refusal("getblocktemplate", Json::array({{{"mode", "proposal"}}})),
              "-8 Invalid mode");
}

}  // namespace
}  // namespace petal::regtest::rpc
