// Methods about blocks and branches. Their answers are compared with Bitcoin Core's in
// tests/cli/end_to_end/core_calls_test.py.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "regtest/rpc/rpc_server.h"
#include "regtest/rpc/rpc_wait.h"
#include "tests/regtest/rpc/rpc_fixture.h"

namespace petal::regtest::rpc {
namespace {

using std::chrono::milliseconds;

/// The statuses of all branches, the highest first.
std::string statuses_of(const Json& tips) {
    std::string statuses;
    for (const Json& tip : tips) {
        statuses += tip["status"].get<std::string>() + " " + tip["height"].dump() + " " +
                    tip["branchlen"].dump() + ", ";
    }
    return statuses;
}

TEST_F(RpcMethodsTest, ListsAllBranches) {
    EXPECT_EQ(statuses_of(call("getchaintips")), "active 0 0, ");
    chain_.mine(3);
    const auto left = chain_.tip();
    chain_.invalidate(left);
    EXPECT_EQ(statuses_of(call("getchaintips")), "invalid 3 1, active 2 0, ");
    chain_.mine(2);
    chain_.reconsider(left);
    EXPECT_EQ(statuses_of(call("getchaintips")), "active 4 0, valid-fork 3 1, ");
}

TEST_F(RpcMethodsTest, FollowsThePreciousOfEqualBranches) {
    chain_.mine(2);
    const auto first = chain_.tip();
    chain_.invalidate(first);
    chain_.mine(1, chain::Bytes{0x51});
    const auto second = chain_.tip();
    chain_.reconsider(first);
    ASSERT_EQ(chain_.tip(), first) << "the first of equal branches";
    call("preciousblock", {second.to_hex()});
    EXPECT_EQ(chain_.tip(), second);
    chain_.invalidate(second);
    EXPECT_EQ(chain_.tip(), first);
    chain_.reconsider(second);
    EXPECT_EQ(chain_.tip(), second) << "still the precious one";
    call("preciousblock", {first.to_hex()});
    EXPECT_EQ(chain_.tip(), first);
    chain_.mine(1);
    const auto longer = chain_.tip();
    call("preciousblock", {second.to_hex()});
    EXPECT_EQ(chain_.tip(), longer) << "more work counts more";
    EXPECT_EQ(refusal("preciousblock", {kGenesisCoinbase}), "-5 Block not found");
}

TEST_F(RpcMethodsTest, LeavesInitialDownloadAtARecentBlock) {
    settings_.is_initial_download = true;
    EXPECT_EQ(call("getblockchaininfo")["initialblockdownload"], true);
    chain_.set_time(settings_.now() - 24 * 60 * 60 - 1);
    chain_.mine(1);
    EXPECT_EQ(call("getblockchaininfo")["initialblockdownload"], true);
    chain_.set_time(settings_.now() - 24 * 60 * 60);
    chain_.mine(1);
    EXPECT_EQ(call("getblockchaininfo")["initialblockdownload"], false);
    settings_.mock_time = settings_.now() + 1'000'000;
    EXPECT_EQ(call("getblockchaininfo")["initialblockdownload"], false) << "for good";
}

/// What a call that waits answers after this time. Empty: it goes on waiting.
class RpcWaitTest : public RpcMethodsTest {
protected:
    RpcWait::Poll begin(std::string_view method, const Json& arguments) {
        try {
            answered_ = call(method, arguments);
        } catch (const RpcWait& wait) {
            return wait.poll();
        }
        return {};
    }

    Json answered_;
};

TEST_F(RpcWaitTest, WaitsForANewBlock) {
    const auto poll = begin("waitfornewblock", {50});
    ASSERT_TRUE(poll);
    EXPECT_EQ(poll(milliseconds{49}), std::nullopt);
    EXPECT_EQ((*poll(milliseconds{50}))["height"], 0) << "the time is over";
    chain_.mine(1);
    EXPECT_EQ((*poll(milliseconds{1}))["hash"], chain_.tip().to_hex());
    EXPECT_FALSE(begin("waitfornewblock", {50, kGenesis})) << "the tip is another one already";
    EXPECT_EQ(answered_["height"], 1);
    EXPECT_EQ(refusal("waitfornewblock", {-1}), "-1 Negative timeout");
}

TEST_F(RpcWaitTest, WaitsForABlockOrAHeight) {
    EXPECT_FALSE(begin("waitforblock", {kGenesis}));
    const auto height = begin("waitforblockheight", {2});
    ASSERT_TRUE(height);
    EXPECT_EQ(height(milliseconds{1'000'000'000}), std::nullopt) << "without a limit";
    chain_.mine(3);
    EXPECT_EQ((*height(milliseconds{0}))["height"], 3);
    const auto block = begin("waitforblock", {kGenesis, 1});
    ASSERT_TRUE(block);
    EXPECT_EQ((*block(milliseconds{1}))["height"], 3);
}

TEST_F(RpcWaitTest, WaitsForAnotherBlockTemplate) {
    const Json request = Json::array({{{"rules", {"segwit"}}}});
    const auto longpoll = [](const std::string& id) {
        return Json::array({{{"rules", {"segwit"}}, {"longpollid", id}}});
    };
    chain_.mine(101);
    const std::string id = call("getblocktemplate", request)["longpollid"];
    const auto poll = begin("getblocktemplate", longpoll(id));
    ASSERT_TRUE(poll);
    EXPECT_EQ(poll(milliseconds{100'000}), std::nullopt) << "nothing is new";
    chain_.mine(1);
    EXPECT_EQ((*poll(milliseconds{1}))["previousblockhash"], chain_.tip().to_hex());
    EXPECT_FALSE(begin("getblocktemplate", longpoll(id))) << "the tip is another one already";

    const std::string later = call("getblocktemplate", request)["longpollid"];
    const auto transactions = begin("getblocktemplate", longpoll(later));
    ASSERT_TRUE(transactions);
    chain_.submit(payment());
    EXPECT_EQ(transactions(milliseconds{59'999}), std::nullopt);
    EXPECT_TRUE(transactions(milliseconds{60'000}));
}

TEST_F(RpcWaitTest, AnswersOverHttpOnceThereIsAResult) {
    const auto run = [this](const std::string& method, const Json& arguments) {
        return call(method, arguments);
    };
    const auto waiting =
        answer_rpc(R"({"method":"waitforblockheight","params":[1,9],"id":"a"})", run);
    ASSERT_TRUE(waiting.later);
    EXPECT_FALSE(waiting.later(milliseconds{8}));
    chain_.mine(1);
    const auto answer = waiting.later(milliseconds{8});
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->later);
    const Json body = Json::parse(answer->body);
    EXPECT_EQ(body["result"]["height"], 1);
    EXPECT_EQ(body["id"], "a");
}

TEST_F(RpcWaitTest, DelaysTheCallsAfterItInABatch) {
    const auto run = [this](const std::string& method, const Json& arguments) {
        return call(method, arguments);
    };
    const auto batch = answer_rpc(R"([{"method":"waitforblockheight","params":[1],"id":1},
                                      {"method":"waitfornewblock","params":[9],"id":2},
                                      {"method":"getblockcount","id":3}])",
                                  run);
    ASSERT_TRUE(batch.later);
    EXPECT_FALSE(batch.later(milliseconds{1'000}));
    chain_.mine(1);
    EXPECT_FALSE(batch.later(milliseconds{1'001})) << "the second call waits from now on";
    EXPECT_FALSE(batch.later(milliseconds{1'009}));
    const auto answer = batch.later(milliseconds{1'010});
    ASSERT_TRUE(answer);
    const Json body = Json::parse(answer->body);
    ASSERT_EQ(body.size(), 3U);
    EXPECT_EQ(body[0]["result"]["height"], 1);
    EXPECT_EQ(body[1]["id"], 2);
    EXPECT_EQ(body[2]["result"], 1);
}

TEST_F(RpcMethodsTest, HasNoWalletMethodsWithoutAWallet) {
    settings_.has_wallet = false;
    EXPECT_EQ(refusal("getnewaddress"), "-32601 Method not found");
    EXPECT_EQ(refusal("getblockcount"), "");
}

class RpcPackageTest : public RpcMethodsTest {
protected:
    /// The result of testmempoolaccept.
    Json test_together(const std::vector<std::string>& transactions) {
        return call("testmempoolaccept", Json::array({Json(transactions)}));
    }
};

TEST_F(RpcPackageTest, TestsTransactionsOnTopOfEachOther) {
    chain_.mine(110);
    const auto parent = payment();
    const auto& own = purse_script(PurseKind::p2wpkh);
    std::uint32_t change = 0;
    while (parent.outputs[change].script_pubkey != own) ++change;
    chain_.submit(parent);
    // The purse spends the change of its own payment once it has nothing else.
    chain::Transaction child = chain_.make_payment({{4 * kBitcoin, own}});
    while (std::ranges::none_of(
        child.inputs, [&](const auto& input) { return input.prevout.txid == parent.txid(); })) {
        child = chain_.make_payment({{4 * kBitcoin, own}});
    }
    chain_.drop(parent.txid());
    const auto results = test_together({hex_of(parent), hex_of(child)});
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0]["allowed"], true) << results;
    EXPECT_EQ(results[1]["allowed"], true) << results;
    EXPECT_TRUE(chain_.mempool().entries().empty());
    const auto alone = test_together({hex_of(child)});
    EXPECT_EQ(alone[0]["reject-reason"], "missing-inputs");
    for (const auto& result : test_together({hex_of(child), hex_of(parent)})) {
        EXPECT_EQ(result["package-error"], "package-not-sorted");
    }
    for (const auto& result : test_together({hex_of(parent), hex_of(parent)})) {
        EXPECT_EQ(result["package-error"], "package-contains-duplicates");
    }
    chain::Transaction other = parent;
    other.outputs[change].value -= 1'000;
    const auto conflict = test_together({hex_of(parent), hex_of(other)});
    EXPECT_EQ(conflict[1]["package-error"], "conflict-in-package");
    other.inputs[0].prevout.index = 77;
    const auto cut = test_together({hex_of(other), hex_of(parent)});
    EXPECT_EQ(cut[0]["allowed"], false);
    EXPECT_FALSE(cut[1].contains("allowed")) << "not tested after one that is refused";
}

TEST_F(RpcMethodsTest, ControlsTheNetwork) {
    EXPECT_EQ(call("setnetworkactive", {false}), false);
    EXPECT_EQ(call("getnetworkinfo")["networkactive"], false);
    EXPECT_EQ(call("setnetworkactive", {true}), true);
    call("ping");
    EXPECT_EQ(peers_.pings, 1);
    EXPECT_EQ(call("getnettotals")["totalbytessent"], 7);
    EXPECT_EQ(call("getnettotals")["totalbytesrecv"], 9);
    EXPECT_EQ(refusal("getaddednodeinfo", {"127.0.0.1"}), "-24 Error: Node has not been added.");
    call("addnode", {"127.0.0.1:5", "add"});
    PeerRecord peer;
    peer.address = "127.0.0.1:5";
    peer.is_inbound = false;
    peers_.records.push_back(peer);
    const Json added = call("getaddednodeinfo", {"127.0.0.1:5"});
    EXPECT_EQ(added[0]["connected"], true);
    EXPECT_EQ(added[0]["addresses"][0]["connected"], "outbound");
}

}  // namespace
}  // namespace petal::regtest::rpc
