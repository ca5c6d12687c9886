// Pruned nodes (BIP159), in simulated time: they serve the last 288 blocks.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using net::DisconnectReason;
using net::MatchSourceKind;
using regtest::NodeBehaviour;
using std::chrono::milliseconds;
using test::ListWatcher;
using test::SimulatedNetwork;

constexpr std::int64_t kBlockSeconds = 600;

NodeBehaviour full_node() {
    NodeBehaviour behaviour;
    behaviour.block_time = milliseconds{1};
    behaviour.lag = milliseconds{5};
    return behaviour;
}

NodeBehaviour pruned_node() {
    NodeBehaviour behaviour = full_node();
    behaviour.services &= ~net::kNodeNetwork;
    return behaviour;
}

class PrunedPeers : public testing::Test {
protected:
    /// first_time   of the chain's first block. 0: long ago
    explicit PrunedPeers(std::int64_t first_time = 0) : chain{{.first_time = first_time}} {
        chain.mine(500);
    }

    net::SyncOptions options(bool has_substitutes = false) const {
        net::SyncOptions options;
        options.expected_peers = 2;
        options.has_substitutes = has_substitutes;
        options.blocks.source = source;
        return options;
    }
    void sync_with_full_node() {
        net::SyncEngine engine(headers, watcher, options());
        SimulatedNetwork network(engine);
        network.connect(chain, full_node());
        ASSERT_TRUE(network.run());
    }

    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    MatchSourceKind source = MatchSourceKind::filtered_blocks;
};

TEST_F(PrunedPeers, ServeWhatAWalletLacksOfTheLastBlocks) {
    for (const auto kind : {MatchSourceKind::filtered_blocks, MatchSourceKind::compact_filters,
                            MatchSourceKind::full_blocks}) {
        source = kind;
        sync_with_full_node();
        test::pay_and_sweep(chain, ListWatcher::script(1), 3);
        chain.mine(288 - 4);
        net::SyncEngine engine(headers, watcher, options());
        SimulatedNetwork network(engine);
        const auto pruned = network.connect(chain, pruned_node());
        EXPECT_TRUE(network.run());
        EXPECT_FALSE(network.dropped(pruned));
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
        EXPECT_EQ(watcher.knowledge(), test::read_whole_chain(chain, watcher.watched()));
    }
}

TEST_F(PrunedPeers, CloseTheConnectionIfAskedForOlderBlocks) {
    net::SyncEngine engine(headers, watcher, options());
    SimulatedNetwork network(engine);
    const auto pruned = network.connect(chain, pruned_node());
    EXPECT_FALSE(network.run());
    EXPECT_FALSE(network.is_open(pruned));
    EXPECT_EQ(engine.status().peers.front().ended, DisconnectReason::pruned);
}

/// A network of pruned nodes that give this peer the permission noban (Bitcoin Core): they send the
/// blocks that they have, and skip the others.
class PermissiveNodes final : public SimulatedNetwork {
public:
    using SimulatedNetwork::SimulatedNetwork;
    std::optional<chain::BlockHash> skipped;

private:
    void deliver(net::PeerId peer, net::Message message) override {
        if (auto* const version = std::get_if<net::Version>(&message)) {
            version->services &= ~net::kNodeNetwork;
        }
        const auto* const block = std::get_if<net::MerkleBlock>(&message);
        if (block != nullptr && skipped == block->header.hash()) return;
        SimulatedNetwork::deliver(peer, std::move(message));
    }
};

TEST_F(PrunedPeers, AreAskedForOlderBlocksIfNoOtherNodeIsThere) {
    net::SyncEngine engine(headers, watcher, options());
    PermissiveNodes network(engine);
    network.connect(chain, full_node());
    EXPECT_TRUE(network.run());
    EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
}

TEST_F(PrunedPeers, AreNotBlamedForBlocksThatTheySkip) {
    net::SyncEngine engine(headers, watcher, options());
    PermissiveNodes network(engine);
    network.skipped = chain.block_at(7).header.hash();
    const auto pruned = network.connect(chain, full_node());
    EXPECT_FALSE(network.run());
    EXPECT_EQ(network.dropped(pruned), DisconnectReason::pruned);
    EXPECT_EQ(engine.status().peers.front().misbehaviour, 0U);
}

TEST_F(PrunedPeers, AreAskedForNoOlderBlocksBesideAFullNode) {
    test::pay_and_sweep(chain, ListWatcher::script(1), 3);
    net::SyncEngine engine(headers, watcher, options());
    SimulatedNetwork network(engine);
    NodeBehaviour slow = full_node();
    slow.block_time = milliseconds{20};
    const auto full = network.connect(chain, slow);
    const auto pruned = network.connect(chain, pruned_node());
    EXPECT_TRUE(network.run());
    EXPECT_FALSE(network.dropped(full));
    EXPECT_TRUE(network.is_open(pruned));
    EXPECT_FALSE(network.dropped(pruned));
    const net::PeerReport* const report = net::find_report(engine.status().peers, pruned);
    ASSERT_NE(report, nullptr);
    EXPECT_GT(report->blocks, 50U) << "of the last ones";
    EXPECT_LE(report->blocks, 288U);
    EXPECT_EQ(watcher.knowledge(), test::read_whole_chain(chain, watcher.watched()));
}

/// The last block is ten minutes old.
class PrunedStrangers : public PrunedPeers {
protected:
    PrunedStrangers() : PrunedPeers(SimulatedNetwork::kStartTime - 500 * kBlockSeconds) {}
};

TEST_F(PrunedStrangers, AreUsedOnlyForRecentBlocks) {
    const auto dropped = [&](std::uint32_t missing) {
        net::SyncEngine engine(headers, watcher, options(/*has_substitutes=*/true));
        SimulatedNetwork network(engine);
        chain.mine(missing);
        network.sleep(std::chrono::seconds{(chain.height() - 500) * kBlockSeconds});
        const auto pruned = network.connect(chain, pruned_node());
        network.run_for(milliseconds{1'000});
        return network.dropped(pruned);
    };
    EXPECT_EQ(dropped(0), DisconnectReason::pruned) << "of a new wallet";
    sync_with_full_node();
    EXPECT_EQ(dropped(100), std::nullopt);
    EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
    EXPECT_EQ(dropped(145), DisconnectReason::pruned) << "a day's reorganisation would be too much";
}

// Blocks may come faster than expected.
TEST_F(PrunedStrangers, AreLeftIfOlderBlocksAreNeeded) {
    sync_with_full_node();
    chain.set_time(SimulatedNetwork::kStartTime);
    chain.mine(400);
    net::SyncEngine engine(headers, watcher, options(/*has_substitutes=*/true));
    SimulatedNetwork network(engine);
    const auto pruned = network.connect(chain, pruned_node());
    EXPECT_FALSE(network.run());
    EXPECT_EQ(network.dropped(pruned), DisconnectReason::pruned);
    EXPECT_EQ(network.sent(pruned).count("getdata"), 0U);
}

}  // namespace
}  // namespace petal
