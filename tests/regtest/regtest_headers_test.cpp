/// How an embedded node answers getheaders, and announces new blocks.
#include <gtest/gtest.h>

#include <vector>

#include "tests/regtest/regtest_peer.h"

namespace petal::regtest {
namespace {

class RegtestHeaders : public testing::Test {
protected:
    RegtestHeaders() { chain.mine(10); }

    chain::BlockHash hash(std::uint32_t height) const {
        return chain.block_at(height).header.hash();
    }

    /// The headers of the active chain's blocks from `first` to `last`.
    net::Headers headers(std::uint32_t first, std::uint32_t last) const {
        net::Headers message;
        for (auto height = first; height <= last; ++height) {
            message.headers.push_back(chain.block_at(height).header);
        }
        return message;
    }

    /// A peer that knows the chain up to its tip and has sent sendheaders.
    RegtestPeer follower() {
        RegtestPeer peer(chain);
        peer.send(net::SendHeaders{});
        peer.send(net::GetHeaders{{hash(0)}, {}});
        peer.received();
        return peer;
    }

    RegtestChain chain;
};

const chain::BlockHash kUnknown = {{1, 2, 3}};

TEST_F(RegtestHeaders, FollowTheFirstKnownHashOfTheLocator) {
    RegtestPeer peer(chain);
    peer.send(net::GetHeaders{{kUnknown, hash(7), hash(3), hash(0)}, {}});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(8, 10)});
}

TEST_F(RegtestHeaders, BeginAtBlockOneIfTheLocatorIsUnknown) {
    RegtestPeer peer(chain);
    peer.send(net::GetHeaders{{kUnknown}, {}});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(1, 10)});
}

TEST_F(RegtestHeaders, EndAtTheStopHash) {
    RegtestPeer peer(chain);
    peer.send(net::GetHeaders{{hash(2)}, hash(5)});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(3, 5)});
    peer.send(net::GetHeaders{{hash(2)}, hash(1)});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(3, 10)})
        << "a stop hash below the start is ignored";
}

TEST_F(RegtestHeaders, AreNoneForAPeerAtTheTip) {
    RegtestPeer peer(chain);
    peer.send(net::GetHeaders{{hash(10)}, {}});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{net::Headers{}});
}

TEST_F(RegtestHeaders, AreOneForAnEmptyLocator) {
    RegtestPeer peer(chain);
    peer.send(net::GetHeaders{{}, hash(4)});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(4, 4)});
    peer.send(net::GetHeaders{{}, kUnknown});
    EXPECT_TRUE(peer.received().empty());
}

TEST_F(RegtestHeaders, SkipStaleHashesOfTheLocator) {
    const auto stale = hash(10);
    const auto stale_header = chain.block_at(10).header;
    chain.reorganise(8, 3);
    RegtestPeer peer(chain);
    peer.send(net::GetHeaders{{stale, hash(8)}, {}});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(9, 11)});
    peer.send(net::GetHeaders{{}, stale});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{net::Headers{{stale_header}}});
}

// As Bitcoin Core (BlockRequestAllowed).
TEST_F(RegtestHeaders, AreNotThoseOfAnInvalidatedBlock) {
    const auto invalid = hash(9);
    const auto descendant = hash(10);
    chain.invalidate(invalid);
    RegtestPeer peer(chain);
    for (const auto& block : {invalid, descendant}) peer.send(net::GetHeaders{{}, block});
    EXPECT_TRUE(peer.received().empty());
    chain.reconsider(invalid);
    peer.send(net::GetHeaders{{}, invalid});
    EXPECT_EQ(peer.received().at(0), net::Message(headers(9, 9)));
}

TEST_F(RegtestHeaders, AreAtMostTwoThousand) {
    chain.mine(2'000);
    RegtestPeer peer(chain);
    peer.send(net::GetHeaders{{hash(0)}, {}});
    peer.send(net::GetHeaders{{hash(2'000)}, {}});
    EXPECT_EQ(peer.received(),
              (std::vector<net::Message>{headers(1, 2'000), headers(2'001, 2'010)}));
}

TEST_F(RegtestHeaders, AnnounceNoBlockByDefault) {
    RegtestPeer peer(chain);
    peer.send(net::GetHeaders{{hash(10)}, {}});
    peer.received();
    chain.mine(3);
    EXPECT_EQ(peer.received(), one_inv(block_entry(hash(13)))) << "an inv of the tip alone";
    EXPECT_TRUE(peer.received().empty());
}

TEST_F(RegtestHeaders, AnnounceUpToEightBlocksAfterSendHeaders) {
    auto peer = follower();
    chain.mine(8);
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(11, 18)});
    chain.mine();
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(19, 19)})
        << "the peer knows the parent";
    chain.mine(9);
    EXPECT_EQ(peer.received(), one_inv(block_entry(hash(28))));
    chain.mine();
    EXPECT_EQ(peer.received(), one_inv(block_entry(hash(29))))
        << "the peer may not know the parent";
}

TEST_F(RegtestHeaders, AnnounceAReorganisationFromTheForkPoint) {
    auto peer = follower();
    chain.reorganise(7, 4);
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(8, 11)});
    chain.mine();
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(12, 12)});
}

TEST_F(RegtestHeaders, AnnounceNothingToAPeerThatHasNotAskedForAny) {
    RegtestPeer peer(chain);
    peer.send(net::SendHeaders{});
    chain.mine();
    EXPECT_EQ(peer.received(), one_inv(block_entry(hash(11)))) << "an inv is sent instead";
}

TEST_F(RegtestHeaders, AnnounceOnlyWhatThePeerHasNotFetchedItself) {
    auto peer = follower();
    const auto height = chain.height();
    chain.mine(2);
    // The node answers the request before it looks for blocks to announce.
    peer.send(net::GetHeaders{{hash(height)}, hash(height + 1)});
    EXPECT_EQ(peer.received(), (std::vector<net::Message>{headers(11, 11), headers(12, 12)}));
    chain.mine();
    peer.send(net::GetHeaders{{hash(12)}, {}});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(13, 13)});
}

TEST_F(RegtestHeaders, AreNotAnnouncedAgainByInv) {
    RegtestPeer peer(chain);
    chain.mine();
    peer.send(net::GetHeaders{{hash(10)}, {}});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{headers(11, 11)});
}

TEST_F(RegtestHeaders, MayBeAskedForBeforeTheHandshakeIsComplete) {
    RegtestNode node(chain, {}, 1);
    const std::chrono::milliseconds now{0};
    node.on_message(net::Version{}, now);
    node.on_message(net::SendHeaders{}, now);
    node.on_message(net::Verack{}, now);
    node.on_message(net::GetHeaders{{hash(10)}, {}}, now);
    node.take_output();
    chain.mine();
    node.on_time(now);
    EXPECT_EQ(node.take_output(), std::vector<net::Message>{headers(11, 11)});
}

}  // namespace
}  // namespace petal::regtest
