#include "net/sync/blocks/held_blocks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "net/sync/blocks/scan.h"
#include "tests/support/list_watcher.h"
#include "tests/support/test_chain.h"

namespace petal::net {
namespace {

chain::ProvenBlock block_with(chain::MerkleBranch branch) {
    chain::ProvenBlock block;
    block.block.height = 1;
    block.transactions.push_back({0, {}, {}, std::move(branch)});
    return block;
}

// Otherwise a peer that matches whole blocks could make the wallet hold more memory than is
// counted.
TEST(HeldBlocks, CountMerkleBranches) {
    HeldBlocks without;
    without.add(block_with({}));
    HeldBlocks with;
    with.add(block_with(chain::MerkleBranch(14)));
    EXPECT_EQ(with.bytes(), without.bytes() + 14 * 32);
    with.take_ready();
    EXPECT_EQ(with.bytes(), 0U);
}

/// A slow peer owes the first block. Each block that a fast peer sends has a megabyte of matches,
/// and 6.5 MB may be held.
class HeldBlocksMemory : public testing::Test {
protected:
    using Heights = std::vector<std::uint32_t>;
    static constexpr PeerId kSlow = 1;
    static constexpr PeerId kFast = 2;

    HeldBlocksMemory() {
        headers.accept(test::mine_headers(test::regtest_params().genesis, 30), test::kNow);
        EXPECT_TRUE(scan.align(/*headers_complete=*/true));
        EXPECT_EQ(take(kSlow, 1), (Heights{1}));
    }

    Heights take(PeerId peer, std::size_t max) {
        Heights heights;
        const auto any = [](std::uint32_t) { return true; };
        for (const auto& block : scan.take(peer, max, 30, any, {})) heights.push_back(block.height);
        return heights;
    }
    Delivery delivery(std::uint32_t height, std::size_t bytes = 1'000'000) {
        Delivery delivery;
        delivery.block.block = {height, headers.hash_at(height)};
        delivery.block.header = headers.header_at(height);
        chain::Transaction match;
        match.inputs.push_back({{{}, height}, chain::Bytes(bytes), 0, {}});
        match.outputs = {{1'000, test::ListWatcher::script(0)}};
        delivery.block.transactions.push_back({1, match.txid(), match});
        return delivery;
    }
    bool is_held(std::uint32_t height) { return scan.held().blocks().contains(height); }
    void deliver(std::uint32_t first, std::uint32_t last) {
        for (; first <= last; ++first) scan.deliver(delivery(first));
    }

    chain::HeaderChain headers{test::regtest_params()};
    test::ListWatcher watcher;
    CheckpointKeeper keeper{headers, watcher, std::nullopt};
    Scan scan{headers, watcher, keeper, 6'500'000};
};

TEST_F(HeldBlocksMemory, LimitsHowFarAheadBlocksAreRequested) {
    take(kFast, 5);
    deliver(2, 5);
    EXPECT_EQ(take(kFast, 1), (Heights{7})) << "4 MB wait";
    deliver(6, 6);
    EXPECT_EQ(take(kFast, 1), Heights{});
    EXPECT_EQ(take(kSlow, 1), Heights{});
    scan.on_lost(kFast, {7});
    EXPECT_EQ(take(kFast, 1), Heights{});
    deliver(1, 1);
    scan.apply();
    EXPECT_EQ(take(kFast, 2), (Heights{7, 8}));
}

// One peer is disconnected that owes many: each may take the place of a higher block.
TEST_F(HeldBlocksMemory, LeavesRoomForAllBlocksBelowThoseThatWait) {
    const Heights owed = take(kSlow, 9);
    take(kFast, 5);
    deliver(11, 15);
    scan.on_lost(kSlow, owed);
    EXPECT_EQ(take(kFast, 20), owed);
}

// The blocks were in flight when the limit was reached.
TEST_F(HeldBlocksMemory, IsNeverAboveItsLimit) {
    take(kFast, 29);
    deliver(20, 30);
    EXPECT_LE(scan.held().bytes(), 6'500'000U);
    EXPECT_TRUE(is_held(20));
    deliver(2, 19);
    EXPECT_LE(scan.held().bytes(), 6'500'000U);
    EXPECT_TRUE(is_held(7)) << "the lowest blocks are kept";
    EXPECT_FALSE(is_held(8));
}

// Otherwise they would be sent and dropped again for as long as the lowest block is awaited.
TEST_F(HeldBlocksMemory, DroppedBlocksAreRequestedAgainAfterTheLowestHasArrived) {
    take(kFast, 9);
    deliver(2, 3);
    scan.deliver(delivery(10, 5'000'000));
    ASSERT_FALSE(is_held(10));
    EXPECT_EQ(take(kFast, 2), Heights{});
    scan.on_lost(kSlow, {1});
    EXPECT_EQ(take(kFast, 2), (Heights{1})) << "any peer may be asked for the lowest";
    deliver(1, 1);
    EXPECT_EQ(take(kFast, 2), (Heights{10, 11}));
}

// It may lack what the first answer held, and be applied alone.
TEST_F(HeldBlocksMemory, HasNoSecondAnswerForADroppedBlock) {
    take(kFast, 2);
    scan.deliver(delivery(3, 7'000'000));
    ASSERT_FALSE(is_held(3));
    scan.deliver_more(delivery(3));
    EXPECT_FALSE(is_held(3));
    take(kFast, 2);
    scan.deliver_more(delivery(3));
    EXPECT_FALSE(is_held(3)) << "it was requested again";
}

}  // namespace
}  // namespace petal::net
