// Peers that answer now and then, each time just before they would time out.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/test_chain.h"

namespace petal {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

/// A sync from one node that takes this long for each block.
class SlowPeer : public testing::Test {
protected:
    void connect(milliseconds block_time) {
        engine_.emplace(headers_, watcher_, options_);
        network_.emplace(*engine_);
        peer_ = network_->connect(chain_, slow(block_time));
    }
    static regtest::NodeBehaviour slow(milliseconds block_time) {
        regtest::NodeBehaviour behaviour;
        behaviour.block_time = block_time;
        return behaviour;
    }
    void connect_and_wait(milliseconds block_time, milliseconds time = minutes{11}) {
        connect(block_time);
        network_->run_for(time);
    }

    static constexpr milliseconds kJustInTime{19'000};

    regtest::RegtestChain chain_;
    chain::HeaderChain headers_{*chain::find_network("regtest")};
    test::ListWatcher watcher_;
    net::SyncOptions options_;
    std::optional<net::SyncEngine> engine_;
    std::optional<test::SimulatedNetwork> network_;
    net::PeerId peer_ = 0;
};

TEST_F(SlowPeer, IsReplacedIfAnotherPeerIsAvailable) {
    chain_.mine(500);
    options_.has_substitutes = true;
    connect_and_wait(kJustInTime, minutes{4});
    EXPECT_TRUE(network_->is_open(peer_));
    network_->run_for(minutes{2});
    EXPECT_EQ(network_->dropped(peer_), net::DisconnectReason::timed_out);
    const auto before = engine_->status().counts.filtered_blocks;
    EXPECT_GT(before, 10U);
    network_->connect(chain_);
    EXPECT_TRUE(network_->run());
    EXPECT_EQ(engine_->status().counts.filtered_blocks, chain_.height())
        << "the blocks that it delivered are kept";
}

TEST_F(SlowPeer, StaysWhileAConnectionSlotIsFree) {
    chain_.mine(500);
    options_.has_substitutes = true;
    options_.expected_peers = 2;
    connect_and_wait(kJustInTime);
    EXPECT_TRUE(network_->is_open(peer_)) << "otherwise a sync whose only peer is slow would end";
    EXPECT_EQ(engine_->status().stall_reason, net::StallReason::slow_blocks);
    network_->connect(chain_);
    EXPECT_TRUE(network_->run());
}

TEST_F(SlowPeer, IsReplacedOneAtATime) {
    chain_.mine(500);
    options_.has_substitutes = true;
    options_.expected_peers = 3;
    connect(kJustInTime);
    const auto second = network_->connect(chain_, slow(kJustInTime));
    const auto third = network_->connect(chain_, slow(kJustInTime));
    network_->run_for(minutes{11});
    const auto is_open = [this](net::PeerId peer) { return network_->is_open(peer); };
    const std::array peers{peer_, second, third};
    EXPECT_EQ(std::ranges::count_if(peers, is_open), 2) << "the user's own line may be slow";
}

TEST_F(SlowPeer, StaysWithoutASubstituteAndIsReported) {
    chain_.mine(500);
    connect(kJustInTime);
    const regtest::RegtestChain empty;
    network_->connect(empty);
    network_->run_for(minutes{11});
    EXPECT_TRUE(network_->is_open(peer_));
    EXPECT_EQ(engine_->status().stall_reason, net::StallReason::slow_blocks);
    const auto other = network_->connect(chain_);
    EXPECT_TRUE(network_->run());
    EXPECT_TRUE(network_->is_open(other));
    EXPECT_NE(engine_->status().stall_reason, net::StallReason::slow_blocks);
}

TEST_F(SlowPeer, IsNotAwaitedForItsSecondOpinions) {
    chain_.mine(300);
    options_.blocks.cross_check = net::CrossCheckMode::all;
    options_.expected_peers = 2;
    connect(milliseconds{1'900});  // never silent for two seconds
    network_->connect(chain_);
    const auto start = network_->now().steady;
    EXPECT_TRUE(network_->run());
    EXPECT_LT(network_->now().steady - start, milliseconds{15'000});
}

TEST_F(SlowPeer, StaysIfItSendsABlockEveryFewSeconds) {
    chain_.mine(500);
    options_.has_substitutes = true;
    connect_and_wait(milliseconds{2'500});
    EXPECT_TRUE(network_->is_open(peer_));
    EXPECT_EQ(engine_->status().stall_reason, net::StallReason::none);
}

TEST_F(SlowPeer, StaysIfItSendsLargeBlocksOverASlowLine) {
    constexpr int kTransactions = 250;
    chain_.pay({}, 1'000);  // mines the coins that the purse pays from
    chain_.mine();
    watcher_.set_birthday({.height = chain_.height(), .time = {}});
    for (int block = 0; block < 40; ++block) {
        for (int i = 0; i < kTransactions; ++i) chain_.pay({}, 1'000 + i);
        chain_.mine();
    }
    options_.has_substitutes = true;
    options_.blocks.source = net::MatchSourceKind::full_blocks;
    connect_and_wait(kJustInTime);
    EXPECT_EQ(network_->dropped(peer_), std::nullopt);
    EXPECT_LT(engine_->status().counts.full_blocks, 40U);
}

TEST_F(SlowPeer, IsReplacedWithFullBlocksToo) {
    chain_.mine(500);
    options_.has_substitutes = true;
    options_.blocks.source = net::MatchSourceKind::full_blocks;
    connect_and_wait(kJustInTime);
    EXPECT_EQ(network_->dropped(peer_), net::DisconnectReason::timed_out);
}

// Over Tor, a full block may take this long.
TEST_F(SlowPeer, MayTakeTwoMinutesForAFullBlock) {
    chain_.mine(5);
    connect_and_wait(minutes{1});
    EXPECT_EQ(network_->dropped(peer_), net::DisconnectReason::timed_out)
        << "filtered blocks have less time";
    options_.blocks.source = net::MatchSourceKind::full_blocks;
    connect_and_wait(milliseconds{119'000});
    EXPECT_TRUE(engine_->finished());
    chain_.mine();
    connect_and_wait(milliseconds{121'000});
    EXPECT_EQ(network_->dropped(peer_), net::DisconnectReason::timed_out);
}

TEST_F(SlowPeer, MayAnswerAfterEarlierRequestedBlocks) {
    chain_.mine(20);
    connect_and_wait(kJustInTime, minutes{1});
    chain_.mine(20);  // too many at once to be announced by their headers
    network_->run_for(minutes{30});
    EXPECT_EQ(network_->dropped(peer_), std::nullopt);
    EXPECT_TRUE(engine_->finished());
}

TEST_F(SlowPeer, StaysIfNothingIsRequested) {
    chain_.mine(20);
    options_.has_substitutes = true;
    options_.wait_unconfirmed = net::SyncOptions::kForever;
    connect(milliseconds{0});
    for (int block = 0; block < 10; ++block) {
        network_->run_for(minutes{5});
        chain_.mine();
    }
    EXPECT_TRUE(network_->is_open(peer_));
    EXPECT_EQ(engine_->status().stall_reason, net::StallReason::none);
}

}  // namespace
}  // namespace petal
