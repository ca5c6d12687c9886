// Chains with too little work never reach the watcher, whichever peer sends them.
#include <gtest/gtest.h>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"

namespace petal {
namespace {

using net::DisconnectReason;
using regtest::RegtestChain;
using std::chrono::seconds;
using test::ListWatcher;

constexpr std::uint32_t kHeavyBlocks = 600;

/// Each block here has the work of two hashes, so work can be counted in blocks.
chain::Uint256 work_of(std::uint32_t blocks) {
    return chain::Uint256(2) * (blocks + 1);
}

/// A network with a minimum chainwork of 500 blocks, an honest chain of 600 blocks, and a
/// fabricated chain that pays the watcher.
class LowWork : public testing::Test {
protected:
    LowWork() {
        network.minimum_chainwork = work_of(500);
        honest.mine(kHeavyBlocks - 1, ListWatcher::script(1));
        honest.mine();
        lie.mine(3, ListWatcher::script(0));
    }

    /// Syncs the headers and the watcher to the present end of the honest chain.
    void sync_honestly() {
        net::SyncEngine engine(headers, watcher, {});
        test::SimulatedNetwork peers(engine);
        peers.connect(honest);
        ASSERT_TRUE(peers.run());
        ASSERT_EQ(watcher.sync_state().synced->hash, honest.tip());
    }

    /// Expects that a sync from this chain alone ends because of its low work, and changes nothing.
    void expect_refused(const regtest::RegtestChain& chain, chain::HeaderChain& known,
                        const net::SyncOptions& options = {},
                        DisconnectReason reason = DisconnectReason::low_work) {
        const auto before = watcher.knowledge();
        const auto synced = watcher.sync_state().synced;
        net::SyncEngine engine(known, watcher, options);
        test::SimulatedNetwork peers(engine);
        const auto liar = peers.connect(chain);
        peers.run_for(seconds{10});
        EXPECT_EQ(engine.status().stall_reason, reason == DisconnectReason::low_work
                                                    ? net::StallReason::low_work
                                                    : net::StallReason::lighter_chain);
        EXPECT_FALSE(peers.run());
        EXPECT_EQ(peers.dropped(liar), reason);
        EXPECT_EQ(watcher.knowledge(), before);
        EXPECT_EQ(watcher.sync_state().synced, synced);
        EXPECT_EQ(engine.status().counts.filtered_blocks, 0U) << "the peer was sent no filter";
        EXPECT_EQ(engine.status().counts.reorgs, 0U);
    }

    /// Expects that the same chain changes nothing beside an honest peer, which serves everything.
    void expect_ignored(const regtest::RegtestChain& chain, chain::HeaderChain& known,
                        const net::SyncOptions& options = {}) {
        net::SyncEngine engine(known, watcher, options);
        test::SimulatedNetwork peers(engine);
        peers.connect(chain);
        peers.connect(honest);
        EXPECT_TRUE(peers.run());
        test::Knowledge confirmed = watcher.knowledge();
        std::erase_if(confirmed, [](const auto& entry) { return !entry.second; });
        EXPECT_EQ(confirmed, test::read_whole_chain(honest, watcher.watched()));
        EXPECT_EQ(watcher.sync_state().synced->hash, honest.tip());
    }

    chain::NetworkParams network = *chain::find_network("regtest");
    chain::HeaderChain headers{network};
    regtest::RegtestChain honest;
    regtest::RegtestChain lie;
    ListWatcher watcher;
};

TEST_F(LowWork, OfThreeBlocksShowsNoPayment) {
    expect_refused(lie, headers);
    EXPECT_TRUE(watcher.knowledge().empty());
    EXPECT_EQ(headers.tip().height, 0U);
    expect_ignored(lie, headers);
}

TEST_F(LowWork, IsAcceptedOnlyIfTheUserAllowsIt) {
    net::SyncOptions options;
    options.threshold.minimum_chainwork = 0;
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork peers(engine);
    peers.connect(lie);
    EXPECT_TRUE(peers.run());
    EXPECT_EQ(watcher.knowledge().size(), 3U);
    EXPECT_FALSE(headers.has_minimum_chainwork());
    EXPECT_FALSE(headers.has_minimum_chainwork(watcher.sync_state().synced->hash));
    // Headers stored with that option do not count without it, and are replaced once the honest
    // chain comes.
    ListWatcher another;
    net::SyncEngine next(headers, another, {});
    test::SimulatedNetwork again(next);
    again.connect(lie);
    EXPECT_FALSE(again.run());
    EXPECT_TRUE(another.knowledge().empty());
    EXPECT_FALSE(another.sync_state().synced.has_value());
    expect_ignored(lie, headers);
}

TEST_F(LowWork, MayBeRaisedByTheUser) {
    net::SyncOptions options;
    options.threshold.minimum_chainwork = work_of(kHeavyBlocks) + 1;
    expect_refused(honest, headers, options);
}

TEST_F(LowWork, OfHalfTheChainDoesNotChangeASyncedWatcher) {
    sync_honestly();
    regtest::RegtestChain half;
    half.mine(kHeavyBlocks / 2, ListWatcher::script(0));
    expect_refused(half, headers, {}, DisconnectReason::lesser_branch);
    expect_ignored(half, headers);
}

// The peer hides the upper half of its chain, or is not synced.
TEST_F(LowWork, OfTheFirstHalfIsNotTheEnd) {
    regtest::RegtestChain first_half;
    first_half.mine(kHeavyBlocks / 2, ListWatcher::script(1));
    sync_honestly();
    expect_refused(first_half, headers);
}

// The headers are fetched again from a lower block, while the better chain is stored on disk.
TEST_F(LowWork, BelowTheStoredHeadersDoesNotChangeTheWatcher) {
    network.minimum_chainwork = 0;
    regtest::RegtestChain start;
    start.mine(250, ListWatcher::script(1));
    {
        net::SyncEngine engine(headers, watcher, {});
        test::SimulatedNetwork peers(engine);
        peers.connect(start);
        ASSERT_TRUE(peers.run());
    }
    net::SyncOptions options;
    options.threshold.stored_chainwork = work_of(kHeavyBlocks);
    regtest::RegtestChain half;
    half.mine(kHeavyBlocks / 2, ListWatcher::script(0));  // higher than the watcher's synced block
    chain::HeaderChain lower{network};
    expect_refused(half, lower, options);
    EXPECT_EQ(lower.tip().height, 0U);
    // The same holds if its headers are stored already, as after an earlier run with
    // --minimum-chainwork 0.
    std::vector<chain::BlockHeader> known;
    for (std::uint32_t height = 1; height <= half.height(); ++height) {
        known.push_back(half.block_at(height).header);
    }
    ASSERT_EQ(lower.accept(known, 1'700'000'000).added, known.size());
    expect_refused(half, lower, options);
    {
        ListWatcher fresh;
        net::SyncEngine engine(lower, fresh, options);
        test::SimulatedNetwork peers(engine);
        peers.connect(half);
        EXPECT_FALSE(peers.run());
        EXPECT_TRUE(fresh.knowledge().empty());
    }
    expect_ignored(half, lower, options);
}

TEST_F(LowWork, OfAPeerAFewBlocksBehindIsAllowed) {
    sync_honestly();
    regtest::RegtestChain behind;
    behind.mine(kHeavyBlocks - 100, ListWatcher::script(1));
    net::SyncEngine engine(headers, watcher, {});
    test::SimulatedNetwork peers(engine);
    peers.connect(behind);
    EXPECT_TRUE(peers.run());
    EXPECT_EQ(engine.status().stall_reason, net::StallReason::lighter_chain);
    EXPECT_EQ(engine.status().other_chain, std::nullopt) << "its blocks are on the best chain";
    EXPECT_EQ(engine.status().peers.at(0).on_best_chain, true);
}

TEST_F(LowWork, OfTheOnlyPeersBranchEndsTheSync) {
    sync_honestly();
    regtest::RegtestChain branch;
    branch.mine(kHeavyBlocks - 100, ListWatcher::script(1));
    branch.mine(50, ListWatcher::script(2));
    for (const bool has_honest_peer : {false, true}) {
        net::SyncEngine engine(headers, watcher, {});
        test::SimulatedNetwork peers(engine);
        const auto other = peers.connect(branch);
        if (has_honest_peer) peers.connect(honest);
        EXPECT_EQ(peers.run(), has_honest_peer);
        const auto& reports = engine.status().peers;
        EXPECT_EQ(reports.at(0).on_best_chain, false);
        EXPECT_EQ(watcher.sync_state().synced->hash, honest.tip());
        if (has_honest_peer) {
            EXPECT_EQ(reports.at(1).on_best_chain, true);
            EXPECT_NE(engine.status().stall_reason, net::StallReason::lighter_chain);
            EXPECT_TRUE(peers.is_open(other)) << "its chain may be the better one soon";
        } else {
            EXPECT_EQ(peers.dropped(other), DisconnectReason::lighter_chain);
        }
    }
}

TEST_F(LowWork, IncludesABranchWithEqualWork) {
    sync_honestly();
    regtest::RegtestChain branch;
    branch.mine(kHeavyBlocks - 10, ListWatcher::script(1));
    branch.mine(10, ListWatcher::script(2));
    net::SyncEngine engine(headers, watcher, {});
    test::SimulatedNetwork peers(engine);
    const auto other = peers.connect(branch);
    EXPECT_FALSE(peers.run());
    EXPECT_EQ(peers.dropped(other), DisconnectReason::lighter_chain);
}

TEST_F(LowWork, DoesNotIncludeARaceOfTheLastBlocks) {
    sync_honestly();
    for (const std::uint32_t blocks : {1U, 3U}) {
        regtest::RegtestChain race;
        race.mine(kHeavyBlocks - blocks, ListWatcher::script(1));
        race.mine(blocks, ListWatcher::script(2));
        net::SyncEngine engine(headers, watcher, {});
        test::SimulatedNetwork peers(engine);
        peers.connect(race);
        EXPECT_TRUE(peers.run()) << blocks;
        EXPECT_EQ(engine.status().peers.at(0).on_best_chain, true) << blocks;
    }
}

TEST(HeldBlocks, AreStoredSoonThoughTheirBatchIsNotFull) {
    regtest::RegtestChain chain;
    chain.mine(300);
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    net::SyncEngine engine(headers, watcher, {});
    test::SimulatedNetwork peers(engine);
    peers.set_portion(1'000);
    const auto peer = peers.connect(chain);
    peers.run([&] { return engine.status().counts.filtered_blocks > 20; });
    ASSERT_EQ(engine.status().synced_height, 0U);
    peers.silence(peer);
    peers.run_for(seconds{4});
    EXPECT_GT(engine.status().synced_height, 0U);
}

TEST(Presync, IsSeenInTheStatus) {
    chain::NetworkParams network = *chain::find_network("regtest");
    network.minimum_chainwork = work_of(8'900);
    regtest::RegtestChain chain;
    chain.mine(9'000);
    chain::HeaderChain headers{network};
    ListWatcher watcher;
    net::SyncEngine engine(headers, watcher, {});
    test::SimulatedNetwork peers(engine);
    regtest::NodeBehaviour slow;
    slow.lag = std::chrono::milliseconds{900};
    peers.connect(chain, slow);
    std::uint32_t highest = 0;
    std::uint64_t believed = 0;
    EXPECT_TRUE(peers.run([&] {
        const net::SyncStatus& status = engine.status();
        highest = std::max(highest, status.presync_height.value_or(0));
        if (headers.chainwork() < network.minimum_chainwork)
            believed = status.counts.filtered_blocks;
        EXPECT_EQ(status.stall_reason, net::StallReason::none);
        return false;
    }));
    EXPECT_GE(highest, 8'000U);
    EXPECT_EQ(believed, 0U) << "blocks were requested before their work was shown";
    EXPECT_EQ(engine.status().presync_height, std::nullopt);
}

}  // namespace
}  // namespace petal
