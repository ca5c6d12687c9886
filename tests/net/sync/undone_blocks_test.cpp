// Transactions of blocks that left the chain: peers are asked for them, and the others are
// forgotten.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/filters/sync_checkpoint.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::ListWatcher;
using test::SimulatedNetwork;
using Dropped = regtest::RegtestChain::Dropped;

/// Records what is shown and forgotten.
struct UndoneWatcher : ListWatcher {
    bool apply_unconfirmed(std::span<const chain::UnconfirmedTransaction> transactions,
                           std::span<const chain::PresentSources> sources,
                           const chain::SyncState& state) override {
        for (const auto& transaction : transactions) shown.push_back(transaction.txid);
        return ListWatcher::apply_unconfirmed(transactions, sources, state);
    }
    void forget_undone(const chain::SyncState& state) override {
        ++forgotten;
        ListWatcher::forget_undone(state);
    }
    std::vector<chain::Txid> shown;
    int forgotten = 0;
};

/// A chain of which the watcher has searched a payment in the last block but one.
class UndoneBlocks : public testing::Test {
protected:
    UndoneBlocks() {
        chain.mine(110);
        payment = chain.make_payment({{7'000, ListWatcher::script(1)}});
        chain.mine_block({payment});
        chain.mine();
        sync();
        EXPECT_EQ(asked, 0U) << "nothing was undone";
        watcher.forgotten = 0;
    }

    void begin(const SyncOptions& options = {}) {
        engine.reset();
        engine.emplace(headers, watcher, options);
        network.emplace(*engine);
        peer = network->connect(chain);
    }
    /// Syncs to the end. Notes how often the peer was asked for its mempool, and how long it took.
    void sync(const SyncOptions& options = {}) {
        begin(options);
        EXPECT_TRUE(network->run());
        asked = network->sent(peer)["mempool"];
        taken = network->now().steady - milliseconds{1'000};
    }
    void reorganise(Dropped dropped) { chain.reorganise(chain.height() - 2, 3, dropped); }
    SyncCheckpoint checkpoint() const {
        return decode_sync_checkpoint(watcher.sync_state().sync_checkpoint).value();
    }
    static SyncOptions following() {
        SyncOptions options;
        options.wait_unconfirmed = SyncOptions::kForever;
        return options;
    }

    regtest::RegtestChain chain;
    chain::Transaction payment;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    UndoneWatcher watcher;
    std::optional<SyncEngine> engine;
    std::optional<SimulatedNetwork> network;
    PeerId peer = 0;
    std::size_t asked = 0;
    milliseconds taken{0};
};

TEST_F(UndoneBlocks, ArePlainSyncsReasonToAskForMempools) {
    reorganise(Dropped::to_mempool);
    sync();
    EXPECT_EQ(asked, 1U);
    EXPECT_EQ(watcher.shown, std::vector{payment.txid()});
    EXPECT_EQ(watcher.forgotten, 1);
    EXPECT_LT(taken, seconds{5}) << "it ends when peers have shown everything";
    EXPECT_TRUE(checkpoint().unconfirmed.find(payment.txid())->is_open());

    sync();
    EXPECT_EQ(asked, 0U) << "a transaction that was shown is not undone any more";
}

TEST_F(UndoneBlocks, AreNotLookedForWhereNothingWasUndone) {
    chain.mine();
    sync();
    EXPECT_EQ(watcher.forgotten, 0);
    reorganise(Dropped::forgotten);
    sync();
    EXPECT_EQ(watcher.forgotten, 1);
    sync();
    EXPECT_EQ(watcher.forgotten, 1) << "all are forgotten already";
}

TEST_F(UndoneBlocks, LeaveNothingThatNoPeerShows) {
    reorganise(Dropped::forgotten);
    sync();
    EXPECT_EQ(asked, 1U);
    EXPECT_TRUE(watcher.shown.empty());
    EXPECT_EQ(watcher.forgotten, 1);
    EXPECT_GE(taken, seconds{30});
    EXPECT_LT(taken, seconds{32});
    EXPECT_EQ(checkpoint().unconfirmed.size(), 0U);

    sync();
    EXPECT_EQ(asked, 0U);
}

TEST_F(UndoneBlocks, AreAwaitedAsTheStatusSays) {
    begin(following());
    network->run_for(seconds{5});
    EXPECT_EQ(engine->status().stall_reason, StallReason::none);
    reorganise(Dropped::forgotten);
    network->run_for(seconds{25});
    EXPECT_EQ(engine->status().phase, SyncPhase::listening);
    EXPECT_EQ(engine->status().stall_reason, StallReason::undone_transactions);
    network->run_for(seconds{10});
    EXPECT_EQ(engine->status().stall_reason, StallReason::none);
}

TEST_F(UndoneBlocks, WithoutAMatchAreNoReasonToAsk) {
    chain.reorganise(chain.height() - 1, 2);
    sync();
    EXPECT_EQ(asked, 0U);
}

// What the next branch confirms need not be asked for.
TEST_F(UndoneBlocks, OfWhichTheNextBranchHasEverythingAreNoReasonToAsk) {
    chain.reorganise_with(chain.height() - 2, {payment});
    chain.mine(2);
    sync();
    EXPECT_EQ(asked, 0U);
}

// Otherwise, an attacker could tell by an undone block which match is the wallet's.
TEST_F(UndoneBlocks, WithAFalsePositiveAreAReasonToAsk) {
    const FilterBase base(watcher.watched_elements(0), watcher.filter_padding(), checkpoint().rate);
    chain.mine_block({chain.make_payment({test::foreign_output_that_matches(base)})});
    chain.mine();
    sync();
    ASSERT_EQ(engine->status().counts.false_positives, 1U);
    reorganise(Dropped::to_mempool);
    sync();
    EXPECT_EQ(asked, 1U);
    EXPECT_LT(taken, seconds{5});
    EXPECT_EQ(watcher.shown.size(), 1U);
}

TEST_F(UndoneBlocks, OfAKilledProcessAreAskedForByTheNext) {
    reorganise(Dropped::to_mempool);
    begin();
    network->run([&] { return watcher.sync_state().synced->hash == chain.tip(); });
    EXPECT_EQ(watcher.forgotten, 0);
    sync();
    EXPECT_EQ(asked, 1U);
    EXPECT_EQ(watcher.shown, std::vector{payment.txid()});
    EXPECT_EQ(watcher.forgotten, 1);
}

TEST_F(UndoneBlocks, AreAskedForByAFollower) {
    begin(following());
    network->run_for(seconds{30});
    EXPECT_EQ(network->sent(peer)["mempool"], 1U);
    const int before = watcher.forgotten;
    for (const Dropped dropped : {Dropped::to_mempool, Dropped::forgotten}) {
        reorganise(dropped);
        network->run_for(seconds{30});
    }
    EXPECT_EQ(watcher.shown, std::vector{payment.txid()});
    EXPECT_EQ(network->sent(peer)["mempool"], 2U) << "the second reorganisation had no match";
    EXPECT_EQ(watcher.forgotten, before + 2);
}

TEST_F(UndoneBlocks, AreForgottenAtOnceByAFullBlockSync) {
    reorganise(Dropped::to_mempool);
    SyncOptions options;
    options.blocks.source = MatchSourceKind::full_blocks;
    sync(options);
    EXPECT_EQ(asked, 0U);
    EXPECT_EQ(watcher.forgotten, 1);
    EXPECT_LT(taken, seconds{5});
    EXPECT_EQ(checkpoint().unconfirmed.size(), 0U);
}

// A rescan finds the transactions again, and asks for those that it does not find.
TEST_F(UndoneBlocks, AreAskedForAfterARescanOfAnotherBranch) {
    reorganise(Dropped::to_mempool);
    watcher.rescan();
    sync();
    EXPECT_EQ(asked, 1U);
    EXPECT_EQ(watcher.shown, std::vector{payment.txid()});
}

// The transactions that the search has not found are undone, although no block was.
TEST_F(UndoneBlocks, AreLookedForAfterARescan) {
    watcher.rescan();
    sync();
    EXPECT_EQ(watcher.forgotten, 1);
    sync();
    EXPECT_EQ(watcher.forgotten, 1);
}

// The peer goes away while it is to show its mempool.
TEST_F(UndoneBlocks, DoNotKeepASyncWithoutPeersWaiting) {
    reorganise(Dropped::to_mempool);
    begin();
    network->run([&] { return network->sent(peer)["mempool"] == 1; });
    network->cut(peer);
    network->run_for(seconds{31});
    EXPECT_TRUE(engine->finished());
    EXPECT_EQ(watcher.forgotten, 0) << "no peer had the time to answer";
    sync();
    EXPECT_EQ(asked, 1U);
}

}  // namespace
}  // namespace petal::net
