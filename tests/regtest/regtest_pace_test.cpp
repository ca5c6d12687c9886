/// How fast an embedded node answers, in simulated time, when it is configured as slow or distant.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/regtest/regtest_peer.h"

namespace petal::regtest {
namespace {

using namespace std::chrono_literals;

class RegtestPace : public testing::Test {
protected:
    RegtestPace() { chain.mine(20); }

    RegtestPeer slow_peer(std::chrono::microseconds block_time) {
        NodeBehaviour behaviour;
        behaviour.block_time = block_time;
        RegtestPeer peer(chain, behaviour);
        peer.load(filter_of({}));
        return peer;
    }

    net::GetData blocks(std::uint32_t first, std::uint32_t count) const {
        net::GetData request;
        for (std::uint32_t height = first; height < first + count; ++height) {
            const auto hash = chain.block_at(height).header.hash();
            request.entries.push_back({net::InventoryType::filtered_block, {hash.bytes}});
        }
        return request;
    }

    static std::size_t received_after(RegtestPeer& peer, std::chrono::milliseconds time) {
        peer.pass(time);
        return peer.received().size();
    }

    RegtestChain chain;
};

TEST_F(RegtestPace, DelaysEachBlock) {
    auto peer = slow_peer(5ms);
    peer.send(blocks(1, 3));
    EXPECT_EQ(received_after(peer, 4ms), 0U);
    EXPECT_EQ(received_after(peer, 1ms), 1U);
    EXPECT_EQ(received_after(peer, 4ms), 0U);
    EXPECT_EQ(received_after(peer, 1ms), 1U);
    EXPECT_EQ(received_after(peer, 1min), 1U);
}

TEST_F(RegtestPace, DelaysAFullBlock) {
    for (const auto type : {net::InventoryType::block, net::InventoryType::witness_block}) {
        auto peer = slow_peer(5ms);
        peer.request(type, chain.tip());
        EXPECT_EQ(received_after(peer, 4ms), 0U);
        EXPECT_EQ(received_after(peer, 1ms), 1U);
    }
}

TEST_F(RegtestPace, LosesNoTimeIfPolledLate) {
    auto peer = slow_peer(2'500us);
    peer.send(blocks(1, 8));
    peer.send(blocks(9, 8));
    EXPECT_EQ(received_after(peer, 13ms), 5U);
    EXPECT_EQ(received_after(peer, 2ms), 1U);
    EXPECT_EQ(received_after(peer, 24ms), 9U);
    EXPECT_EQ(received_after(peer, 1ms), 1U);
}

TEST_F(RegtestPace, SavesNoTimeWhileItIsIdle) {
    auto peer = slow_peer(5ms);
    peer.pass(1min);
    peer.send(blocks(1, 1));
    EXPECT_EQ(received_after(peer, 4ms), 0U);
    EXPECT_EQ(received_after(peer, 1ms), 1U);
}

TEST_F(RegtestPace, DoesNotDelayUnknownBlocks) {
    auto peer = slow_peer(5ms);
    peer.request(net::InventoryType::filtered_block, chain::BlockHash{});
    peer.send(net::Ping{1});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{net::Pong{1}});
}

TEST_F(RegtestPace, ProcessesNoOtherMessageDuringABlock) {
    auto peer = slow_peer(5ms);
    peer.send(blocks(1, 1));
    peer.send(net::Ping{1});
    EXPECT_TRUE(peer.received().empty());
    peer.pass(5ms);
    EXPECT_EQ(peer.received().size(), 2U);
}

TEST_F(RegtestPace, NamesTheDeadlineOfTheNextBlock) {
    auto peer = slow_peer(2'500us);
    EXPECT_FALSE(peer.node.next_deadline());
    const auto start = peer.now;
    peer.send(blocks(1, 2));
    EXPECT_EQ(peer.node.next_deadline(), start + 3ms);
    peer.pass(3ms);
    EXPECT_EQ(peer.node.next_deadline(), start + 5ms);
    peer.pass(2ms);
    EXPECT_FALSE(peer.node.next_deadline());
    EXPECT_EQ(peer.received().size(), 2U);
}

TEST_F(RegtestPace, HasNoDeadlineOnceItHangsUp) {
    auto peer = slow_peer(5ms);
    peer.send(blocks(1, 1));
    peer.pass(5ms);
    peer.send(net::WtxidRelay{});
    EXPECT_TRUE(peer.node.disconnect_reason());
    EXPECT_FALSE(peer.node.next_deadline());
}

TEST_F(RegtestPace, DelaysAllAnswersByItsLag) {
    NodeBehaviour behaviour;
    behaviour.lag = 100ms;
    RegtestNode node(chain, behaviour, 1);
    node.on_message(RegtestPeer::without_relay(), 0ms);
    node.on_message(net::Verack{}, 10ms);
    EXPECT_FALSE(node.has_output());
    EXPECT_EQ(node.next_deadline(), 100ms);
    node.on_time(100ms);
    EXPECT_EQ(node.take_output().size(), 4U) << "version, wtxidrelay, sendaddrv2, verack";
    EXPECT_EQ(node.next_deadline(), 110ms);
    node.on_time(110ms);
    EXPECT_EQ(node.take_output().size(), 3U) << "sendcmpct, ping, feefilter";

    for (std::uint64_t nonce = 1; nonce <= 50; ++nonce) node.on_message(net::Ping{nonce}, 200ms);
    node.on_time(299ms);
    EXPECT_FALSE(node.has_output());
    node.on_time(300ms);
    EXPECT_EQ(node.take_output().size(), 50U)
        << "the lag delays the answers but does not limit their rate";
}

TEST_F(RegtestPace, AddsTheLagToTheBlockTime) {
    NodeBehaviour behaviour;
    behaviour.lag = 100ms;
    behaviour.block_time = 5ms;
    RegtestPeer peer(chain, behaviour);
    peer.pass(100ms);
    peer.received();
    peer.load(filter_of({}));
    peer.send(blocks(1, 2));
    EXPECT_EQ(received_after(peer, 104ms), 0U);
    EXPECT_EQ(received_after(peer, 1ms), 1U);
    EXPECT_EQ(received_after(peer, 5ms), 1U);
}

class RegtestTurns : public testing::Test {
protected:
    /// Each block is larger than what the node reads in one turn.
    RegtestTurns() {
        chain.mine(kBlocks, chain::Bytes(300'000, 0x51));
        peer.load(filter_of({}));
        peer.received();
    }

    static constexpr std::uint32_t kBlocks = 3;
    RegtestChain chain;
    RegtestPeer peer{chain};
};

TEST_F(RegtestTurns, HandleOneLargeBlockEach) {
    net::GetData request;
    for (std::uint32_t height = 1; height <= kBlocks; ++height) {
        const auto hash = chain.block_at(height).header.hash();
        request.entries.push_back({net::InventoryType::filtered_block, {hash.bytes}});
    }
    peer.send(request);
    peer.send(net::Ping{1});
    for (std::uint32_t height = 1; height <= kBlocks; ++height) {
        ASSERT_TRUE(peer.node.has_output());
        const auto messages = peer.node.take_output();
        ASSERT_EQ(messages.size(), 1U);
        EXPECT_EQ(std::get<net::MerkleBlock>(messages[0]).header, chain.block_at(height).header);
    }
    EXPECT_EQ(peer.received(), std::vector<net::Message>{net::Pong{1}});
    EXPECT_FALSE(peer.node.has_output());
}

TEST_F(RegtestTurns, EndAfterManyUnansweredBytes) {
    const net::FilterLoad largest{
        bloom::BloomFilter({36'000, 1}, 7, bloom::UpdateMode::none).encode()};
    for (int i = 0; i < 8; ++i) peer.send(largest);
    peer.send(net::Ping{1});
    EXPECT_TRUE(peer.node.take_output().empty());
    EXPECT_EQ(peer.node.take_output(), std::vector<net::Message>{net::Pong{1}});
}

}  // namespace
}  // namespace petal::regtest
