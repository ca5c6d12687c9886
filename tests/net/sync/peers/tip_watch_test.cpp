#include "net/sync/peers/tip_watch.h"

#include <gtest/gtest.h>

#include "net/sync/sync_engine.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/test_chain.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kNow = test::SimulatedNetwork::kStartTime;

/// Regtest's rules, with the minimum work that public networks have.
chain::NetworkParams public_network() {
    chain::NetworkParams network = test::regtest_params();
    network.minimum_chainwork = 1;
    return network;
}

SyncOptions following(bool has_substitutes) {
    SyncOptions options;
    options.wait_unconfirmed = SyncOptions::kForever;
    options.expected_peers = 2;
    options.has_substitutes = has_substitutes;
    return options;
}

/// Two nodes whose last block is as old as the clock says.
struct Scene {
    explicit Scene(bool has_substitutes = false,
                   chain::NetworkParams network_params = public_network())
        : params(std::move(network_params)), engine(headers, watcher, following(has_substitutes)) {
        chain.mine(10);
        mine_at(seconds{0});
        network.connect(chain);
        network.connect(chain);
    }

    /// Mines a block with this time after the start of the clock.
    void mine_at(seconds time) {
        chain.set_time(kNow + time.count());
        chain.mine();
    }
    bool is_old() const { return engine.tip_watch().is_old(); }
    bool wants_extra() const { return engine.tip_watch().wants_extra_peer(); }

    regtest::RegtestChain chain;
    chain::NetworkParams params;
    chain::HeaderChain headers{params};
    test::ListWatcher watcher;
    SyncEngine engine;
    test::SimulatedNetwork network{engine};
};

TEST(TipWatch, CallsABlockOldAfterTwoAndAHalfHours) {
    Scene scene;
    scene.network.run_for(minutes{149});
    ASSERT_EQ(scene.engine.status().phase, SyncPhase::listening);
    EXPECT_FALSE(scene.is_old());
    scene.network.run_for(minutes{2});
    EXPECT_TRUE(scene.is_old());
    scene.mine_at(seconds{30});
    scene.network.run_for(seconds{10});
    ASSERT_EQ(scene.headers.tip().hash, scene.chain.tip());
    EXPECT_TRUE(scene.is_old()) << "the new block is old, too";
    scene.mine_at(minutes{151});
    scene.network.run_for(seconds{10});
    EXPECT_FALSE(scene.is_old());
}

TEST(TipWatch, CallsNoBlockOldThatIsMinedOnDemand) {
    Scene scene(false, test::regtest_params());
    scene.network.run_for(minutes{300});
    EXPECT_FALSE(scene.is_old());
}

TEST(TipWatch, SaysNothingWithoutAPeer) {
    Scene scene;
    scene.network.run_for(minutes{10});
    scene.network.cut(1);
    scene.network.cut(2);
    scene.network.run_for(minutes{300});
    scene.engine.on_time(scene.network.now());
    EXPECT_FALSE(scene.is_old());
}

// While the machine slept, nothing could be received.
TEST(TipWatch, WaitsForTheBlocksThatCameDuringASleep) {
    Scene scene;
    scene.network.run_for(minutes{10});
    scene.network.sleep(minutes{300});
    scene.network.run_for(seconds{1});
    EXPECT_FALSE(scene.is_old());
    scene.network.run_for(seconds{61});
    EXPECT_TRUE(scene.is_old());
}

TEST(TipWatch, WantsAnotherPeerAfterHalfAnHourWithoutABlock) {
    Scene scene(/*has_substitutes=*/true);
    scene.network.run_for(minutes{29});
    EXPECT_FALSE(scene.wants_extra());
    scene.network.run_for(minutes{2});
    EXPECT_TRUE(scene.wants_extra());
    scene.mine_at(minutes{31});
    scene.network.run_for(seconds{10});
    EXPECT_FALSE(scene.wants_extra());
}

TEST(TipWatch, WantsNoOtherPeerIfThereIsNone) {
    Scene scene(/*has_substitutes=*/false);
    scene.network.run_for(minutes{60});
    EXPECT_FALSE(scene.wants_extra());
}

TEST(TipWatch, LeavesAnExtraPeerThatHasNothingNew) {
    Scene scene(/*has_substitutes=*/true);
    scene.network.run_for(minutes{31});
    const PeerId extra = scene.network.connect(scene.chain);
    scene.network.run_for(seconds{25});
    EXPECT_TRUE(scene.network.is_open(extra));
    scene.network.run_for(seconds{10});
    EXPECT_EQ(scene.network.dropped(extra), DisconnectReason::finished);
    EXPECT_TRUE(scene.network.is_open(1) && scene.network.is_open(2));
    EXPECT_FALSE(scene.wants_extra());
    scene.network.run_for(minutes{11});
    EXPECT_TRUE(scene.wants_extra());
}

// One of the two answered that it has no headers, so it has shown no block.
TEST(TipWatch, LeavesAnExtraPeerThatShowsOnlyTheKnownTip) {
    Scene scene(/*has_substitutes=*/true);
    scene.network.run_for(minutes{31});
    const PeerId extra = scene.network.connect(scene.chain);
    scene.network.run_for(seconds{5});
    const Inventory tip{InventoryType::block, chain::Hash256{scene.chain.tip().bytes}};
    scene.engine.on_message(extra, Inv{{tip}}, scene.network.now());
    scene.network.run_for(seconds{30});
    EXPECT_EQ(scene.network.dropped(extra), DisconnectReason::finished);
    EXPECT_TRUE(scene.network.is_open(1) && scene.network.is_open(2));
}

TEST(TipWatch, KeepsAnExtraPeerThatHasABlockThatTheOthersWithhold) {
    Scene scene(/*has_substitutes=*/true);
    regtest::RegtestChain honest;
    honest.mine(10);
    honest.set_time(kNow);
    honest.mine();
    ASSERT_EQ(honest.tip(), scene.chain.tip());
    scene.network.run_for(minutes{31});
    honest.set_time(kNow + 1'200);
    honest.mine();
    const PeerId extra = scene.network.connect(honest);
    scene.network.run_for(seconds{60});
    EXPECT_EQ(scene.headers.tip().hash, honest.tip());
    EXPECT_TRUE(scene.network.is_open(extra));
    EXPECT_EQ(scene.network.is_open(1) + scene.network.is_open(2), 1);
}

}  // namespace
}  // namespace petal::net
