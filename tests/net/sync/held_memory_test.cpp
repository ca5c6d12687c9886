// The memory of blocks that wait, because a peer withholds a lower one.
#include <gtest/gtest.h>

#include "net/sync/blocks/checkpoint_keeper.h"
#include "net/sync/sync_engine.h"
#include "tests/net/counted_memory.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/test_chain.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using test::ListWatcher;

/// Each block has 20 kB that match the filters of a new ListWatcher by chance.
regtest::RegtestChain make_large_blocks() {
    const chain::HeaderChain headers{test::regtest_params()};
    ListWatcher watcher;
    CheckpointKeeper keeper(headers, watcher, std::nullopt);
    const chain::TxOutput match = test::foreign_output_that_matches(keeper.filter_base());
    const chain::TxOutput data{0, chain::Bytes(20'000, 0x6a)};
    regtest::RegtestChain chain;
    for (int i = 0; i < 300; ++i) chain.mine_block({chain.make_payment({match, data})});
    return chain;
}

regtest::NodeBehaviour node(milliseconds block_time) {
    regtest::NodeBehaviour behaviour;
    behaviour.block_time = block_time;
    return behaviour;
}

class HeldMemory : public testing::Test {
protected:
    HeldMemory() { options.blocks.max_held_bytes = 600'000; }

    void finish(test::SimulatedNetwork& network) {
        EXPECT_TRUE(network.run());
        EXPECT_EQ(watcher.sync_state().synced->hash, chain.tip());
    }

    const regtest::RegtestChain chain = make_large_blocks();
    const test::CountedMemory memory;  // of what follows
    chain::HeaderChain headers{test::regtest_params()};
    ListWatcher watcher;
    SyncOptions options;
};

// Blocks that were in flight when the limit was reached are dropped, and requested again.
TEST_F(HeldMemory, IsBoundedWhileAPeerWithholdsALowBlock) {
    options.expected_peers = 3;
    options.blocks.cross_check = CrossCheckMode::none;
    options.blocks.per_batch = 10;
    SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    const PeerId silent = network.connect(chain, node(milliseconds{1}));
    network.connect(chain, node(milliseconds{2}));
    network.connect(chain, node(milliseconds{3}));
    const auto& counts = engine.status().counts;
    network.run([&] { return counts.filtered_blocks >= 130; });
    network.silence(silent);
    finish(network);
    EXPECT_LT(memory.peak(), 2'500'000U) << "without the limit, 6.6 MB";
    EXPECT_GT(counts.refetched_blocks, 0U);
    EXPECT_LT(counts.filtered_blocks, 2 * chain.height());
}

// The second peer is slow. No check is left out for lack of memory: the blocks of the first peer
// that find no room are requested again.
TEST_F(HeldMemory, OfAnswersThatWaitForASecondOneIsBounded) {
    options.expected_peers = 2;
    options.blocks.cross_check = CrossCheckMode::all;
    options.blocks.max_unchecked_bytes = 300'000;
    SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    network.connect(chain, node(milliseconds{1}));
    network.connect(chain, node(milliseconds{30}));
    finish(network);
    const auto& counts = engine.status().counts;
    EXPECT_EQ(counts.cross_checked_blocks, chain.height());
    EXPECT_LT(counts.filtered_blocks, 4 * chain.height());
    EXPECT_LT(memory.peak(), 2'500'000U) << "without the limit, 15 MB";
}

}  // namespace
}  // namespace petal::net
