#include "cli/regtest/node_control.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "chain/bytes.h"
#include "chain/network_params.h"
#include "net/io/clocks.h"
#include "tests/cli/scene.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

constexpr const char* kAddress = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk";

class NodeControlTest : public testing::Test {
protected:
    Json answer(const std::string& line) { return control_.answer(line); }
    std::string refusal(const std::string& line) { return answer(line).at("error").at("code"); }

    /// A chain as the command makes it: 101 blocks, and a purse whose payments other programs can
    /// verify.
    static regtest::RegtestChain paying_chain() {
        regtest::RegtestChain chain(regtest::RegtestChainOptions{0, regtest::PurseKind::p2wpkh});
        chain.mine(101);
        return chain;
    }

    regtest::rpc::NodeSettings settings_;
    regtest::EmbeddedNode node_;
    regtest::EmbeddedNode paying_node_{{}, paying_chain()};
    NodeControl paying_control_{paying_node_, settings_};
    NodeControl control_{node_, settings_};
};

TEST(RegtestNode, IsOfNoOtherNetwork) {
    const test::Outcome outcome = test::Scene().run({"regtest-node", "--network", "mainnet"});
    EXPECT_EQ(outcome.status, ExitStatus::usage);
    EXPECT_NE(outcome.err.find("--network mainnet"), std::string::npos) << outcome.err;
}

TEST(RegtestNode, NamesTheNetworkOfAnAddressThatItCannotPay) {
    const test::Outcome outcome = test::Scene().run(
        {"regtest-node", "--port", "0", "--pay", "tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl"});
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_NE(outcome.err.find("an address of testnet3, testnet4 or signet, and this node is on "
                               "regtest"),
              std::string::npos)
        << outcome.err;
}

TEST(RegtestNode, SaysThatAnotherMayHaveThePort) {
    const regtest::EmbeddedNode other;
    const std::string port = std::to_string(other.port());
    const test::Outcome outcome = test::Scene().run({"regtest-node", "--port", port});
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_NE(outcome.err.find("another regtest node may be running: choose another port with "
                               "--port, or 0 for any"),
              std::string::npos)
        << outcome.err;
}

TEST(RegtestNode, NamesWhatIsWrongWithItsArguments) {
    const auto refusal = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"regtest-node", "--port", "0"});
        const test::Outcome outcome = test::Scene().run(arguments);
        EXPECT_EQ(outcome.status, ExitStatus::usage);
        return outcome.err;
    };
    EXPECT_NE(refusal({"foo"}).find("petal regtest-node takes no argument foo;"),
              std::string::npos);
    EXPECT_NE(refusal({"--fault", ""}).find("--fault: must not be empty"), std::string::npos);
    EXPECT_NE(refusal({"--fault", "sielnt"}).find("no such fault: sielnt; the faults are "),
              std::string::npos);
    EXPECT_EQ(refusal({"--fault", "xyzxyz"}).find("did you mean"), std::string::npos);
    EXPECT_NE(refusal({"--fault", "stall=x"}).find("--fault: stall=N needs a whole number"),
              std::string::npos);
    for (const char* wrong : {"nope", "localhost", "[::1]", ""}) {
        EXPECT_NE(refusal({"--bind", wrong}).find("--bind: must be an IP address of this machine"),
                  std::string::npos)
            << wrong;
    }
}

TEST(RegtestNode, CannotListenOnAnAddressOfOthers) {
    const test::Outcome outcome =
        test::Scene().run({"regtest-node", "--port", "0", "--bind", "192.0.2.1"});  // RFC 5737
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_NE(outcome.err.find("; choose an address of this machine"), std::string::npos)
        << outcome.err;
}

TEST_F(NodeControlTest, TellsHowTheChainStands) {
    const Json status = answer("status");
    EXPECT_EQ(status.at("height"), 0);
    EXPECT_EQ(status.at("tip"), "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206");
    EXPECT_EQ(status.at("mempool"), 0);
    EXPECT_EQ(status.at("connections"), 0);
}

TEST_F(NodeControlTest, Mines) {
    EXPECT_EQ(answer("mine").at("height"), 1);
    EXPECT_EQ(answer("  mine  3 \r").at("height"), 4);
    EXPECT_EQ(answer("mine 1 " + std::string(kAddress)).at("height"), 5);
}

TEST_F(NodeControlTest, PaysIntoTheMempoolWithoutMining) {
    const std::string pay = "pay " + std::string(kAddress) + " 0.5";
    const Json paid = paying_control_.answer(pay);
    EXPECT_EQ(paid.at("mempool"), 1);
    EXPECT_EQ(paid.at("height"), 101);
    EXPECT_EQ(paid.at("txid").get<std::string>().size(), 64U);
    EXPECT_EQ(paying_control_.answer("mine").at("mempool"), 0);
    EXPECT_EQ(paying_control_.answer("pay " + std::string(kAddress) + " 0.00000293").at("error"),
              (Json{{"code", "refused"}, {"message", "pay: dust"}}));
    paying_control_.answer("reorg 50");
    EXPECT_EQ(paying_control_.answer(pay).at("mempool"), 2) << "its coins count from block 1 on";
}

TEST_F(NodeControlTest, TakesTransactionsAsPeersDo) {
    const auto payment = paying_node_.with_chain([](regtest::RegtestChain& chain) {
        return chain.make_payment(
            {{100'000, *wallet::parse_address(kAddress, *chain::find_network("regtest"))}});
    });
    auto wrong = payment;
    wrong.outputs[0].value += 1;
    const auto submit = [this](const chain::Transaction& transaction) {
        return paying_control_.answer("submit " + chain::to_hex(transaction.serialize()));
    };
    EXPECT_EQ(submit(wrong).at("error"),
              (Json{{"code", "refused"},
                    {"message",
                     "submit: mempool-script-verify-flag-failed (Signature must be zero for failed "
                     "CHECK(MULTI)SIG operation)"}}));
    auto without_signature = payment;
    without_signature.inputs[0].witness.clear();
    EXPECT_EQ(submit(without_signature).at("error").at("code"), "refused")
        << "the node itself refuses it";
    const Json taken = submit(payment);
    EXPECT_EQ(taken.at("txid"), payment.txid().to_hex());
    EXPECT_EQ(taken.at("mempool"), 1);
    EXPECT_EQ(paying_control_.answer("submit 00").at("error").at("code"), "bad-transaction");
}

TEST_F(NodeControlTest, MinesAtTheMachinesTimeOnRequest) {
    settings_.clock = regtest::rpc::BlockClock::machine;
    settings_.machine_time = net::unix_time_now;
    NodeControl control(node_, settings_);
    const std::int64_t before = net::unix_time_now();
    control.answer("mine 2");
    control.answer("reorg 1");
    const auto times = node_.with_chain([](regtest::RegtestChain& chain) {
        return std::pair{chain.block_at(1).header.time, chain.block_at(3).header.time};
    });
    EXPECT_GE(times.first, before);
    EXPECT_LE(times.second, net::unix_time_now() + 1)
        << "one of the two blocks must be later (BIP113)";
}

TEST_F(NodeControlTest, KnowsTheMethodsOfTheRpcInterface) {
    answer("mine 3");
    EXPECT_EQ(answer("getblockcount"), (Json{{"result", 3}}));
    const std::string genesis = answer("getblockhash 0").at("result");
    EXPECT_EQ(answer("getblock " + genesis + " 1").at("result").at("height"), 0);
    EXPECT_EQ(answer("generatetoaddress 2 " + std::string(kAddress)).at("result").size(), 2U);
    EXPECT_EQ(answer("getblockhash 6").at("error"),
              (Json{{"code", "rpc-error"},
                    {"message", "getblockhash: Block height out of range"},
                    {"rpc_code", -8}}));
    EXPECT_EQ(answer("getblockhash x").at("error").at("rpc_code"), -3);
    EXPECT_EQ(answer("getblockhash 1 2").at("error").at("rpc_code"), -1);
    const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
    EXPECT_EQ(answer("testmempoolaccept " + deep).at("error").at("rpc_code"), -3);
}

TEST_F(NodeControlTest, TakesQuotedAndJsonArguments) {
    const std::string address = kAddress;
    EXPECT_TRUE(paying_control_.answer("sendmany \"\" {\"" + address + "\": 0.1}")
                    .at("result")
                    .is_string());
    EXPECT_TRUE(
        paying_control_.answer("sendmany '' '{\"" + address + "\":0.1}'").at("result").is_string());
    EXPECT_EQ(answer("testmempoolaccept [ \"00\" ]").at("error").at("rpc_code"), -22);
    EXPECT_EQ(answer("fault \"\"").at("height"), 0);
    EXPECT_EQ(answer("mine \"1").at("error").at("message"), "a quote is not closed");
}

TEST_F(NodeControlTest, HelpsAndQuits) {
    const Json help = answer("help");
    const std::string text = help.at("help");
    EXPECT_NE(text.find("pay ADDRESS AMOUNT"), std::string::npos);
    EXPECT_NE(text.find("reorganise"), std::string::npos);
    const auto& methods = help.at("methods");
    EXPECT_NE(std::ranges::find(methods, Json("getblock")), methods.end());
    EXPECT_EQ(answer("help pay").at("result"), "pay ADDRESS AMOUNT");
    EXPECT_EQ(answer("help getblock").at("result").get<std::string>().substr(0, 9), "getblock ");
    EXPECT_FALSE(control_.wants_to_quit());
    EXPECT_EQ(answer("quit").at("height"), 0);
    EXPECT_TRUE(control_.wants_to_quit());
}

TEST_F(NodeControlTest, Reorganises) {
    answer("mine 10");
    const std::string before = answer("status").at("tip");
    const Json after = answer("reorganise 4");
    EXPECT_EQ(after.at("height"), 11);
    EXPECT_NE(after.at("tip"), before);
    EXPECT_EQ(answer("reorganize 4").at("height"), 12);
    EXPECT_EQ(answer("reorg 4").at("height"), 13);
    EXPECT_EQ(answer("reorg 13").at("error"),
              (Json{{"code", "usage"}, {"message", "reorg: the chain is not that long"}}));
}

TEST_F(NodeControlTest, RefusesWhatItDoesNotUnderstandAndGoesOn) {
    for (const char* line : {"", "mien", "mine x", "mine 0", "mine 10001", "mine 1 a b", "pay",
                             "status now", "reorganise", "submit", "quit now"}) {
        EXPECT_EQ(refusal(line), "usage") << line;
    }
    const auto says = [this](const std::string& line, const std::string& what) {
        return answer(line).at("error").at("message").get<std::string>().starts_with(what);
    };
    EXPECT_TRUE(says("mien 3", "mien: no such command; the commands are: mine"));
    EXPECT_TRUE(says("mine 1 a b", "mine: wrong arguments; usage: mine [COUNT] [ADDRESS]"));
    EXPECT_EQ(refusal("mine 1 a"), "bad-address");
    EXPECT_EQ(refusal("pay bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4 1"), "bad-address");
    EXPECT_EQ(refusal("pay " + std::string(kAddress) + " 0"), "usage");
    EXPECT_EQ(refusal("pay " + std::string(kAddress) + " 20000000"), "refused");
    EXPECT_EQ(answer("status").at("connections"), 0);
}

}  // namespace
}  // namespace petal::cli
