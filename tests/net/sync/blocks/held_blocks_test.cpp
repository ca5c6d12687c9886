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
TEST(HeldBlocksMemory, CountsMerkleBranches) {
    HeldBlocks without;
    without.add(block_with({}));
    HeldBlocks with;
    with.add(block_with(chain::MerkleBranch(14)));
    EXPECT_EQ(with.bytes(), without.bytes() + 14 * 32);
    with.take_ready();
    EXPECT_EQ(with.bytes(), 0U);
}

// A slow peer owes the first block. Each block that a fast peer sends has a megabyte of matches.
TEST(HeldBlocksMemory, IsBoundedWhileALowerBlockIsAwaited) {
    constexpr PeerId kSlow = 1;
    constexpr PeerId kFast = 2;
    constexpr std::uint32_t kBlocks = 30;
    chain::HeaderChain headers(test::regtest());
    headers.accept(test::mine_headers(test::regtest().genesis, kBlocks), test::kNow);
    test::ListWatcher watcher;
    CheckpointKeeper keeper(headers, watcher, std::nullopt);
    Scan scan(headers, watcher, keeper);
    ASSERT_TRUE(scan.align(/*headers_complete=*/true));
    const auto take = [&](PeerId peer, std::size_t max) {
        return scan.take(peer, max, kBlocks, std::chrono::milliseconds{0});
    };
    const auto deliver = [&](std::uint32_t height) {
        Delivery delivery;
        delivery.block.block = {height, headers.hash_at(height)};
        delivery.block.header = headers.header_at(height);
        chain::Transaction match;
        match.inputs.push_back({{{}, height}, chain::Bytes(1'000'000), 0, {}});
        match.outputs = {{1'000, test::ListWatcher::script(0)}};
        delivery.block.transactions.push_back({1, match.txid(), match});
        scan.deliver(std::move(delivery));
    };
    ASSERT_EQ(take(kSlow, 1).size(), 1U);
    ASSERT_EQ(take(kFast, 16).size(), 16U);
    for (std::uint32_t height = 2; height <= 16; ++height) deliver(height);
    EXPECT_EQ(take(kFast, 1).size(), 1U) << "15 MB wait";
    deliver(17);
    EXPECT_TRUE(take(kFast, 1).empty());
    EXPECT_TRUE(take(kSlow, 1).empty());
    deliver(1);
    scan.apply();
    EXPECT_EQ(take(kFast, 1).size(), 1U);
}

}  // namespace
}  // namespace petal::net
