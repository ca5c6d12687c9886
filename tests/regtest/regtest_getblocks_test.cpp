// How an embedded node announces its blocks to clients that use getblocks instead of getheaders.
#include <gtest/gtest.h>

#include <vector>

#include "tests/regtest/regtest_peer.h"

namespace petal::regtest {
namespace {

class ListedBlocks : public testing::Test {
protected:
    chain::BlockHash hash(std::uint32_t height) const {
        return chain.block_at(height).header.hash();
    }

    /// An inv of the active chain's blocks from `first` to `last`.
    std::vector<net::Message> inv(std::uint32_t first, std::uint32_t last) const {
        net::Inv message;
        for (auto height = first; height <= last; ++height) {
            message.entries.push_back(block_entry(hash(height)));
        }
        return {message};
    }

    RegtestChain chain;
};

TEST_F(ListedBlocks, FollowTheFirstHashOfTheLocatorThatIsOnTheChain) {
    chain.mine(10);
    const auto stale = hash(10);
    chain.reorganise(8, 3);
    const chain::BlockHash unknown{{1, 2, 3}};
    RegtestPeer peer(chain);
    peer.send(net::GetBlocks{{unknown, stale, hash(7), hash(3)}, {}});
    EXPECT_EQ(peer.received(), inv(8, 11));
    peer.send(net::GetBlocks{{unknown}, {}});
    EXPECT_EQ(peer.received(), inv(1, 11));
    peer.send(net::GetBlocks{{}, {}});
    EXPECT_EQ(peer.received(), inv(1, 11));
    peer.send(net::GetBlocks{{hash(11)}, {}});
    EXPECT_TRUE(peer.received().empty());
}

TEST_F(ListedBlocks, EndBeforeTheStopHash) {
    chain.mine(10);
    RegtestPeer peer(chain);
    peer.send(net::GetBlocks{{hash(2)}, hash(5)});
    EXPECT_EQ(peer.received(), inv(3, 4));
    peer.send(net::GetBlocks{{hash(2)}, hash(1)});
    EXPECT_EQ(peer.received(), inv(3, 10)) << "a stop hash below the start is ignored";
}

TEST_F(ListedBlocks, AreFiveHundredAtATimeAndGoOnOnceTheLastIsAskedFor) {
    chain.mine(501);
    RegtestPeer peer(chain);
    peer.load(filter_of({}));
    peer.send(net::GetBlocks{{hash(0)}, {}});
    EXPECT_EQ(peer.received(), inv(1, 500));
    peer.request(net::InventoryType::filtered_block, hash(499));
    EXPECT_EQ(peer.received().size(), 1U);
    peer.request(net::InventoryType::filtered_block, hash(500));
    auto answers = peer.received();
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<net::MerkleBlock>(answers[0]));
    EXPECT_EQ(answers[1], inv(501, 501)[0]) << "the tip, from which the peer can ask for more";
    peer.request(net::InventoryType::filtered_block, hash(500));
    EXPECT_EQ(peer.received().size(), 1U) << "only once";

    peer.send(net::GetBlocks{{hash(1)}, {}});
    EXPECT_EQ(peer.received(), inv(2, 501));
    peer.request(net::InventoryType::block, hash(501));
    EXPECT_EQ(peer.received().size(), 2U)
        << "the list had 500 blocks, although it ended at the tip";
    peer.send(net::GetBlocks{{hash(2)}, {}});
    EXPECT_EQ(peer.received(), inv(3, 501));
    peer.request(net::InventoryType::block, hash(501));
    EXPECT_EQ(peer.received().size(), 1U);
}

TEST_F(ListedBlocks, AreNotAskedForWithALongLocator) {
    RegtestPeer peer(chain);
    peer.send(net::GetBlocks{std::vector<chain::BlockHash>(net::kMaxLocatorEntries), {}});
    EXPECT_FALSE(peer.node.disconnect_reason());
    peer.send(net::GetBlocks{std::vector<chain::BlockHash>(net::kMaxLocatorEntries + 1), {}});
    EXPECT_TRUE(peer.node.disconnect_reason());
}

}  // namespace
}  // namespace petal::regtest
