// Following the chain for days, with peers that fall silent and a machine that sleeps.
#include <gtest/gtest.h>

#include <deque>

#include "chain/network_params.h"
#include "net/sync/filters/sync_checkpoint.h"
#include "net/sync/sync_engine.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using net::DisconnectReason;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::ListWatcher;

net::SyncOptions following(std::size_t peers) {
    net::SyncOptions options;
    options.wait_unconfirmed = net::SyncOptions::kForever;
    options.refresh_watcher_every = seconds{1};
    options.expected_peers = peers;
    return options;
}

class Follower : public testing::Test {
protected:
    explicit Follower(std::size_t peers = 2) : engine(headers, watcher, following(peers)) {
        chain.mine(110);
    }

    void follow_for(milliseconds time) { network.run_for(time); }

    void expect_truth() {
        test::Knowledge confirmed = watcher.knowledge();
        std::erase_if(confirmed, [](const auto& entry) { return !entry.second; });
        EXPECT_EQ(confirmed, test::read_whole_chain(chain, watcher.watched()));
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
    }

    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    net::SyncEngine engine;
    test::SimulatedNetwork network{engine};
};

// The peer has sent nothing for longer than a request for headers may take, so a new request to it
// is not waited for.
TEST_F(Follower, GoesOnListeningWhenABlockIsAnnouncedThatDoesNotCome) {
    network.connect(chain);
    const auto peer = network.connect(chain);
    follow_for(minutes{1});
    ASSERT_EQ(engine.status().phase, net::SyncPhase::listening);
    network.silence(peer);
    engine.on_message(peer, net::Inv{{{net::InventoryType::block, chain::Hash256{{7}}}}},
                      network.now());
    EXPECT_EQ(engine.status().phase, net::SyncPhase::listening);
    engine.on_time(network.now());
    EXPECT_EQ(engine.status().phase, net::SyncPhase::listening);
}

/// A follower of a chain of 110 blocks whose only peer returns with another chain.
class FollowerOfOtherChain : public Follower {
protected:
    FollowerOfOtherChain() : Follower(1) {
        const auto peer = network.connect(chain);
        follow_for(minutes{1});
        network.cut(peer);
        other.mine(90);
        other.mine(5, ListWatcher::script(1));
        connected = network.connect(other);
    }

    regtest::RegtestChain other;
    net::PeerId connected = 0;
};

TEST_F(FollowerOfOtherChain, ReportsAnotherChainAfterTenSeconds) {
    follow_for(seconds{8});
    EXPECT_EQ(engine.status().other_chain, std::nullopt);
    EXPECT_EQ(engine.status().stall_reason, net::StallReason::lighter_chain);
    EXPECT_LT(engine.status().phase, net::SyncPhase::listening) << "this peer cannot sync it";
    follow_for(seconds{4});
    ASSERT_TRUE(engine.status().other_chain);
    EXPECT_EQ(*engine.status().other_chain, (net::OtherChain{connected, 90, 95}));
    EXPECT_TRUE(network.is_open(connected)) << "there is no other peer, and its chain may grow";
}

// Six blocks that only one peer has must not cost the connections to all other peers.
TEST(OtherChains, CostNoHonestPeerItsConnection) {
    for (const auto wait : {net::SyncOptions::kForever, milliseconds{120'000}}) {
        regtest::RegtestChain chain;
        chain.mine(110);
        regtest::RegtestChain withheld;
        withheld.mine(110);
        withheld.mine(6, ListWatcher::script(2));
        chain::HeaderChain headers{*chain::find_network("regtest")};
        ListWatcher watcher;
        net::SyncOptions options = following(3);
        options.wait_unconfirmed = wait;
        options.has_substitutes = true;
        net::SyncEngine engine(headers, watcher, options);
        test::SimulatedNetwork network(engine);
        chain.mine(2);
        const auto honest = network.connect(chain);
        network.connect(withheld);
        network.run_for(seconds{60});
        EXPECT_EQ(engine.status().header_height, 116U);
        EXPECT_TRUE(network.is_open(honest));
        chain.mine(6);
        network.run_for(seconds{20});
        EXPECT_EQ(watcher.sync_state().synced->hash, chain.tip());
    }
}

TEST_F(FollowerOfOtherChain, ChangesToTheOtherChainOnceItHasMoreWork) {
    follow_for(minutes{5});
    other.mine(20);
    follow_for(minutes{1});
    EXPECT_EQ(engine.status().other_chain, std::nullopt);
    EXPECT_EQ(engine.status().phase, net::SyncPhase::listening);
    EXPECT_EQ(engine.status().peers.back().on_best_chain, true);
    EXPECT_EQ(watcher.sync_state().synced->hash, other.tip());
}

TEST_F(Follower, KnowsTheWholeTruthAfterEachBlockOfADay) {
    const auto stays = network.connect(chain);
    auto changes = network.connect(chain);
    std::deque<chain::Outpoint> coins;
    for (std::uint32_t block = 0; block < 144; ++block) {
        follow_for(minutes{5});
        if (block % 3 == 0) {
            coins.push_back({chain.pay(ListWatcher::script(block % 20), 7'000), 0});
        }
        if (coins.size() > 5) {  // the oldest coin is confirmed by now
            const chain::TxOutput paid{6'000, chain::Bytes{0x51}};
            chain.submit(
                test::signed_by_watcher(test::make_spend(chain, {{coins.front()}}, {paid}), chain));
            coins.pop_front();
        }
        if (block % 20 == 10) {
            network.cut(changes);
            changes = network.connect(chain);
        }
        follow_for(minutes{5});
        if (block == 70) chain.reorganise(chain.height() - 2, 3);
        chain.mine();
        follow_for(seconds{30});
        expect_truth();
        ASSERT_FALSE(HasFailure()) << "after block " << block;
    }
    EXPECT_FALSE(engine.finished());
    EXPECT_EQ(network.dropped(stays), std::nullopt);
    EXPECT_EQ(network.dropped(changes), std::nullopt);
    EXPECT_EQ(engine.status().counts.reorgs, 1U);
    EXPECT_EQ(engine.status().phase, net::SyncPhase::listening);
}

TEST_F(Follower, SeesAPaymentBeforeItIsConfirmedAndFromHowManyPeers) {
    const auto first = network.connect(chain);
    network.connect(chain);
    follow_for(minutes{1});
    const auto txid = chain.pay(ListWatcher::script(4), 7'000);
    follow_for(seconds{30});
    ASSERT_TRUE(watcher.knowledge().contains(txid));
    EXPECT_EQ(watcher.knowledge().at(txid), std::nullopt);
    EXPECT_EQ(engine.seen_from(txid), 2U);
    EXPECT_EQ(engine.seen_from(chain::Txid{}), 0U);
    EXPECT_EQ(network.dropped(first), std::nullopt);
}

TEST_F(Follower, WatchesWhatAnotherProcessAddsToTheList) {
    network.connect(chain);
    network.connect(chain);
    follow_for(minutes{1});
    const std::uint64_t loads = engine.status().counts.filter_loads;
    const std::uint32_t added = watcher.watched();
    watcher.grow_elsewhere();
    follow_for(seconds{2});
    EXPECT_EQ(engine.status().counts.filter_loads, loads + 2) << "each peer has a new filter";
    const auto confirmed = chain.pay(ListWatcher::script(added), 7'000);
    chain.mine();
    const auto unconfirmed = chain.pay(ListWatcher::script(added + 1), 7'000);
    follow_for(seconds{30});
    ASSERT_TRUE(watcher.knowledge().contains(confirmed));
    EXPECT_EQ(watcher.knowledge().at(confirmed), chain.height());
    EXPECT_TRUE(watcher.knowledge().contains(unconfirmed));
    EXPECT_EQ(engine.status().counts.filter_loads, loads + 2) << "each peer keeps its filter";
    expect_truth();
}

// The first payment pays an address that is watched only after a block with the second payment.
TEST_F(Follower, AsksForUnconfirmedPaymentsAgainWhenABlockMadeTheListGrow) {
    network.connect(chain);
    follow_for(minutes{1});
    const auto first = chain.pay(ListWatcher::script(35), 7'000);
    follow_for(seconds{30});
    EXPECT_FALSE(watcher.knowledge().contains(first));
    chain.mine_block({chain.make_payment({{7'000, ListWatcher::script(12)}})});
    follow_for(seconds{30});
    EXPECT_TRUE(watcher.knowledge().contains(first));
}

// The second peer lacks the last block. It announces a payment that conflicts with that block.
TEST_F(Follower, RescansBlocksThatThePaymentsSenderLacks) {
    regtest::RegtestChain behind;
    behind.mine(110);
    for (regtest::RegtestChain* each : {&behind, &chain}) {
        each->pay(chain::Bytes{0x51}, 7'000);  // mines the coins that the purse pays from
        each->mine();
    }
    ASSERT_EQ(behind.tip(), chain.tip());
    const auto payment = behind.make_payment({{7'000, ListWatcher::script(4)}});
    const chain::Transaction rival =
        test::make_spend(chain, {{payment.inputs[0].prevout}}, {{6'000, chain::Bytes{0x51}}});
    chain.mine_block({rival});
    network.connect(chain);
    follow_for(minutes{1});
    const auto txid = behind.submit(payment);
    network.connect(behind);
    follow_for(seconds{30});
    EXPECT_TRUE(watcher.knowledge().contains(txid));
    const auto stored = net::decode_sync_checkpoint(watcher.sync_state().sync_checkpoint);
    ASSERT_TRUE(stored);
    const auto* match = stored->unconfirmed.find(txid);
    ASSERT_NE(match, nullptr);
    EXPECT_EQ(match->resolution, net::Resolution::impossible);
    EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
}

TEST_F(Follower, GivesUpDeadConnectionsSoonAfterASleepOfTheMachine) {
    const auto dead = network.connect(chain);
    const auto alive = network.connect(chain);
    follow_for(seconds{10});
    network.silence(dead);
    network.sleep(minutes{45});
    follow_for(milliseconds{100});  // the engine notices the sleep when it is next woken
    follow_for(seconds{6});
    EXPECT_EQ(network.dropped(dead), DisconnectReason::timed_out);
    EXPECT_EQ(network.dropped(alive), std::nullopt);
}

// The spend was settled, so the sync no longer searched for it.
TEST(FollowerOfFullBlocks, FindsASpendAgainThatAVeryDeepReorganisationUndid) {
    regtest::RegtestChain chain;
    chain.mine(110);
    const chain::Outpoint coin{chain.pay(ListWatcher::script(0), 7'000), 0};
    chain.mine();
    const auto fork = chain.height();
    const auto unsigned_spend = test::make_spend(chain, {{coin}}, {{6'000, chain::Bytes{0x51}}});
    const auto spend = chain.submit(test::signed_by_watcher(unsigned_spend, chain));
    chain.mine(332);

    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    for (int run = 0; run < 2; ++run) {
        auto options = following(1);
        options.blocks.source = net::MatchSourceKind::full_blocks;
        net::SyncEngine engine(headers, watcher, options);
        test::SimulatedNetwork network(engine);
        network.connect(chain);
        network.run_for(minutes{2});
        chain.mine();
        network.run_for(minutes{2});
        if (run == 0) continue;
        const auto deep = chain.height() - fork;
        chain.reorganise(fork, deep + 1, regtest::RegtestChain::Dropped::to_mempool);
        chain.mine(3);
        network.run_for(minutes{5});
    }
    EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
    ASSERT_TRUE(watcher.knowledge().contains(spend));
    EXPECT_EQ(watcher.knowledge().at(spend), chain.height() - 2);
}

// A later sync without a given rate must not send another filter.
TEST(SyncPrivacy, StoresTheRequestedRateWithoutANewBlock) {
    regtest::RegtestChain chain;
    chain.mine(110);
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    for (const auto rate : {std::optional{1e-5}, std::optional{2.5e-4}, std::optional<double>{}}) {
        net::SyncOptions options;
        options.false_positive_rate = rate;
        options.wait_unconfirmed = seconds{1};
        net::SyncEngine engine(headers, watcher, options);
        test::SimulatedNetwork network(engine);
        network.connect(chain);
        network.run();
        EXPECT_TRUE(engine.finished());
        const auto memory = net::decode_sync_checkpoint(watcher.sync_state().sync_checkpoint);
        ASSERT_TRUE(memory.has_value());
        EXPECT_EQ(memory->rate, rate.value_or(2.5e-4));
    }
}

}  // namespace
}  // namespace petal
