// Which blocks a node requests from a peer.
#include <gtest/gtest.h>

#include <utility>
#include <variant>
#include <vector>

#include "tests/regtest/regtest_peer.h"

namespace petal::regtest {
namespace {

net::Version of_full_node() {
    net::Version version;
    version.services = net::kNodeNetwork | net::kNodeWitness;
    return version;
}

/// A node, and a peer with a longer chain of its own.
class BlocksFromPeers : public testing::Test {
protected:
    BlocksFromPeers() {
        chain.mine(3);
        other.mine(20);
    }

    net::Headers headers(std::uint32_t from, std::uint32_t to) const {
        net::Headers message;
        for (std::uint32_t height = from; height <= to; ++height) {
            message.headers.push_back(other.block_at(height).header);
        }
        return message;
    }
    net::Inventory witness_block(std::uint32_t height) const {
        return {net::InventoryType::witness_block, {other.block_at(height).header.hash().bytes}};
    }
    chain::Block block(std::uint32_t height) const {
        const RegtestBlock& block = other.block_at(height);
        return {block.header, block.transactions};
    }
    static net::FullBlock message_of(const chain::Block& block) {
        return {chain::BlockView(block)};
    }
    static net::GetData getdata_of(std::vector<net::Inventory> entries) {
        return {std::move(entries)};
    }
    /// The messages of this type.
    template <typename T>
    static std::vector<T> only(const std::vector<net::Message>& messages) {
        std::vector<T> found;
        for (const auto& message : messages) {
            if (const auto* one = std::get_if<T>(&message)) found.push_back(*one);
        }
        return found;
    }

    RegtestChain chain;
    RegtestChain other{RegtestChainOptions{.first_time = 1'500'000'000}};
};

TEST_F(BlocksFromPeers, AsksForHeadersOnlyOfNodesThatServeBlocks) {
    RegtestNode node(chain, {}, 1);
    const std::chrono::milliseconds now{0};
    node.on_message(of_full_node(), now);
    node.on_message(net::Verack{}, now);
    const auto requests = only<net::GetHeaders>(node.take_output());
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].locator.front(), chain.tip());
    EXPECT_EQ(requests[0].locator.back(), chain.block_at(0).header.hash());

    RegtestNode light(chain, {}, 1);
    light.on_message(net::Version{}, now);
    light.on_message(net::Verack{}, now);
    EXPECT_TRUE(only<net::GetHeaders>(light.take_output()).empty());
}

// Bitcoin Core: LocatorEntries.
TEST_F(BlocksFromPeers, AsksForHeadersWithALocatorThatSkipsBlocksAfterTwelve) {
    chain.mine(17);
    RegtestNode node(chain, {}, 1);
    const std::chrono::milliseconds now{0};
    node.on_message(of_full_node(), now);
    node.on_message(net::Verack{}, now);
    const auto requests = only<net::GetHeaders>(node.take_output());
    std::vector<chain::BlockHash> expected;
    for (const std::uint32_t height :
         {20U, 19U, 18U, 17U, 16U, 15U, 14U, 13U, 12U, 11U, 10U, 9U, 7U, 3U, 0U}) {
        expected.push_back(chain.block_at(height).header.hash());
    }
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].locator, expected);
}

TEST_F(BlocksFromPeers, RequestsABetterBranchSixteenBlocksAtATime) {
    RegtestPeer peer(chain, {}, of_full_node());
    peer.send(headers(1, 20));
    auto requests = only<net::GetData>(peer.received());
    ASSERT_EQ(requests.size(), 1U);
    ASSERT_EQ(requests[0].entries.size(), BlockCollector::kMaxRequested);
    EXPECT_EQ(requests[0].entries[0], witness_block(1));
    EXPECT_EQ(requests[0].entries[15], witness_block(16));
    peer.send(message_of(block(1)));
    requests = only<net::GetData>(peer.received());
    EXPECT_EQ(requests, std::vector{getdata_of({witness_block(17)})});
    const auto taken = peer.taken_blocks();
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].header, other.block_at(1).header);
}

TEST_F(BlocksFromPeers, AsksForNoBranchThatHasNoMoreWork) {
    RegtestPeer peer(chain, {}, of_full_node());
    peer.send(headers(1, 3));
    EXPECT_TRUE(peer.received().empty());
    peer.send(headers(1, 4));
    EXPECT_EQ(only<net::GetData>(peer.received()).size(), 1U);
}

TEST_F(BlocksFromPeers, AsksForALongBranchOnceItsHeadersHaveMoreWork) {
    chain.mine(2'097);
    other.mine(2'130);
    RegtestPeer peer(chain, {}, of_full_node());
    for (const std::uint32_t last : {2'050U, 2'100U, 2'101U}) {
        peer.send(headers(1, 2'000));
        const auto sent = peer.received();
        EXPECT_TRUE(only<net::GetData>(sent).empty()) << "the chain has more work so far";
        const auto requests = only<net::GetHeaders>(sent);
        ASSERT_EQ(requests.size(), 1U);
        EXPECT_EQ(requests[0].locator.front(), other.block_at(2'000).header.hash());
        peer.send(headers(2'001, last));
        const auto blocks = only<net::GetData>(peer.received());
        ASSERT_EQ(blocks.size(), last > chain.height() ? 1U : 0U);
        if (!blocks.empty()) {
            EXPECT_EQ(blocks[0].entries[0], witness_block(1));
        }
    }
}

TEST_F(BlocksFromPeers, TakesNothingThatItDidNotAskFor) {
    RegtestPeer peer(chain, {}, of_full_node());
    peer.send(message_of(block(1)));
    EXPECT_TRUE(peer.taken_blocks().empty());
}

TEST_F(BlocksFromPeers, AsksForTheHeadersOfAnUnknownBlock) {
    RegtestPeer peer(chain, {}, of_full_node());
    peer.send(net::Inv{{block_entry(other.tip())}});
    EXPECT_EQ(only<net::GetHeaders>(peer.received()).size(), 1U);
    peer.send(net::Inv{{block_entry(chain.tip())}});
    EXPECT_TRUE(peer.received().empty());
    peer.send(headers(15, 20));
    EXPECT_EQ(only<net::GetHeaders>(peer.received()).size(), 1U) << "their parent is unknown";
}

TEST_F(BlocksFromPeers, DisconnectsAPeerWithInvalidHeaders) {
    auto gap = headers(1, 5);
    gap.headers.erase(gap.headers.begin() + 2);
    auto no_work = headers(1, 1);
    no_work.headers[0].bits = 0x1d00ffff;
    for (const auto& wrong : {gap, no_work}) {
        RegtestPeer peer(chain, {}, of_full_node());
        peer.send(wrong);
        EXPECT_TRUE(peer.node.disconnect_reason());
    }
}

TEST_F(BlocksFromPeers, DisconnectsAPeerThatStalls) {
    RegtestPeer peer(chain, {}, of_full_node());
    peer.pass(std::chrono::minutes{10});
    peer.send(headers(1, 20));
    peer.received();
    peer.pass(BlockCollector::kAnswerLimit);
    EXPECT_FALSE(peer.node.disconnect_reason());
    peer.send(message_of(block(1)));
    chain.offer_block(peer.taken_blocks().at(0));
    peer.pass(BlockCollector::kAnswerLimit);
    EXPECT_FALSE(peer.node.disconnect_reason()) << "a block came meanwhile";
    peer.pass(std::chrono::milliseconds{1});
    EXPECT_EQ(peer.node.disconnect_reason(), "a block that was asked for did not come");
}

TEST_F(BlocksFromPeers, AnswersAGetDataBeforeItWaitsForABlock) {
    NodeBehaviour slow;
    slow.block_time = 2 * BlockCollector::kAnswerLimit;
    RegtestPeer peer(chain, slow, of_full_node());
    peer.send(headers(1, 20));
    peer.received();
    peer.request(net::InventoryType::witness_block, chain.tip());
    peer.send(message_of(block(1)));
    peer.pass(BlockCollector::kAnswerLimit + std::chrono::milliseconds{1});
    EXPECT_FALSE(peer.node.disconnect_reason());
    EXPECT_TRUE(peer.taken_blocks().empty());
    peer.pass(BlockCollector::kAnswerLimit);
    EXPECT_FALSE(peer.node.disconnect_reason());
    EXPECT_EQ(peer.taken_blocks().size(), 1U);
}

TEST_F(BlocksFromPeers, WaitsForNoBlockThatAnotherPeerSent) {
    RegtestPeer silent(chain, {}, of_full_node());
    RegtestPeer other_peer(chain, {}, of_full_node());
    for (auto* peer : {&silent, &other_peer}) {
        peer->send(headers(1, 5));
        EXPECT_EQ(only<net::GetData>(peer->received()).size(), 1U) << "both peers are asked";
    }
    for (std::uint32_t height = 1; height <= 5; ++height)
        other_peer.send(message_of(block(height)));
    for (auto& one : other_peer.taken_blocks()) chain.offer_block(std::move(one));
    ASSERT_EQ(chain.tip(), other.block_at(5).header.hash());
    silent.pass(2 * BlockCollector::kAnswerLimit);
    silent.pass(2 * BlockCollector::kAnswerLimit);
    EXPECT_FALSE(silent.node.disconnect_reason());
}

TEST_F(BlocksFromPeers, StopsIfThePeerLacksABlock) {
    RegtestPeer peer(chain, {}, of_full_node());
    peer.send(headers(1, 20));
    peer.received();
    peer.send(net::NotFound{{witness_block(17)}});
    peer.send(message_of(block(1)));
    EXPECT_EQ(peer.taken_blocks().size(), 1U) << "block 17 was not requested";
    peer.received();
    peer.send(net::NotFound{{witness_block(2)}});
    peer.send(message_of(block(3)));
    EXPECT_TRUE(peer.taken_blocks().empty()) << "block 2 will not come";
    EXPECT_TRUE(peer.received().empty());
    peer.pass(2 * BlockCollector::kAnswerLimit);
    EXPECT_FALSE(peer.node.disconnect_reason());
    peer.send(headers(1, 20));
    EXPECT_EQ(only<net::GetData>(peer.received()).size(), 1U);
}

TEST_F(BlocksFromPeers, AsksForTheHeadersBeforeAPushedBlock) {
    RegtestPeer peer(chain, {}, of_full_node());
    RegtestNode sender(other, {}, 2);
    sender.on_message(net::Version{}, {});
    sender.on_message(net::Verack{}, {});
    sender.take_output();
    peer.send(message_of(block(20)));
    for (bool is_moving = true; is_moving;) {
        is_moving = false;
        for (const auto& request : peer.received()) {
            sender.on_message(request, {});
            is_moving = true;
        }
        for (const auto& answer : sender.take_output()) peer.send(answer);
        for (auto& taken : peer.taken_blocks()) chain.offer_block(std::move(taken));
    }
    EXPECT_EQ(chain.tip(), other.tip());
}

TEST_F(BlocksFromPeers, AsksForNothingAfterAUselessPushedBlock) {
    RegtestPeer peer(chain, {}, of_full_node());
    auto without_work = block(20);
    while (has_regtest_work(without_work.header)) ++without_work.header.nonce;
    peer.send(message_of(without_work));
    peer.send(message_of(block(1)));  // its parent is known
    const RegtestBlock& own = chain.block_at(2);
    peer.send(message_of({own.header, own.transactions}));
    EXPECT_TRUE(peer.received().empty());
}

// The peer pushes all three blocks before the chain takes the first, which has only as much work as
// the chain.
TEST_F(BlocksFromPeers, TakesARunOfUnrequestedBlocks) {
    for (std::uint32_t height = 1; height <= 3; ++height) chain.offer_block(block(height));
    chain.mine();
    RegtestPeer peer(chain, {}, of_full_node());
    for (std::uint32_t height = 4; height <= 6; ++height) peer.send(message_of(block(height)));
    EXPECT_EQ(peer.taken_blocks(), (std::vector{block(4), block(5), block(6)}));
}

TEST_F(BlocksFromPeers, TakesFewUnrequestedBlocksOfEqualWork) {
    RegtestPeer peer(chain, {}, of_full_node());
    const RegtestBlock& tip = chain.block_at(chain.height());
    std::size_t taken = 0;
    for (std::uint32_t i = 1; i <= 2 * BlockCollector::kMaxRivals; ++i) {
        const RegtestBlock rival =
            mine_block_on(tip.header.previous, tip.header.time + i, tip.transactions, tip.txids);
        peer.send(message_of({rival.header, rival.transactions}));
        for (auto& one : peer.taken_blocks()) {
            EXPECT_EQ(chain.offer_block(std::move(one)).outcome, BlockOutcome::aside);
            ++taken;
        }
    }
    EXPECT_EQ(taken, BlockCollector::kMaxRivals);
}

TEST_F(BlocksFromPeers, TakesUnrequestedBlocksOfMoreWork) {
    RegtestPeer peer(chain, {}, of_full_node());
    peer.send(message_of(block(5)));
    peer.send(message_of(block(1)));
    EXPECT_TRUE(peer.taken_blocks().empty())
        << "block 5 has no known parent, and block 1 has less work";
    for (std::uint32_t height = 1; height <= 3; ++height) chain.offer_block(block(height));
    peer.send(message_of(block(4)));
    EXPECT_EQ(peer.taken_blocks(), std::vector{block(4)});
    chain.offer_block(block(4));
    peer.send(message_of(block(4)));
    EXPECT_TRUE(peer.taken_blocks().empty()) << "the block is known";
}

TEST_F(BlocksFromPeers, AcceptsNoMoreWhileManyBytesOfBlocksWait) {
    RegtestPeer peer(chain, {}, of_full_node());
    chain.mine();
    chain::Block next = block(1);
    next.header.previous = chain.tip();
    next.transactions[0].outputs[0].script_pubkey.resize(1'000'000);
    for (int i = 0; i < 4; ++i) peer.send(message_of(next));
    EXPECT_TRUE(peer.node.accepts_input());
    peer.send(message_of(next));
    EXPECT_FALSE(peer.node.accepts_input());
    peer.taken_blocks();
    EXPECT_TRUE(peer.node.accepts_input());
}

TEST_F(BlocksFromPeers, DoesNotRequestAnInvalidBlockAgain) {
    other.mine_block({}, script(1));
    auto bad = block(21);
    bad.transactions[0].outputs[0].value += 1;
    bad.header.merkle_root.bytes = bad.transactions[0].txid().bytes;
    while (!has_regtest_work(bad.header)) ++bad.header.nonce;
    for (std::uint32_t height = 1; height <= 20; ++height) {
        chain.offer_block(block(height));
    }
    EXPECT_EQ(chain.offer_block(bad).reason, "bad-cb-amount");
    RegtestPeer peer(chain, {}, of_full_node());
    peer.send(net::Headers{{bad.header}});
    EXPECT_TRUE(peer.received().empty());
}

TEST_F(BlocksFromPeers, ShowsTheHeightOfAPeer) {
    RegtestPeer peer(chain, {}, of_full_node());
    const auto record = [&peer] {
        PeerRecord shown;
        peer.node.describe_peer(shown, peer.now);
        return shown;
    };
    EXPECT_FALSE(record().blocks.known_height);
    peer.send(net::Inv{{block_entry(chain.block_at(2).header.hash())}});
    EXPECT_EQ(record().blocks.known_height, 2U);
    peer.send(net::Inv{{block_entry(chain.block_at(1).header.hash())}});
    EXPECT_EQ(record().blocks.known_height, 2U) << "the peer had a higher block";
    peer.send(headers(1, 5));
    EXPECT_EQ(record().blocks.requested_heights, (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
    peer.send(message_of(block(1)));
    EXPECT_EQ(record().blocks.requested_heights, (std::vector<std::uint32_t>{2, 3, 4, 5}));
    for (std::uint32_t height = 2; height <= 5; ++height) peer.send(message_of(block(height)));
    auto blocks = peer.taken_blocks();
    for (std::size_t i = 0; i < 3; ++i) chain.offer_block(std::move(blocks[i]));
    EXPECT_EQ(record().blocks.known_height, 2U) << "block 5 is not known yet";
    chain.mine();  // makes the first branch the active one
    for (std::size_t i = 3; i < 5; ++i) chain.offer_block(std::move(blocks[i]));
    EXPECT_EQ(record().blocks.known_height, 5U);
    EXPECT_EQ(record().blocks.common_height, 5U);
    chain.invalidate(other.block_at(4).header.hash());
    EXPECT_EQ(record().blocks.common_height, 0U) << "the branches fork at the genesis block";
}

TEST_F(BlocksFromPeers, ShowsItsPings) {
    RegtestNode node(chain, {}, 1);
    node.on_message(of_full_node(), std::chrono::milliseconds{0});
    node.on_message(net::Verack{}, std::chrono::milliseconds{10});
    const auto pings = only<net::Ping>(node.take_output());
    ASSERT_EQ(pings.size(), 1U);
    PeerRecord record;
    node.describe_peer(record, std::chrono::milliseconds{40});
    EXPECT_EQ(record.pings.wait, std::chrono::milliseconds{30});
    EXPECT_FALSE(record.pings.last);
    node.on_message(net::Pong{pings[0].nonce}, std::chrono::milliseconds{60});
    node.on_message(net::SendCompact{true, 2}, std::chrono::milliseconds{60});
    node.describe_peer(record, std::chrono::milliseconds{70});
    EXPECT_FALSE(record.pings.wait);
    EXPECT_EQ(record.pings.last, std::chrono::milliseconds{50});
    EXPECT_EQ(record.pings.least, std::chrono::milliseconds{50});
    EXPECT_TRUE(record.blocks.wants_compact);
}

TEST_F(BlocksFromPeers, AnnouncesNoBlockToThePeerThatSentIt) {
    RegtestPeer peer(chain, {}, of_full_node());
    RegtestPeer third(chain);
    peer.send(headers(1, 4));
    peer.received();
    for (std::uint32_t height = 1; height <= 4; ++height) peer.send(message_of(block(height)));
    for (auto& one : peer.taken_blocks()) chain.offer_block(std::move(one));
    EXPECT_EQ(chain.height(), 4U);
    EXPECT_TRUE(peer.received().empty());
    EXPECT_EQ(third.received(), one_inv(block_entry(chain.tip())));
}

TEST_F(BlocksFromPeers, SendsVersionFirstOnAnOutboundConnection) {
    RegtestNode node(chain, {}, 77);
    const std::chrono::milliseconds now{0};
    node.greet(now);
    auto sent = node.take_output();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(std::get<net::Version>(sent[0]).nonce, 77U);
    node.on_message(of_full_node(), now);
    EXPECT_TRUE(only<net::Version>(node.take_output()).empty())
        << "the node has sent its version already";
    RegtestNode itself(chain, {}, 77);
    itself.on_message(std::get<net::Version>(sent[0]), now);
    EXPECT_TRUE(itself.disconnect_reason());
}

TEST_F(BlocksFromPeers, SaysNothingOnceItIsSilent) {
    NodeBehaviour silent;
    silent.silent_after = 0;
    RegtestPeer peer(chain, silent);
    peer.send(net::Ping{1});
    chain.mine();
    EXPECT_TRUE(peer.received().empty());
    EXPECT_FALSE(peer.node.peer_version());
    silent.silent_after = 3;
    RegtestPeer later(chain, silent);
    later.send(net::Ping{1});
    EXPECT_EQ(later.received().size(), 1U) << "the third message is answered";
    later.send(net::Ping{2});
    EXPECT_TRUE(later.received().empty());
    EXPECT_FALSE(later.node.disconnect_reason());
}

TEST_F(BlocksFromPeers, HangsUpAfterTheSetNumberOfMessages) {
    NodeBehaviour rude;
    rude.hangs_up_after = 3;
    RegtestPeer peer(chain, rude);
    peer.send(net::Ping{1});
    EXPECT_FALSE(peer.node.disconnect_reason());
    peer.send(net::Ping{2});
    EXPECT_TRUE(peer.node.disconnect_reason());
}

}  // namespace
}  // namespace petal::regtest
