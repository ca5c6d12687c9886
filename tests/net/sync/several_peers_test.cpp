// Several peers at once, in simulated time: a sync is faster than with one, and misses nothing.
#include <gtest/gtest.h>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using test::ListWatcher;

regtest::NodeBehaviour slow(microseconds block_time, milliseconds lag = milliseconds{0}) {
    regtest::NodeBehaviour behaviour;
    behaviour.block_time = block_time;
    behaviour.lag = lag;
    return behaviour;
}

class SeveralPeers : public testing::Test {
protected:
    void pay_and_sweep(std::uint32_t script, std::uint32_t blocks) {
        test::pay_and_sweep(chain, ListWatcher::script(script), blocks);
    }

    net::SyncOptions options(std::size_t peers) {
        net::SyncOptions result;
        result.expected_peers = peers;
        return result;
    }

    /// Syncs a new watcher from nodes with these behaviours, and returns how long it took.
    milliseconds sync(const std::vector<regtest::NodeBehaviour>& behaviours) {
        chain::HeaderChain headers(*chain::find_network("regtest"));
        ListWatcher fresh;
        net::SyncEngine engine(headers, fresh, options(behaviours.size()));
        test::SimulatedNetwork network(engine);
        for (const auto& behaviour : behaviours) network.connect(chain, behaviour);
        const milliseconds start = network.now().steady;
        EXPECT_TRUE(network.run());
        EXPECT_EQ(fresh.knowledge(), test::read_whole_chain(chain, fresh.watched()));
        status = engine.status();
        return network.now().steady - start;
    }

    regtest::RegtestChain chain;
    net::SyncStatus status;
};

TEST_F(SeveralPeers, ShareTheWork) {
    chain.mine(3'000);
    const auto node = slow(milliseconds{5});
    const auto alone = sync({node});
    for (const std::size_t peers : {2U, 4U, 8U}) {
        const auto together = sync(std::vector(peers, node));
        EXPECT_LT(together.count() * static_cast<long>(peers) * 85 / 100, alone.count()) << peers;
        EXPECT_EQ(status.counts.refetched_blocks, 0U);
        for (const auto& peer : status.peers) EXPECT_GT(peer.blocks, 2'000 / peers);
    }
}

// Their spends were settled, so filters no longer contained the coins.
TEST_F(SeveralPeers, FindOldSpendsAgainInARescan) {
    chain.mine(150);
    for (std::uint32_t script = 0; script < 5; ++script) pay_and_sweep(script, 55);
    chain.mine(150);
    chain::HeaderChain headers(*chain::find_network("regtest"));
    ListWatcher watcher;
    for (int run = 0; run < 2; ++run) {
        net::SyncEngine engine(headers, watcher, options(4));
        test::SimulatedNetwork network(engine);
        for (int i = 0; i < 4; ++i) network.connect(chain, slow(milliseconds{5}));
        EXPECT_TRUE(network.run());
        EXPECT_EQ(watcher.knowledge(), test::read_whole_chain(chain, watcher.watched()));
        watcher.rescan();
    }
}

TEST_F(SeveralPeers, AreAssignedBlocksByTheirPace) {
    chain.mine(4'000);
    sync({slow(milliseconds{2}, milliseconds{50}), slow(milliseconds{10})});
    EXPECT_GT(status.peers[0].blocks, 3'000U);
    EXPECT_GT(status.peers[1].blocks, 400U);
}

TEST_F(SeveralPeers, RefetchASpendServedBeforeItsCoinWasFound) {
    chain.mine(101);
    for (std::uint32_t i = 0; i < 30; ++i) pay_and_sweep(i % 10, 3 + i);
    sync({slow(milliseconds{3}, milliseconds{20}), slow(milliseconds{5}), slow(milliseconds{7})});
    EXPECT_GT(status.counts.refetched_blocks, 0U);
}

TEST_F(SeveralPeers, RefetchNothingForSpentCoins) {
    chain.mine(101);
    for (std::uint32_t i = 0; i < 10; ++i) {
        pay_and_sweep(i, 200);
        chain.mine(50);
    }
    sync(std::vector(3, slow(milliseconds{5})));
    EXPECT_EQ(status.counts.refetched_blocks, 0U);
}

TEST_F(SeveralPeers, ShareFoundOutpointsInTheirFilters) {
    chain.mine(101);
    chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(0)}})});
    chain.mine(300);
    chain::HeaderChain headers(*chain::find_network("regtest"));
    ListWatcher watcher;
    net::SyncEngine engine(headers, watcher, options(2));
    test::SimulatedNetwork network(engine);
    const auto first = network.connect(chain, slow(milliseconds{5}));
    const auto second = network.connect(chain, slow(milliseconds{5}));
    EXPECT_TRUE(network.run());
    EXPECT_EQ(network.sent(first)["filteradd"] + network.sent(second)["filteradd"], 1U);
    EXPECT_EQ(network.node(first).filter()->bytes().size(),
              network.node(second).filter()->bytes().size());
    EXPECT_EQ(network.node(first).filter()->encode(), network.node(second).filter()->encode());
}

TEST_F(SeveralPeers, LeaveTheWatcherSyncedOnlyAsFarAsEverythingIsCovered) {
    chain.mine(101);
    for (std::uint32_t i = 0; i < 5; ++i) pay_and_sweep(i, 4);
    chain.mine(200);
    const auto truth = test::read_whole_chain(chain, 30);
    bool lagged = false;
    for (std::uint32_t stop = 50; stop < 400; stop += 5) {
        chain::HeaderChain headers(*chain::find_network("regtest"));
        ListWatcher watcher;
        {
            auto how = options(2);
            how.blocks.per_batch = 5;
            net::SyncEngine engine(headers, watcher, how);
            test::SimulatedNetwork network(engine);
            network.connect(chain, slow(milliseconds{3}, milliseconds{20}));
            network.connect(chain, slow(milliseconds{5}));
            network.run([&] { return engine.status().counts.filtered_blocks >= stop; });
        }
        // Every transaction that is confirmed up to the claimed height is known.
        const auto synced = watcher.sync_state().synced;
        const auto known = watcher.knowledge();
        for (const auto& [txid, height] : truth) {
            const bool claimed = synced && *height <= synced->height;
            EXPECT_TRUE(!claimed || known.contains(txid)) << *height;
            lagged = lagged || (!claimed && known.contains(txid));
        }
        // Another process finds the rest, from a single peer.
        net::SyncEngine engine(headers, watcher, options(1));
        test::SimulatedNetwork network(engine);
        network.connect(chain);
        EXPECT_TRUE(network.run());
        EXPECT_EQ(watcher.knowledge(), truth) << "stopped after " << stop;
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
    }
    EXPECT_TRUE(lagged);
}

TEST_F(SeveralPeers, ServeFullBlocksAndLearnNothing) {
    chain.mine(101);
    for (std::uint32_t i = 0; i < 30; ++i) pay_and_sweep(i % 10, 3 + i);
    for (const std::size_t peers : {1U, 3U}) {
        chain::HeaderChain headers(*chain::find_network("regtest"));
        ListWatcher watcher;
        auto how = options(peers);
        how.blocks.source = net::MatchSourceKind::full_blocks;
        net::SyncEngine engine(headers, watcher, how);
        test::SimulatedNetwork network(engine);
        regtest::NodeBehaviour without_bloom = slow(milliseconds{3}, milliseconds{20});
        without_bloom.services &= ~net::kNodeBloom;
        for (std::size_t i = 0; i < peers; ++i) network.connect(chain, without_bloom);
        EXPECT_TRUE(network.run());
        EXPECT_EQ(watcher.knowledge(), test::read_whole_chain(chain, watcher.watched()));
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
        EXPECT_EQ(engine.status().counts.filtered_blocks, 0U);
        EXPECT_GE(engine.status().counts.full_blocks, chain.height());
        EXPECT_EQ(engine.status().counts.false_positives, 0U);
        // Blocks in flight are searched for what is known once they arrive.
        if (peers == 1) {
            EXPECT_EQ(engine.status().counts.refetched_blocks, 0U);
        }
        for (net::PeerId peer = 1; peer <= peers; ++peer) {
            EXPECT_EQ(network.sent(peer)["filterload"] + network.sent(peer)["filteradd"], 0U);
        }
    }
}

TEST_F(SeveralPeers, AreNotHeldUpByAStallingPeer) {
    chain.mine(3'000);
    regtest::NodeBehaviour stalling = slow(milliseconds{5});
    stalling.faults = {{regtest::FaultKind::stall, 100, 1, std::nullopt}};
    const auto honest = slow(milliseconds{5});
    const auto two = sync({honest, honest});
    const auto three = sync({stalling, honest, honest});
    EXPECT_LT(three, two + milliseconds{500});
}

TEST_F(SeveralPeers, AreNotHeldUpByASilentHandshakeOrHeaders) {
    chain.mine(500);
    chain::HeaderChain headers(*chain::find_network("regtest"));
    ListWatcher watcher;
    net::SyncEngine engine(headers, watcher, options(3));
    test::SimulatedNetwork network(engine);
    const auto mute = network.connect(chain);
    network.silence(mute);
    const auto without_headers = network.connect(chain);
    network.run([&] { return network.sent(without_headers)["getheaders"] == 1; });
    network.silence(without_headers);
    network.connect(chain);
    const auto start = network.now().steady;
    EXPECT_TRUE(network.run());
    EXPECT_LT(network.now().steady - start, milliseconds{5'000});
    EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
}

TEST_F(SeveralPeers, AreNamedAsTheReasonOfAStall) {
    chain.mine(300);
    chain::HeaderChain headers(*chain::find_network("regtest"));
    ListWatcher watcher;
    net::SyncEngine engine(headers, watcher, options(1));
    test::SimulatedNetwork network(engine);
    const auto stall_reason_after = [&](milliseconds time) {
        network.advance(time);
        engine.on_time(network.now());
        return engine.status().stall_reason;
    };
    EXPECT_EQ(stall_reason_after(milliseconds{0}), net::StallReason::none);
    EXPECT_EQ(engine.next_deadline(), network.now().steady + milliseconds{3'000});
    EXPECT_EQ(stall_reason_after(milliseconds{3'000}), net::StallReason::no_peer);
    EXPECT_EQ(engine.next_deadline(), std::nullopt);
    const auto peer = network.connect(chain);
    EXPECT_EQ(stall_reason_after(milliseconds{1}), net::StallReason::silent_handshake);
    network.run([&] { return network.sent(peer)["getheaders"] == 1; });
    network.silence(peer);
    EXPECT_EQ(stall_reason_after(milliseconds{3'000}), net::StallReason::silent_headers);

    const auto other = network.connect(chain);
    network.set_portion(1'000);
    network.run([&] { return engine.status().counts.filtered_blocks >= 50; });
    EXPECT_EQ(engine.status().stall_reason, net::StallReason::none);
    network.silence(other);
    EXPECT_EQ(stall_reason_after(milliseconds{3'000}), net::StallReason::silent_blocks);
    network.cut(other);
    network.cut(peer);
    regtest::RegtestChain behind;
    behind.mine(200);
    network.connect(behind);
    network.run_for(milliseconds{15'000});
    EXPECT_EQ(stall_reason_after(milliseconds{3'000}), net::StallReason::peers_behind);
}

// With a single peer, blocks in flight delay no other peer, so as many are requested as keep a fast
// peer busy.
TEST_F(SeveralPeers, GetMoreRequestsAheadIfThereIsOnlyOne) {
    chain.mine(3'000);
    chain::HeaderChain headers(*chain::find_network("regtest"));
    ListWatcher watcher;
    auto how = options(1);
    how.blocks.in_flight = 100;
    net::SyncEngine engine(headers, watcher, how);
    test::SimulatedNetwork network(engine);
    constexpr milliseconds kLag{100};
    network.connect(chain, slow(microseconds{0}, kLag));
    const auto start = network.now().steady;
    EXPECT_TRUE(network.run());
    // With only a hundred blocks in each round trip, the sync would take thirty round trips.
    EXPECT_LT(network.now().steady - start, 20 * kLag);
}

TEST_F(SeveralPeers, SetTheTargetOnlyWhileTheyAreConnected) {
    chain.mine(50);
    chain::HeaderChain headers(*chain::find_network("regtest"));
    ListWatcher watcher;
    net::SyncEngine engine(headers, watcher, options(2));
    test::SimulatedNetwork network(engine);
    const auto claiming = network.connect(chain);
    network.run([&] { return network.sent(claiming)["getheaders"] == 1; });
    EXPECT_EQ(engine.status().header_height, 0U);
    EXPECT_EQ(engine.status().target_height, 50U);
    network.cut(claiming);
    EXPECT_EQ(engine.status().target_height, 0U);
}

TEST_F(SeveralPeers, AreAskedOnlyForBlocksThatTheyHave) {
    chain.mine(200);
    regtest::RegtestChain behind;
    ASSERT_TRUE(behind.tip() == chain.block_at(0).header.hash());
    chain::HeaderChain headers(*chain::find_network("regtest"));
    ListWatcher watcher;
    net::SyncEngine engine(headers, watcher, options(2));
    test::SimulatedNetwork network(engine);
    const auto empty = network.connect(behind);
    network.connect(chain);
    EXPECT_TRUE(network.run());
    EXPECT_EQ(network.sent(empty)["getdata"], 0U);
    EXPECT_EQ(network.dropped(empty), std::nullopt);
}

// The first peer may hide the newest blocks, and only another peer can show them.
TEST_F(SeveralPeers, AreAwaitedBeforeTheFirstIsBelieved) {
    regtest::RegtestChain behind;  // the first 150 blocks of the same chain
    behind.mine(150);
    chain.mine(155);
    chain::HeaderChain headers(*chain::find_network("regtest"));
    ListWatcher fresh;
    net::SyncEngine engine(headers, fresh, options(3));
    test::SimulatedNetwork network(engine);
    network.connect(behind, {});
    network.connect(chain, slow(microseconds{0}, milliseconds{400}));
    const milliseconds start = network.now().steady;
    ASSERT_TRUE(network.run());
    EXPECT_EQ(engine.status().synced_height, 155U);
    EXPECT_GE(network.now().steady - start, milliseconds{2'000}) << "a third peer was expected";
    EXPECT_LT(network.now().steady - start, milliseconds{2'500});
}

TEST_F(SeveralPeers, AreNotAwaitedOnceAllAreConnected) {
    chain.mine(150);
    const auto alike = slow(microseconds{0}, milliseconds{10});
    EXPECT_LT(sync({alike, alike}), milliseconds{1'000});
}

}  // namespace
}  // namespace petal
