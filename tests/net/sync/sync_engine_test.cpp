// Whole syncs against embedded nodes, in simulated time.
#include "net/sync/sync_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

#include "regtest/chain/regtest_chain.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/test_chain.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using regtest::RegtestChain;
using std::chrono::milliseconds;
using test::ListWatcher;
using test::regtest_params;

/// One run of the program: a new engine over the stores of the runs before.
struct SyncRun {
    SyncRun(chain::HeaderChain& headers, ListWatcher& watcher, net::SyncOptions options = {})
        : engine(headers, watcher, std::move(options)), network(engine) {}

    net::SyncEngine engine;
    test::SimulatedNetwork network;
};

class SyncEngineTest : public testing::Test {
protected:
    chain::Transaction payment(std::uint32_t script, chain::Satoshis value = 10'000) {
        return chain.make_payment({{value, ListWatcher::script(script)}});
    }

    /// Syncs from one node, and expects that nothing is missed.
    net::SyncStatus sync(net::SyncOptions options = {}) {
        SyncRun run(headers, watcher, std::move(options));
        run.network.connect(chain);
        EXPECT_TRUE(run.network.run());
        expect_truth();
        return run.engine.status();
    }

    void expect_truth() {
        test::Knowledge confirmed = watcher.knowledge();
        std::erase_if(confirmed, [](const auto& entry) { return !entry.second; });
        EXPECT_EQ(confirmed, test::read_whole_chain(chain, watcher.watched()));
        ASSERT_TRUE(watcher.sync_state().synced.has_value());
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
        EXPECT_EQ(watcher.sync_state().synced->hash, chain.tip());
    }

    regtest::RegtestChain chain;
    chain::HeaderChain headers{regtest_params()};
    ListWatcher watcher{/*gap=*/20, /*step=*/30};
};

TEST_F(SyncEngineTest, IsDoneAtOnceOnAChainWithoutBlocks) {
    SyncRun run(headers, watcher);
    run.network.connect(chain);
    EXPECT_TRUE(run.network.run());
    EXPECT_EQ(run.engine.status().counts.filtered_blocks, 0U);
    EXPECT_FALSE(watcher.sync_state().synced.has_value());
}

// Fuzz targets use such limits.
TEST_F(SyncEngineTest, KeepsToTheLimitsOfItsOptions) {
    chain.mine(110);
    chain.mine_block({payment(1)});
    net::SyncOptions options;
    options.filter_bytes = 2'000;
    options.header_limits.per_message = 16;
    SyncRun run(headers, watcher, options);
    std::size_t most_headers = 0;
    run.network.on_delivery = [&](net::PeerId, const net::Message& message) {
        const auto* const answer = std::get_if<net::Headers>(&message);
        if (answer != nullptr) most_headers = std::max(most_headers, answer->headers.size());
    };
    regtest::NodeBehaviour behaviour;
    behaviour.limits.headers_per_message = 16;
    run.network.connect(chain, behaviour);
    EXPECT_TRUE(run.network.run());
    expect_truth();
    EXPECT_EQ(run.engine.status().filter.bytes, 2'000U);
    EXPECT_EQ(most_headers, 16U);
}

TEST_F(SyncEngineTest, FindsPaymentsInAChainOfSeveralThousandBlocks) {
    chain.mine(110);
    for (std::uint32_t i = 0; i < 10; ++i) {
        chain.mine_block({payment(i)});
        chain.mine(300);
    }
    const auto status = sync();
    EXPECT_EQ(watcher.knowledge().size(), 10U);
    EXPECT_EQ(status.counts.filtered_blocks, chain.height());
    EXPECT_EQ(status.counts.headers, chain.height());
    EXPECT_EQ(status.counts.filter_loads, 1U);
    EXPECT_EQ(status.counts.refetched_blocks, 0U);
    EXPECT_EQ(status.synced_height, chain.height());
}

// Blocks are held for a batch, but not more than four megabytes of their transactions.
TEST_F(SyncEngineTest, AppliesLargeBlocksBeforeABatchIsFull) {
    struct : ListWatcher {
        chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                                 const chain::StateAfter& state_after) override {
            if (!blocks.empty()) batches.push_back(blocks.size());
            return ListWatcher::apply(blocks, state_after);
        }
        std::vector<std::size_t> batches;
    } recorder;
    chain.mine(110);
    const chain::TxOutput data{0, chain::Bytes(900'000, 0x6a)};  // OP_RETURN
    for (int i = 0; i < 9; ++i) {
        chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(1)}, data})});
    }
    SyncRun run(headers, recorder);
    run.network.connect(chain);
    EXPECT_TRUE(run.network.run());
    EXPECT_EQ(recorder.batches, (std::vector<std::size_t>{chain.height() - 4, 4}));
}

TEST_F(SyncEngineTest, ReportsAFirstFilterBeforeItIsSent) {
    chain.mine(300);
    net::SyncOptions options;
    options.expected_peers = 2;
    SyncRun run(headers, watcher, options);
    std::size_t told = 0;
    std::size_t sent = 0;
    run.engine.events.on_first_filter = [&](const net::PeerReport& peer) {
        EXPECT_FALSE(peer.node.empty());
        ++told;
    };
    run.network.on_sent = [&](const net::Message& message) {
        if (std::holds_alternative<net::FilterLoad>(message)) ++sent;
        EXPECT_LE(sent, told);
    };
    for (int i = 0; i < 2; ++i) run.network.connect(chain);
    EXPECT_TRUE(run.network.run());
    EXPECT_EQ(told, 2U) << "once for each peer";
    EXPECT_EQ(sent, run.engine.status().counts.filter_loads);
}

TEST_F(SyncEngineTest, ReportsThePeersFeeFilter) {
    SyncRun run(headers, watcher);
    run.network.connect(chain);
    EXPECT_TRUE(run.network.run());
    EXPECT_EQ(run.engine.status().peers.at(0).claims.least_fee_rate, 100)
        << "the embedded node's fee rate";
}

TEST_F(SyncEngineTest, SeesASpendWithoutChangeByItsOutpointAlone) {
    chain.mine(110);
    const auto funding = payment(3);
    chain.mine_block({funding});
    chain.mine(500);
    const chain::Outpoint coin{funding.txid(), 0};
    chain.mine_block({test::make_spend(chain, {{coin}}, {{9'000, chain::Bytes{0x51}}})});
    chain.mine(5);
    sync();
    EXPECT_EQ(watcher.knowledge().size(), 2U);
}

// Otherwise one node would count as two that agree.
TEST_F(SyncEngineTest, EndsASecondConnectionToANode) {
    chain.mine(110);
    net::SyncOptions options;
    options.expected_peers = 2;
    SyncRun run(headers, watcher, options);
    const net::PeerId first = run.network.connect(chain, {}, "node");
    const net::PeerId second = run.network.connect(chain, {}, "node");
    EXPECT_TRUE(run.network.run());
    EXPECT_NE(run.network.dropped(first), net::DisconnectReason::duplicate);
    EXPECT_EQ(run.network.dropped(second), net::DisconnectReason::duplicate);
    EXPECT_EQ(run.engine.status().counts.cross_checked_blocks, 0U);
}

TEST_F(SyncEngineTest, SeesAnOldCoinSpentInALaterSync) {
    chain.mine(110);
    const auto funding = payment(3);
    chain.mine_block({funding});
    sync();
    chain.mine(300);
    const chain::Outpoint coin{funding.txid(), 0};
    chain.mine_block({test::make_spend(chain, {{coin}}, {{9'000, chain::Bytes{0x51}}})});
    sync();
    EXPECT_EQ(watcher.knowledge().size(), 2U);
}

TEST_F(SyncEngineTest, FindsMorePaymentsInOneBlockThanAreWatched) {
    chain.mine(110);
    std::vector<chain::Transaction> payments;
    for (std::uint32_t i = 0; i < 100; ++i) payments.push_back(payment(i));
    chain.mine_block(payments);
    chain.mine(50);
    const auto status = sync();
    EXPECT_EQ(watcher.knowledge().size(), 100U);
    EXPECT_GT(status.counts.filter_loads, 2U);
    EXPECT_GT(status.counts.refetched_blocks, 0U);
}

TEST_F(SyncEngineTest, FollowsHopsWithinTheGapOverManyBlocks) {
    chain.mine(110);
    for (std::uint32_t i = 19; i < 600; i += 20) {
        chain.mine_block({payment(i)});
        chain.mine(3);
    }
    sync();
    EXPECT_EQ(watcher.knowledge().size(), 30U);
}

TEST_F(SyncEngineTest, FollowsHopsWithinTheGapInsideOneBlock) {
    chain.mine(110);
    std::vector<chain::Transaction> payments;
    for (std::uint32_t i = 19; i < 400; i += 20) payments.push_back(payment(i));
    chain.mine_block(payments);
    sync();
    EXPECT_EQ(watcher.knowledge().size(), 20U);
}

TEST_F(SyncEngineTest, FindsWhatSpendsACoinOfTheBlockThatMadeTheListGrow) {
    chain.mine(110);
    const auto last = payment(29);
    const auto beyond = payment(45);
    chain.mine_block({last, beyond});
    const chain::Outpoint coin{beyond.txid(), 0};
    chain.mine_block({test::make_spend(chain, {{coin}}, {{9'000, chain::Bytes{0x51}}})});
    chain.mine(30);
    sync();
    EXPECT_EQ(watcher.knowledge().size(), 3U);
}

TEST_F(SyncEngineTest, AsksForNothingWhenThereIsNothingNew) {
    chain.mine(150);
    sync();
    const auto status = sync();
    EXPECT_EQ(status.counts.filtered_blocks, 0U);
    EXPECT_EQ(status.counts.filter_loads, 0U);
    EXPECT_EQ(status.counts.headers, 0U);
}

TEST_F(SyncEngineTest, ContinuesWithTheNextPeerIfOneLeaves) {
    chain.mine(110);
    for (std::uint32_t i = 0; i < 20; ++i) {
        chain.mine_block({payment(i % 10)});
        chain.mine(100);
    }
    net::SyncOptions options;
    options.blocks.cross_check = net::CrossCheckMode::none;
    options.blocks.per_batch = 100;
    SyncRun run(headers, watcher, options);
    run.network.set_portion(2'000);
    const auto first = run.network.connect(chain);
    run.network.run([&] { return run.engine.status().counts.filtered_blocks >= 900; });
    run.network.cut(first);
    EXPECT_EQ(run.engine.status().phase, net::SyncPhase::no_peer);
    EXPECT_EQ(run.engine.status().peers.at(0).ended, net::DisconnectReason::gone);
    EXPECT_EQ(run.engine.status().synced_height, run.engine.status().counts.filtered_blocks);
    EXPECT_EQ(run.engine.status().peers.at(0).blocks, run.engine.status().counts.filtered_blocks);

    run.network.connect(chain);
    EXPECT_TRUE(run.network.run());
    expect_truth();
    // Only the blocks that the first peer had not delivered were fetched from the second.
    EXPECT_EQ(run.engine.status().counts.filtered_blocks, chain.height());
}

TEST_F(SyncEngineTest, DropsAPeerThatStallsForTooLong) {
    chain.mine(400);
    SyncRun run(headers, watcher);
    run.network.set_portion(2'000);
    const auto peer = run.network.connect(chain);
    run.network.run([&] { return run.engine.status().counts.filtered_blocks >= 50; });
    run.network.silence(peer);
    EXPECT_FALSE(run.network.run());
    EXPECT_EQ(run.network.dropped(peer), net::DisconnectReason::timed_out);
}

TEST_F(SyncEngineTest, UndoesAReorganisationWhileSyncing) {
    chain.mine(110);
    const auto kept = payment(1);
    chain.mine_block({kept});
    chain.mine(20);
    const auto dropped = payment(2);
    chain.mine_block({dropped});
    chain.mine(9);
    sync();
    chain.reorganise(chain.height() - 31, 33, regtest::RegtestChain::Dropped::forgotten);
    chain.mine_block({kept});
    const auto status = sync();
    EXPECT_EQ(status.counts.reorgs, 1U);
    const auto known = watcher.knowledge();
    EXPECT_EQ(known.at(kept.txid()), chain.height());
    EXPECT_EQ(known.at(dropped.txid()), std::nullopt);
}

TEST_F(SyncEngineTest, UndoesAReorganisationThatHappenedWhileItWasAway) {
    chain.mine(120);
    const auto dropped = payment(2);
    chain.mine_block({dropped});
    chain.mine(9);
    sync();
    const auto other_store = [&] {
        chain.reorganise(chain.height() - 30, 31, regtest::RegtestChain::Dropped::forgotten);
        ListWatcher other;
        SyncRun run(headers, other);  // moves the shared headers to the new branch
        run.network.connect(chain);
        return run.network.run();
    };
    ASSERT_TRUE(other_store());
    sync();
    EXPECT_EQ(watcher.knowledge().at(dropped.txid()), std::nullopt);
}

TEST_F(SyncEngineTest, ContinuesAfterTheHeadersAreLost) {
    chain.mine(120);
    chain.mine_block({payment(2)});
    chain.mine(200);
    sync();
    headers = chain::HeaderChain(regtest_params());
    const auto status = sync();
    EXPECT_EQ(status.counts.filtered_blocks, 0U);
    EXPECT_EQ(status.counts.headers, chain.height());
}

TEST_F(SyncEngineTest, FindsTheForkWhenTheHeadersAreLostAndTheChainReorganised) {
    chain.mine(120);
    const auto dropped = payment(2);
    chain.mine(150);
    chain.mine_block({dropped});
    chain.mine(5);
    sync();
    headers = chain::HeaderChain(regtest_params());
    chain.reorganise(chain.height() - 10, 12, regtest::RegtestChain::Dropped::forgotten);
    const auto status = sync();
    EXPECT_EQ(watcher.knowledge().at(dropped.txid()), std::nullopt);
    EXPECT_LT(status.counts.filtered_blocks, 40U);
}

TEST_F(SyncEngineTest, ScansFromTheBirthdayOn) {
    chain.mine(110);
    const auto early = payment(1);
    chain.mine_block({early});
    chain.mine(300);
    const auto late = payment(2);
    chain.mine_block({late});
    chain.mine(10);
    watcher.set_birthday({0, chain.block_at(300).header.time});
    SyncRun run(headers, watcher);
    run.network.connect(chain);
    ASSERT_TRUE(run.network.run());
    EXPECT_EQ(run.engine.status().first_height, 300U);
    EXPECT_EQ(run.engine.status().counts.filtered_blocks, chain.height() - 299);
    EXPECT_EQ(watcher.knowledge(), (test::Knowledge{{late.txid(), chain.height() - 10}}));
}

TEST_F(SyncEngineTest, StartsAtTheTipIfTheBirthdayIsInTheFuture) {
    chain.mine(50);
    watcher.set_birthday({0, 4'000'000'000});
    const auto status = sync();
    EXPECT_EQ(status.counts.filtered_blocks, 1U);
}

TEST_F(SyncEngineTest, MirrorsTheServersFilterExactly) {
    chain.mine(110);
    for (std::uint32_t i = 0; i < 20; ++i) {
        std::vector<chain::Transaction> block{payment(i)};
        for (int k = 0; k < 20; ++k)
            block.push_back(payment(1'000 + i * 20 + static_cast<std::uint32_t>(k)));
        chain.mine_block(std::move(block));
    }
    net::SyncOptions options;
    options.false_positive_rate = 0.001;
    SyncRun run(headers, watcher, options);
    const auto peer = run.network.connect(chain);
    ASSERT_TRUE(run.network.run());
    EXPECT_EQ(run.engine.status().filter.false_positive_rate,
              run.network.node(peer).filter()->false_positive_rate());
}

TEST_F(SyncEngineTest, SeesUnconfirmedTransactionsOnlyWhenAskedToListen) {
    chain.mine(110);
    const chain::Txid txid = chain.pay(ListWatcher::script(4), 7'000);
    sync();
    EXPECT_FALSE(watcher.knowledge().contains(txid));

    net::SyncOptions options;
    options.wait_unconfirmed = milliseconds{5'000};
    sync(options);
    ASSERT_TRUE(watcher.knowledge().contains(txid));
    EXPECT_EQ(watcher.knowledge().at(txid), std::nullopt);

    chain.mine();
    sync();
    EXPECT_EQ(watcher.knowledge().at(txid), chain.height());
}

TEST_F(SyncEngineTest, IgnoresATransactionThatItDidNotRequest) {
    chain.mine(110);
    net::SyncOptions options;
    options.wait_unconfirmed = milliseconds{10'000};
    SyncRun run(headers, watcher, options);
    const auto peer = run.network.connect(chain);
    run.network.run([&] { return run.engine.status().phase == net::SyncPhase::listening; });
    run.engine.on_message(peer, net::Tx{payment(1)}, run.network.now());
    EXPECT_TRUE(run.network.run());
    EXPECT_TRUE(watcher.knowledge().empty());
    EXPECT_EQ(run.engine.status().counts.transactions, 0U);
}

TEST_F(SyncEngineTest, LoadsNoFilterForMoreBlocksThanThereAre) {
    // Each payment adds an outpoint to the server's filter, which has room for some three hundred.
    // That is too few for the largest number of blocks in flight, but enough for the blocks that
    // there are.
    chain.mine(110);
    for (int i = 0; i < 200; ++i) chain.mine_block({payment(0)});
    net::SyncOptions options;
    options.wait_unconfirmed = net::SyncOptions::kForever;
    SyncRun run(headers, watcher, options);
    run.network.connect(chain);
    const auto at_tip = [&] { return run.engine.status().synced_height == chain.height(); };
    run.network.run(at_tip);
    for (int i = 0; i < 20; ++i) {
        chain.mine_block({payment(0)});
        run.network.run(at_tip);
    }
    expect_truth();
    EXPECT_EQ(run.engine.status().counts.filter_loads, 1U);
}

TEST_F(SyncEngineTest, ScansBlocksThatAreFoundWhileItListens) {
    chain.mine(110);
    net::SyncOptions options;
    options.wait_unconfirmed = milliseconds{30'000};
    SyncRun run(headers, watcher, options);
    run.network.connect(chain);
    run.network.run([&] { return run.engine.status().phase == net::SyncPhase::listening; });
    chain.mine_block({payment(7)});
    EXPECT_TRUE(run.network.run());
    expect_truth();
}

TEST_F(SyncEngineTest, FollowsAReorganisationWhileItListens) {
    chain.mine(130);
    net::SyncOptions options;
    options.wait_unconfirmed = milliseconds{30'000};
    SyncRun run(headers, watcher, options);
    run.network.connect(chain);
    run.network.run([&] { return run.engine.status().phase == net::SyncPhase::listening; });
    chain.reorganise(110, 40, regtest::RegtestChain::Dropped::forgotten);
    chain.mine_block({payment(7)});
    EXPECT_TRUE(run.network.run());
    EXPECT_EQ(run.engine.status().counts.reorgs, 1U);
    expect_truth();
}

TEST_F(SyncEngineTest, MendsADamagedHashOfTheLastBlock) {
    chain.mine(110);
    chain.mine_block({payment(0)});
    sync();
    chain::SyncState damaged = watcher.sync_state();
    damaged.synced->hash.bytes[0] ^= 1;
    watcher.apply_unconfirmed({}, damaged);
    sync();
    EXPECT_EQ(watcher.sync_state().synced->hash, chain.tip());
    expect_truth();
}

TEST_F(SyncEngineTest, MendsADamagedHeightOfTheLastBlock) {
    chain.mine(110);
    chain.mine_block({payment(0)});
    for (const std::uint32_t height : {0U, 50U, 200U}) {
        sync();
        chain::SyncState damaged = watcher.sync_state();
        damaged.synced->height = height;
        watcher.apply_unconfirmed({}, damaged);
        sync();
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height()) << height;
        expect_truth();
    }
}

TEST_F(SyncEngineTest, PropagatesTheWatchersExceptionAndLosesNothing) {
    chain.mine(110);
    chain.mine_block({payment(0)});
    watcher.fail_next_apply();
    {
        SyncRun run(headers, watcher);
        run.network.connect(chain);
        EXPECT_THROW(run.network.run(), std::runtime_error);
    }
    sync();
}

}  // namespace
}  // namespace petal
