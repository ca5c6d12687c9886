// Blocks that the watcher shows to be invalid, and the peers that served them.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/hand_driven_network.h"
#include "tests/support/list_watcher.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using test::ListWatcher;

/// Says of a block that it repeats a transaction of another.
struct JudgingWatcher : ListWatcher {
    using Watcher::apply;
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::StateAfter& state_after) override {
        chain::ApplyResult result = ListWatcher::apply(blocks, state_after);
        for (const auto& block : blocks) {
            if (invalid && block.block.height == at) result.invalid_blocks.push_back(*invalid);
        }
        return result;
    }
    void undo_to(const chain::BlockRef& fork) override {
        ListWatcher::undo_to(fork);
        undone.push_back(fork.height);
    }
    std::vector<std::uint32_t> undone;
    std::optional<chain::InvalidBlock> invalid;  ///< noticed when a block of this height comes
    std::uint32_t at = 0;
};

class ServersOfInvalidBlocks : public testing::Test {
protected:
    ServersOfInvalidBlocks() {
        chain.mine(120);
        watcher.set_birthday({100, 0});
    }

    chain::BlockRef block(std::uint32_t height) const {
        return {height, chain.block_at(height).header.hash()};
    }
    /// A chain that has this number of other blocks above `fork`.
    static regtest::RegtestChain make_branch(std::uint32_t fork, std::uint32_t blocks) {
        regtest::RegtestChain branch;
        branch.mine(fork);
        branch.mine_block({}, ListWatcher::script(1));
        branch.mine(blocks - 1);
        return branch;
    }
    void judge(const chain::BlockRef& invalid, const chain::BlockRef& earlier, std::uint32_t at) {
        watcher.invalid = chain::InvalidBlock{invalid, {}, earlier, {}};
        watcher.at = at;
    }
    void begin(const SyncOptions& options = {}) {
        engine.emplace(headers, watcher, options);
        network.emplace(*engine);
        engine->events.on_invalid_block = [this](const chain::InvalidBlock& each) {
            told.push_back(each);
        };
    }
    void run(PeerId peer) {
        for (int i = 0; i < 60; ++i) {
            network->deliver_all(peer);
            network->advance(milliseconds{250});
        }
    }
    std::optional<DisconnectReason> end_of(PeerId peer) const {
        return find_report(engine->status().peers, peer)->ended;
    }

    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    JudgingWatcher watcher;
    std::optional<SyncEngine> engine;
    std::optional<test::HandDrivenNetwork> network;
    std::vector<chain::InvalidBlock> told;
};

TEST_F(ServersOfInvalidBlocks, CostTheirServerItsConnectionAndItsOtherBlocksTheirTrust) {
    judge(block(115), block(104), 115);
    begin();
    const auto liar = network->connect(chain);
    run(liar);
    EXPECT_EQ(end_of(liar), DisconnectReason::invalid_block);
    EXPECT_EQ(find_report(engine->status().peers, liar)->misbehaviour, 1U);
    EXPECT_EQ(told, std::vector{*watcher.invalid});
    EXPECT_FALSE(engine->finished());
    EXPECT_LT(watcher.sync_state().synced->height, 104U)
        << "no other process must trust the blocks";
    EXPECT_EQ(engine->status().header_height, 114U);

    const regtest::RegtestChain honest = make_branch(114, 3);
    const auto other = network->connect(honest);
    run(other);
    EXPECT_TRUE(engine->finished());
    EXPECT_EQ(watcher.sync_state().synced->hash, honest.tip());
    EXPECT_EQ(engine->status().counts.filtered_blocks, 21U + 15U + 3U) << "100 to 114 came again";
}

// Its descendants have more work than the other branch, and come after it was found to be invalid.
TEST_F(ServersOfInvalidBlocks, CountNoLongerNorDoTheirDescendants) {
    chain.mine(6, ListWatcher::script(2));
    judge(block(121), block(104), 121);
    SyncOptions follow;
    follow.wait_unconfirmed = SyncOptions::kForever;
    follow.expected_peers = 3;
    begin(follow);
    const auto liar = network->connect(chain);
    run(liar);
    ASSERT_EQ(end_of(liar), DisconnectReason::invalid_block);
    EXPECT_EQ(headers.tip(), block(120));
    EXPECT_EQ(watcher.undone, std::vector<std::uint32_t>{120});
    EXPECT_EQ(engine->status().counts.reorgs, 1U);

    // It has the headers only. It is not blamed for a branch that it does not know to be invalid.
    const auto follower = network->connect(chain);
    run(follower);
    EXPECT_FALSE(network->is_dropped(follower));
    EXPECT_FALSE(find_report(engine->status().peers, follower)->on_best_chain.value_or(true));

    const regtest::RegtestChain honest = make_branch(120, 2);
    const auto other = network->connect(honest);
    run(other);
    EXPECT_EQ(watcher.sync_state().synced->hash, honest.tip());

    chain.mine(1);
    run(follower);
    EXPECT_EQ(end_of(follower), DisconnectReason::invalid_header);
    EXPECT_EQ(headers.tip().hash, honest.tip());
    EXPECT_EQ(told.size(), 1U);
}

// No block of the other branch has arrived.
TEST_F(ServersOfInvalidBlocks, AreUndoneAtOnce) {
    chain.mine(6, ListWatcher::script(2));
    const regtest::RegtestChain other = make_branch(120, 3);
    for (std::uint32_t height = 1; height <= 123; ++height) {
        headers.accept({{other.block_at(height).header}}, test::SimulatedNetwork::kStartTime);
    }
    judge(block(121), block(104), 121);
    begin();
    run(network->connect(chain));
    EXPECT_EQ(headers.tip().hash, other.tip());
    EXPECT_EQ(watcher.undone, std::vector<std::uint32_t>{120});
}

// A later process asks for the block again: nothing is stored.
TEST_F(ServersOfInvalidBlocks, CountAgainAfterARestart) {
    judge(block(115), block(104), 115);
    begin();
    run(network->connect(chain));
    ASSERT_EQ(headers.tip(), block(114));
    chain::HeaderChain stored{*chain::find_network("regtest")};
    for (std::uint32_t height = 1; height <= 120; ++height) {
        stored.accept({{chain.block_at(height).header}}, test::SimulatedNetwork::kStartTime);
    }
    headers = std::move(stored);
    begin();
    EXPECT_EQ(headers.tip(), block(120));
    const auto again = network->connect(chain);
    run(again);
    EXPECT_EQ(end_of(again), DisconnectReason::invalid_block);
    EXPECT_EQ(headers.tip(), block(114));
    EXPECT_EQ(told.size(), 2U);
}

// Another peer has served the later of the two blocks.
TEST_F(ServersOfInvalidBlocks, CostTheServerOfTheEarlierBlockNothing) {
    begin();
    const auto first = network->connect(chain);
    run(first);
    ASSERT_TRUE(engine->finished());
    chain.mine(5);
    judge(block(124), block(104), 124);
    SyncOptions follow;
    follow.wait_unconfirmed = SyncOptions::kForever;
    begin(follow);
    const auto second = network->connect(chain);
    run(second);
    EXPECT_EQ(end_of(second), DisconnectReason::invalid_block);
    EXPECT_EQ(told.size(), 1U);
}

// What is above the synced block may have left the chain unnoticed.
TEST_F(ServersOfInvalidBlocks, OffTheBestChainProveNothing) {
    chain::BlockRef gone = block(115);
    gone.hash.bytes[0] ^= 1;
    for (const auto& [invalid, earlier] :
         {std::pair{gone, block(104)}, std::pair{block(115), gone}}) {
        judge(invalid, earlier, 110);
        watcher.rescan();
        begin();
        const auto peer = network->connect(chain);
        run(peer);
        EXPECT_TRUE(engine->finished());
        EXPECT_TRUE(told.empty());
        EXPECT_NE(end_of(peer), DisconnectReason::invalid_block);
    }
}

// An honest peer has served another block of this height, on the branch that was left.
TEST_F(ServersOfInvalidBlocks, AreNotThoseOfTheBranchBefore) {
    SyncOptions follow;
    follow.wait_unconfirmed = SyncOptions::kForever;
    begin(follow);
    const auto honest = network->connect(chain);
    run(honest);
    const regtest::RegtestChain branch = make_branch(118, 5);
    judge({120, branch.block_at(120).header.hash()}, block(104), 120);
    const auto liar = network->connect(branch);
    run(liar);
    EXPECT_EQ(engine->status().counts.headers, 125U);
    EXPECT_EQ(end_of(liar), DisconnectReason::invalid_block);
    EXPECT_FALSE(network->is_dropped(honest));
}

}  // namespace
}  // namespace petal::net
