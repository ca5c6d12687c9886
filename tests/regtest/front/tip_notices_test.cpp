#include "regtest/front/tip_notices.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/support/fake_peers.h"

namespace petal::regtest::front {
namespace {

class TipNoticesTest : public testing::Test {
protected:
    TipNoticesTest() {
        chain_.mine(3);
        notices_.begin(chain_);
        events_.begin(chain_);
    }
    /// The tips that were reported since the last call.
    std::vector<chain::BlockHash> news() {
        notices_.on_change(chain_);
        events_.on_change(chain_, peers_);
        return std::exchange(reported_, {});
    }
    chain::BlockHash at(std::uint32_t height) const { return chain_.blocks().at(height).hash; }

    using Tips = std::vector<chain::BlockHash>;
    RegtestChain chain_;
    test::FakePeers peers_;
    Tips reported_;
    TipNotices notices_{[this](const chain::BlockHash& tip) { reported_.push_back(tip); }};
    NodeEvents events_{[this](const NodeEvent& event) { notices_.on_event(event); }};
};

TEST_F(TipNoticesTest, NameEachBlockThatExtendsTheChain) {
    chain_.mine(2);
    EXPECT_EQ(news(), (Tips{at(4), at(5)}));
    EXPECT_EQ(news(), Tips{});
}

TEST_F(TipNoticesTest, NameTheBlocksOfAReorganisationAboveTheOldTip) {
    chain_.reorganise(1, 4);
    EXPECT_EQ(news(), (Tips{at(4), at(5)}));
    chain_.mine(1);
    EXPECT_EQ(news(), Tips{at(6)});
}

TEST_F(TipNoticesTest, NameTheTipBelowAnInvalidatedBlock) {
    const Tips blocks{at(2), at(3)};
    chain_.invalidate(blocks[0]);
    EXPECT_EQ(news(), Tips{at(1)});
    chain_.reconsider(blocks[0]);
    EXPECT_EQ(news(), blocks);
}

TEST_F(TipNoticesTest, NameTheBlocksOfTheBranchToWhichInvalidateblockLeads) {
    const Tips blocks{at(2), at(3)};
    chain_.reorganise(1, 3);
    news();
    chain_.invalidate(at(2));
    EXPECT_EQ(news(), (Tips{at(1), blocks[0], blocks[1]}));
}

}  // namespace
}  // namespace petal::regtest::front
