#include "cli/regtest/node_control.h"

#include <gtest/gtest.h>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

constexpr const char* kAddress = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk";

class NodeControlTest : public testing::Test {
protected:
    Json answer(const std::string& line) { return control_.answer(line); }
    std::string refusal(const std::string& line) { return answer(line).at("error").at("code"); }

    net::EmbeddedNode node_;
    NodeControl control_{node_};
};

TEST(RegtestNode, IsOfNoOtherNetwork) {
    const test::Outcome outcome = test::Scene().run({"regtest-node", "--network", "mainnet"});
    EXPECT_EQ(outcome.status, ExitStatus::usage);
    EXPECT_NE(outcome.err.find("--network mainnet"), std::string::npos) << outcome.err;
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

TEST_F(NodeControlTest, PaysIntoTheMempool) {
    const Json paid = answer("pay " + std::string(kAddress) + " 0.5");
    EXPECT_EQ(paid.at("mempool"), 1);
    EXPECT_EQ(paid.at("txid").get<std::string>().size(), 64U);
    EXPECT_EQ(answer("mine").at("mempool"), 0);
}

TEST_F(NodeControlTest, Reorganises) {
    answer("mine 10");
    const std::string before = answer("status").at("tip");
    const Json after = answer("reorganise 4");
    EXPECT_EQ(after.at("height"), 11);
    EXPECT_NE(after.at("tip"), before);
    EXPECT_EQ(refusal("reorganise 11"), "usage");
}

TEST_F(NodeControlTest, RefusesWhatItDoesNotUnderstandAndGoesOn) {
    for (const char* line : {"", "mien", "mine x", "mine 0", "mine 10001", "mine 1 a b", "pay",
                             "status now", "reorganise"}) {
        EXPECT_EQ(refusal(line), "usage") << line;
    }
    EXPECT_EQ(refusal("mine 1 a"), "bad-address");
    EXPECT_EQ(refusal("pay bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4 1"), "bad-address");
    EXPECT_EQ(refusal("pay " + std::string(kAddress) + " 0"), "usage");
    EXPECT_EQ(refusal("pay " + std::string(kAddress) + " 20000000"), "refused");
    EXPECT_EQ(answer("status").at("connections"), 0);
}

}  // namespace
}  // namespace petal::cli
