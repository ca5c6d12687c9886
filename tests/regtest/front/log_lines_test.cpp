#include "regtest/front/log_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fake_peers.h"

namespace petal::regtest::front {
namespace {

class LogLinesTest : public testing::Test {
protected:
    LogLinesTest() { begin(); }

    void begin() {
        lines_.begin(chain_);
        events_.begin(chain_);
    }
    /// The lines since the last call.
    std::vector<std::string> news() {
        lines_.on_change(chain_);
        events_.on_change(chain_, peers_);
        return std::exchange(written_, {});
    }

    RegtestChain chain_;
    test::FakePeers peers_;
    std::vector<std::string> written_;
    LogLines lines_{[this](const std::string& line) { written_.push_back(line); }};
    NodeEvents events_{[this](const NodeEvent& event) { lines_.on_event(event); }};
};

TEST_F(LogLinesTest, TellEachTip) {
    chain_.mine(2);
    const auto lines = news();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[1], "UpdateTip: new best=" + chain_.tip().to_hex() +
                            " height=2 version=0x20000000 log2_work=2.584963 tx=3 "
                            "date='2011-02-02T23:36:42Z' progress=1.000000 cache=0.0MiB(0txo)");
    EXPECT_TRUE(news().empty());
}

TEST_F(LogLinesTest, CountTransactionsAnewAfterAReorganisation) {
    chain_.mine(3);
    news();
    const auto old_tip = chain_.blocks().at(2).hash;
    chain_.reorganise(1, 3);
    const auto lines = news();
    ASSERT_EQ(lines.size(), 5U) << "two blocks are disconnected, and three connected";
    EXPECT_TRUE(lines[0].starts_with("UpdateTip: new best=" + old_tip.to_hex() + " height=2 "))
        << lines[0];
    EXPECT_NE(lines[0].find(" tx=3 "), std::string::npos) << lines[0];
    EXPECT_NE(lines[1].find(" height=1 "), std::string::npos) << lines[1];
    EXPECT_NE(lines[2].find(" height=2 "), std::string::npos) << lines[2];
    EXPECT_NE(lines[2].find(" tx=3 "), std::string::npos) << lines[2];
    EXPECT_NE(lines[4].find(" tx=5 "), std::string::npos) << lines[4];
}

TEST_F(LogLinesTest, TellOfInvalidatedBlocks) {
    chain_.mine(2);
    news();
    const auto block = chain_.tip();
    chain_.invalidate(block);
    const auto lines = news();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_TRUE(lines[0].starts_with("UpdateTip: new best=" + chain_.tip().to_hex() + " height=1 "))
        << lines[0];
    EXPECT_TRUE(lines[1].starts_with("InvalidChainFound: invalid block=" + block.to_hex() +
                                     "  height=2  log2_work=2.584963  date="))
        << lines[1];
}

TEST(LogTime, IsUtc) {
    EXPECT_EQ(log_time(0), "1970-01-01T00:00:00Z");
    EXPECT_EQ(log_time(1'700'000'000), "2023-11-14T22:13:20Z");
}

}  // namespace
}  // namespace petal::regtest::front
