// Syncs of several watchers over one header chain, in simulated time.
#include "net/sync/headers/shared_headers.h"

#include <gtest/gtest.h>

#include <deque>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"

namespace petal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::ListWatcher;

regtest::NodeBehaviour distant() {
    regtest::NodeBehaviour behaviour;
    behaviour.lag = milliseconds{40};
    return behaviour;
}

class SharedChain : public testing::Test {
protected:
    /// A watcher with an engine and connections of its own.
    struct Sync {
        Sync(chain::HeaderChain& headers, net::SharedHeaders& shared, net::SyncOptions options)
            : engine(headers, watcher, std::move(options), &shared) {
            network.on_delivery = [this](net::PeerId, const net::Message& message) {
                const auto* answer = std::get_if<net::Headers>(&message);
                if (answer) headers_received += answer->headers.size();
            };
        }

        ListWatcher watcher;
        net::SyncEngine engine;
        test::SimulatedNetwork network{engine};
        std::size_t headers_received = 0;
    };

    SharedChain() {
        chain.mine(110);
        for (std::uint32_t script = 0; script < 6; ++script) {
            chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(script)}})});
            chain.mine(9);
        }
        chain.mine(4'500 - chain.height());
    }

    Sync& add(net::SyncOptions options = {}) {
        options.random_seed = syncs.size();
        return syncs.emplace_back(headers, shared, options);
    }

    /// Runs the syncs side by side, a millisecond at a time.
    void run_for(milliseconds time) {
        for (auto passed = milliseconds{0}; passed < time; ++passed) {
            for (Sync& sync : syncs) sync.network.run_for(milliseconds{1});
        }
    }

    void expect_truth(const Sync& sync) const {
        EXPECT_EQ(sync.watcher.knowledge(), test::read_whole_chain(chain, sync.watcher.watched()));
        ASSERT_TRUE(sync.watcher.sync_state().synced);
        EXPECT_EQ(sync.watcher.sync_state().synced->hash, chain.tip());
    }

    std::size_t headers_received() const {
        std::size_t received = 0;
        for (const Sync& sync : syncs) received += sync.headers_received;
        return received;
    }

    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    net::SharedHeaders shared;
    std::deque<Sync> syncs;
};

TEST_F(SharedChain, IsDownloadedOnceForAllWatchers) {
    for (int i = 0; i < 3; ++i) add().network.connect(chain, distant());
    run_for(seconds{3});
    for (const Sync& sync : syncs) {
        EXPECT_TRUE(sync.engine.finished());
        expect_truth(sync);
    }
    EXPECT_EQ(headers_received(), chain.height());
    EXPECT_EQ(syncs[0].engine.status().counts.headers, chain.height());
    EXPECT_EQ(syncs[1].engine.status().counts.headers, 0U);
}

TEST_F(SharedChain, IsDownloadedByAnotherSyncIfOneFails) {
    add().network.connect(chain, distant());
    add().network.connect(chain, distant());
    run_for(milliseconds{150});
    const std::uint32_t before = headers.tip().height;
    ASSERT_GT(before, 0U);
    ASSERT_LT(before, chain.height()) << "the first sync is in the middle of the download";
    for (int i = 0; i < 2'500; ++i) syncs[1].network.run_for(milliseconds{1});
    EXPECT_TRUE(syncs[1].engine.finished());
    EXPECT_EQ(syncs[1].headers_received, chain.height() - before);
    expect_truth(syncs[1]);
}

TEST_F(SharedChain, IsDownloadedByAnotherSyncIfAPeerStalls) {
    const auto silent = add().network.connect(chain, distant());
    add().network.connect(chain, distant());
    run_for(milliseconds{150});
    syncs[0].network.silence(silent);
    run_for(seconds{1});
    EXPECT_EQ(syncs[1].headers_received, 0U) << "the first sync's peer may only be slow";
    run_for(seconds{3});
    EXPECT_TRUE(syncs[1].engine.finished());
    expect_truth(syncs[1]);
}

TEST_F(SharedChain, GrowsForAllSyncsIfOneReceivesHeaders) {
    net::SyncOptions endless;
    endless.wait_unconfirmed = net::SyncOptions::kForever;
    for (int i = 0; i < 2; ++i) add(endless).network.connect(chain, distant());
    run_for(seconds{3});
    chain.mine(1, ListWatcher::script(7));
    run_for(seconds{1});
    for (const Sync& sync : syncs) {
        EXPECT_EQ(sync.engine.status().phase, net::SyncPhase::listening);
        expect_truth(sync);
    }
}

// The second sync's only peer does not announce the other branch.
TEST_F(SharedChain, IsReorganisedForEverySync) {
    net::SyncOptions endless;
    endless.wait_unconfirmed = net::SyncOptions::kForever;
    for (int i = 0; i < 2; ++i) add(endless).network.connect(chain, distant());
    run_for(seconds{3});
    Sync& other = syncs[1];
    int told = 0;
    other.engine.events.on_reorganisation = [&told](const chain::ChainMove&) { ++told; };
    const auto fork = chain.height() - 3;
    chain.reorganise(fork, 4);
    for (int i = 0; i < 500; ++i) syncs[0].network.run_for(milliseconds{1});
    ASSERT_EQ(headers.tip().hash, chain.tip());

    EXPECT_FALSE(other.engine.is_current());
    EXPECT_EQ(other.engine.next_deadline(), milliseconds{0});
    other.engine.on_time(other.network.now());
    EXPECT_TRUE(other.engine.is_current());
    EXPECT_EQ(told, 1);
    EXPECT_EQ(other.engine.status().counts.reorgs, 1U);
    EXPECT_EQ(other.engine.status().synced_height, fork);
    EXPECT_EQ(other.watcher.sync_state().synced->height, fork + 3) << "no block has arrived";
    EXPECT_LT(other.engine.status().phase, net::SyncPhase::listening);

    run_for(seconds{1});
    expect_truth(other);
}

// Blocks that were verified before the reorganisation must not be stored as blocks of the new
// chain.
TEST_F(SharedChain, IsReorganisedBeforeAnInterruption) {
    net::SyncOptions endless;
    endless.wait_unconfirmed = net::SyncOptions::kForever;
    for (int i = 0; i < 2; ++i) add(endless).network.connect(chain, distant());
    run_for(seconds{3});
    chain.reorganise(chain.height() - 3, 4);
    for (int i = 0; i < 500; ++i) syncs[0].network.run_for(milliseconds{1});
    syncs[1].engine.flush(syncs[1].network.now());
    EXPECT_EQ(syncs[1].engine.status().synced_height, chain.height() - 4);
    EXPECT_FALSE(headers.is_on_best_chain(syncs[1].watcher.sync_state().synced->hash));
    EXPECT_LT(syncs[1].engine.status().phase, net::SyncPhase::listening);
}

}  // namespace
}  // namespace petal
