// Unconfirmed payments in filters: the watcher's payments hide among those of strangers.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/filters/sync_checkpoint.h"
#include "net/sync/sync_engine.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::ListWatcher;

/// Watches the inputs of all unconfirmed payments that it is shown, as a wallet does.
struct CountingWatcher : ListWatcher {
    chain::WatchedOutpoints watched_outpoints() const override {
        auto outpoints = ListWatcher::watched_outpoints();
        outpoints.unconfirmed.insert(outpoints.unconfirmed.end(), inputs.begin(), inputs.end());
        return outpoints;
    }
    bool apply_unconfirmed(std::span<const chain::UnconfirmedTransaction> transactions,
                           std::span<const chain::PresentSources> sources,
                           const chain::SyncState& state) override {
        for (const auto& [txid, transaction, time] : transactions) {
            for (const chain::TxInput& input : transaction.inputs) inputs.push_back(input.prevout);
        }
        ++stores;
        return ListWatcher::apply_unconfirmed(transactions, sources, state);
    }
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::StateAfter& state_after) override {
        ++stores;
        return ListWatcher::apply(blocks, state_after);
    }
    std::size_t stores = 0;
    std::vector<chain::Outpoint> inputs;
};

/// A watcher whose filters also match a stranger's script.
class WatcherAmongStrangers : public testing::Test {
protected:
    WatcherAmongStrangers() {
        chain.mine(110);
        chain.pay(chain::Bytes{0x51}, 7'000);  // mines the coins that the purse pays from
        chain.mine();
        const ListWatcher same;
        stranger = test::foreign_output_that_matches(
            {same.watched_elements(0), same.filter_padding(), kRate});
    }

    static net::SyncOptions following() {
        net::SyncOptions options;
        options.false_positive_rate = kRate;
        options.wait_unconfirmed = net::SyncOptions::kForever;
        return options;
    }

    /// The outpoints that a transaction in the mempool creates and spends.
    std::vector<chain::Outpoint> outpoints_of(const chain::Txid& txid) const {
        std::vector<chain::Outpoint> result{{txid, 0}};
        for (const auto& input : chain.mempool().transaction(txid)->inputs) {
            result.push_back(input.prevout);
        }
        return result;
    }

    net::SyncCheckpoint memory() const {
        return net::decode_sync_checkpoint(watcher.sync_state().sync_checkpoint).value();
    }

    /// A payment to this output, of coins that do not exist.
    static chain::Transaction made_up_payment(const chain::TxOutput& output, std::uint32_t number) {
        chain::Transaction payment;
        payment.inputs.emplace_back().prevout.index = number;
        payment.outputs.push_back(output);
        return payment;
    }

    /// The peer announces and sends a transaction that no other peer has.
    static void show(net::SyncEngine& engine, net::PeerId peer, net::Now now,
                     const chain::Transaction& transaction) {
        const net::Inventory entry{net::InventoryType::tx, {transaction.txid().bytes}};
        engine.on_message(peer, net::Inv{{entry}}, now);
        engine.on_message(peer, net::Tx{transaction}, now);
    }

    static constexpr double kRate = 2.5e-4;
    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    CountingWatcher watcher;
    chain::TxOutput stranger;
};

/// Peers that are connected when payments come.
class FollowedPayments : public WatcherAmongStrangers {
protected:
    /// Connects two peers and syncs.
    void follow() {
        engine.emplace(headers, watcher, following());
        network.emplace(*engine);
        peers = {network->connect(chain), network->connect(chain)};
        network->run_for(seconds{30});
    }

    /// Connects a peer, and syncs until this time is all that is left. Returns the peer.
    net::PeerId listen_for(milliseconds time) {
        net::SyncOptions options = following();
        options.wait_unconfirmed = time;
        engine.emplace(headers, watcher, options);
        network.emplace(*engine);
        const net::PeerId peer = network->connect(chain);
        network->run([&] { return engine->status().phase == net::SyncPhase::listening; });
        return peer;
    }

    /// How many messages with this command each peer got since the last call.
    std::vector<std::size_t> sent_since(const std::string& command) {
        std::vector<std::size_t> result;
        for (const net::PeerId peer : peers) {
            const std::size_t sent = network->sent(peer)[command];
            result.push_back(sent - std::exchange(counted[{peer, command}], sent));
        }
        return result;
    }

    std::optional<net::SyncEngine> engine;
    std::optional<test::SimulatedNetwork> network;
    std::vector<net::PeerId> peers;
    std::map<std::pair<net::PeerId, std::string>, std::size_t> counted;
};

TEST_F(FollowedPayments, AreAddedToAllFiltersOnce) {
    follow();
    sent_since("filterload");
    const auto own = chain.pay(ListWatcher::script(4), 7'000);
    const auto others = chain.pay(stranger.script_pubkey, 7'000);
    std::vector<chain::Outpoint> outpoints = outpoints_of(own);
    const auto strangers = outpoints_of(others);
    outpoints.insert(outpoints.end(), strangers.begin(), strangers.end());
    network->run_for(seconds{30});
    EXPECT_EQ(sent_since("filteradd"), std::vector(peers.size(), outpoints.size()));
    for (const net::PeerId peer : peers) {
        for (const auto& outpoint : outpoints) {
            EXPECT_TRUE(network->node(peer).filter()->contains(outpoint.serialize()));
        }
    }
    chain.mine(2);
    network->run_for(seconds{30});
    EXPECT_EQ(sent_since("filterload"), std::vector<std::size_t>(peers.size(), 0));
    EXPECT_TRUE(watcher.knowledge().at(own));
}

// The timer that stores the payments fires after a random time of up to two seconds.
TEST_F(FollowedPayments, DoNotDelayBlocksThatTheirSenderHad) {
    net::SyncOptions options = following();
    options.blocks.in_flight = 20;
    options.blocks.per_batch = 50;
    engine.emplace(headers, watcher, options);
    network.emplace(*engine);
    const net::PeerId peer = network->connect(chain);
    network->run_for(seconds{30});
    chain.mine(500);
    network->run([&] { return engine->status().header_height == chain.height(); });
    ASSERT_LT(engine->status().synced_height, chain.height());
    show(*engine, peer, network->now(), made_up_payment(stranger, 1));
    const auto shown_at = network->now().steady;
    network->run([&] { return engine->status().synced_height == chain.height(); });
    EXPECT_LT(network->now().steady, shown_at + seconds{1});
    EXPECT_EQ(memory().unconfirmed.size(), 0U) << "they are stored when the timer fires";
    chain.mine();
    network->run([&] { return engine->status().synced_height == chain.height(); });
    EXPECT_EQ(memory().unconfirmed.size(), 2U) << "a newer block waits until they are stored";
}

TEST_F(FollowedPayments, AreStoredBeforeTheEnd) {
    const net::PeerId peer = listen_for(milliseconds{100});
    for (const std::uint32_t number : {1U, 2U}) {
        show(*engine, peer, network->now(), made_up_payment(stranger, number));
    }
    EXPECT_EQ(memory().unconfirmed.size(), 0U);
    EXPECT_TRUE(network->run());
    EXPECT_EQ(memory().unconfirmed.size(), 4U);
}

// A peer could otherwise keep the sync from ending.
TEST_F(FollowedPayments, AreIgnoredOnceTheWaitHasPassed) {
    const net::PeerId peer = listen_for(milliseconds{100});
    chain.mine();
    peers = {peer, network->connect(chain)};
    network->run([&] { return engine->status().header_height == chain.height(); });
    const net::Now later{network->now().steady + milliseconds{100}, network->now().unix_seconds};
    engine->on_time(later);
    ASSERT_EQ(engine->status().phase, net::SyncPhase::blocks);
    show(*engine, peer, later, made_up_payment(stranger, 1));
    EXPECT_TRUE(network->run());
    EXPECT_EQ(memory().unconfirmed.size(), 0U);
    EXPECT_EQ(sent_since("mempool"), (std::vector<std::size_t>{1, 0}));
}

/// Peers whose filters are loaded while payments are pending.
class PendingPayments : public WatcherAmongStrangers, public testing::WithParamInterface<bool> {
protected:
    using Happening = std::function<void(net::SyncEngine&, test::SimulatedNetwork&)>;

    /// Runs a process that follows the chain from a new peer while something happens. Returns the
    /// first filter that it loads.
    std::optional<bloom::BloomFilter> follow(
        bool full_blocks = false, const Happening& what_happens = [](auto&, auto&) {}) {
        net::SyncOptions options = following();
        options.blocks.source =
            full_blocks ? net::MatchSourceKind::full_blocks : net::MatchSourceKind::filtered_blocks;
        net::SyncEngine engine(headers, watcher, options);
        test::SimulatedNetwork network(engine);
        std::optional<bloom::BloomFilter> first;
        network.on_sent = [&first](const net::Message& message) {
            const auto* load = std::get_if<net::FilterLoad>(&message);
            if (load && !first) first = bloom::BloomFilter::decode(load->payload).value();
        };
        network.connect(chain);
        network.run_for(seconds{30});
        what_happens(engine, network);
        network.run_for(seconds{30});
        return first;
    }

    /// Runs a process that sees one payment to the watcher and one to the stranger.
    std::pair<chain::Txid, chain::Txid> see_two_payments() {
        std::pair<chain::Txid, chain::Txid> txids;
        follow(GetParam(), [&](auto&, auto&) {
            txids = {chain.pay(ListWatcher::script(4), 7'000),
                     chain.pay(stranger.script_pubkey, 7'000)};
        });
        return txids;
    }

    net::UnconfirmedMatches remembered() const { return memory().unconfirmed; }
};

TEST_P(PendingPayments, HideAmongStrangersFromLaterPeers) {
    chain::Txid own;
    chain::Txid others;
    chain::Txid unrelated;
    follow(GetParam(), [&](auto&, auto&) {
        own = chain.pay(ListWatcher::script(4), 7'000);
        others = chain.pay(stranger.script_pubkey, 7'000);
        unrelated = chain.pay(chain::Bytes{0x51}, 7'000);
    });
    EXPECT_TRUE(watcher.knowledge().contains(own));
    EXPECT_FALSE(watcher.knowledge().contains(others));
    EXPECT_GE(remembered().size(), 4U);

    const auto filter = follow();
    ASSERT_TRUE(filter);
    for (const auto& txid : {own, others}) {
        for (const auto& held : outpoints_of(txid)) {
            EXPECT_TRUE(filter->contains(held.serialize()));
        }
    }
    for (const auto& held : outpoints_of(unrelated)) {
        EXPECT_FALSE(filter->contains(held.serialize()));
    }
}

// A transaction that spends another coin beside the watcher's can be replaced by a spend of that
// coin, too.
TEST_P(PendingPayments, HideAllTheirInputs) {
    const auto coin = chain.pay(ListWatcher::script(4), 7'000);
    const auto beside = chain.pay(chain::Bytes{0x51}, 7'000);
    chain.mine();
    follow(GetParam(), [&](auto&, auto&) {
        const auto spend =
            test::make_spend(chain, {{{coin, 0}, {beside, 0}}}, {{9'000, chain::Bytes{0x51}}});
        chain.submit(test::signed_by_watcher(spend, chain));
    });
    EXPECT_EQ(remembered().size(), 2U);
    EXPECT_TRUE(remembered().contains({coin, 0}));
    EXPECT_TRUE(remembered().contains({beside, 0}));
}

TEST_P(PendingPayments, AreForgottenWhenABlockConfirmsOrReplacesThem) {
    const auto [own, replaced] = see_two_payments();
    EXPECT_GE(remembered().size(), 4U);
    const chain::Transaction kept = *chain.mempool().transaction(own);
    const auto prevout = chain.mempool().transaction(replaced)->inputs[0].prevout;
    chain.mine_block({kept, test::make_spend(chain, {{prevout}}, {{1'000, chain::Bytes{0x51}}})});
    follow(GetParam());
    EXPECT_FALSE(remembered().contains(kept.inputs[0].prevout)) << "it is confirmed";
    EXPECT_TRUE(remembered().contains(prevout)) << "the block may be disconnected";
    chain.mine(chain::kReorganisationReach + 1);
    follow(GetParam());
    chain.mine();  // stored with the next block
    follow(GetParam());
    EXPECT_EQ(remembered().size(), 0U);
    EXPECT_TRUE(follow()->contains(chain::Outpoint{own, 0}.serialize()));
}

TEST_P(PendingPayments, HideAgainWhenTheirBlockIsUndone) {
    const auto [own, others] = see_two_payments();
    std::vector<chain::Outpoint> spent;
    for (const auto& txid : {own, others}) {
        for (const auto& input : chain.mempool().transaction(txid)->inputs) {
            spent.push_back(input.prevout);
        }
    }
    chain.mine();
    follow(GetParam());
    EXPECT_EQ(remembered().size(), 0U);
    chain.reorganise(chain.height() - 1, 2, regtest::RegtestChain::Dropped::forgotten);
    follow(GetParam());
    for (const auto& outpoint : spent) EXPECT_TRUE(remembered().contains(outpoint));
}

// Otherwise a peer could fabricate payments and wait until those to strangers are forgotten. What
// is left in filters would show which payment paid the watcher. Showing a conflicting spend must
// not reveal it either.
TEST_P(PendingPayments, LeaveFiltersAsStrangersDo) {
    const auto own = made_up_payment({7'000, ListWatcher::script(4)}, 1);
    const auto others = made_up_payment(stranger, 2);
    const auto later = made_up_payment(stranger, 3);
    auto replacement = made_up_payment({7'000, chain::Bytes{0x51}}, 1);
    replacement.inputs.emplace_back().prevout.index = 4;
    const auto show_all = [this](const std::vector<chain::Transaction>& payments, seconds when) {
        follow(GetParam(), [&](net::SyncEngine& engine, test::SimulatedNetwork& network) {
            network.sleep(when);
            for (const auto& payment : payments) show(engine, 1, network.now(), payment);
        });
        return follow().value();
    };
    const auto is_in = [](const bloom::BloomFilter& filter, const chain::Transaction& payment) {
        const bool coin = filter.contains(chain::Outpoint{payment.txid(), 0}.serialize());
        EXPECT_EQ(filter.contains(payment.inputs.back().prevout.serialize()), coin);
        return coin;
    };
    const auto first = show_all({own, others}, {});
    EXPECT_TRUE(is_in(first, own));
    EXPECT_TRUE(is_in(first, others));
    const seconds two_weeks{chain::kUnconfirmedLifetime + 60};
    const auto second = show_all({later, replacement}, two_weeks);
    for (const auto& gone : {own, others, replacement}) EXPECT_FALSE(is_in(second, gone));
    EXPECT_TRUE(is_in(second, later));
    EXPECT_TRUE(watcher.knowledge().contains(own.txid()));
    EXPECT_TRUE(is_in(show_all({own}, two_weeks), own)) << "a peer shows it again";
}

// After a full-block sync, which cannot ask for them, the next one shows them as new.
TEST_P(PendingPayments, ReturnToFiltersIfPeersShowThemAfterTheirFirstBlockIsUndone) {
    for (const auto dropped :
         {regtest::RegtestChain::Dropped::forgotten, regtest::RegtestChain::Dropped::to_mempool}) {
        const auto own = chain.pay(ListWatcher::script(4), 7'000);
        const auto others = chain.pay(stranger.script_pubkey, 7'000);
        std::vector<chain::Outpoint> outpoints = outpoints_of(own);
        for (const auto& outpoint : outpoints_of(others)) outpoints.push_back(outpoint);
        chain.mine();
        follow(GetParam());
        EXPECT_EQ(remembered().size(), 0U);
        chain.reorganise(chain.height() - 1, 2, dropped);
        follow(GetParam());
        follow();  // learns of them, if it was not asked for them before
        const auto filter = follow().value();
        const bool is_shown = dropped == regtest::RegtestChain::Dropped::to_mempool;
        EXPECT_EQ(remembered().size(), is_shown ? outpoints.size() : 0U);
        for (const auto& [txid, index] : outpoints) {
            // Filters may also hold the coins of blocks that were served.
            if (txid == own || txid == others) continue;
            EXPECT_EQ(filter.contains(chain::Outpoint{txid, index}.serialize()), is_shown);
        }
    }
}

// Otherwise a peer that has filled the memory could test addresses. The peer would fabricate a
// payment to a matching address, and the next filter would contain the payment only if the address
// is the watcher's.
TEST_P(PendingPayments, AreTreatedLikeStrangersIfThereIsNoRoom) {
    std::vector<chain::Transaction> last;
    chain::Transaction of_another_peer;
    follow(GetParam(), [&](net::SyncEngine& engine, test::SimulatedNetwork& network) {
        const net::PeerId other = network.connect(chain);
        network.run_for(seconds{30});
        for (std::uint32_t i = 0; i < net::kMaxUnconfirmedOutpoints; ++i) {
            show(engine, 1, network.now(), made_up_payment(stranger, i));
        }
        for (const auto& output : {stranger, chain::TxOutput{7'000, ListWatcher::script(4)}}) {
            last.push_back(made_up_payment(output, 5'000));
            show(engine, 1, network.now(), last.back());
        }
        of_another_peer = made_up_payment({7'000, ListWatcher::script(5)}, 6'000);
        show(engine, other, network.now(), of_another_peer);
    });
    // Without filters for blocks, only the first peer relays.
    const bool is_taken = !GetParam();
    EXPECT_EQ(remembered().size(), net::kMaxUnconfirmedOutpoints / 2 + (is_taken ? 2 : 0));
    const auto filter = follow();
    ASSERT_TRUE(filter);
    for (const auto& payment : last) {
        EXPECT_FALSE(filter->contains(chain::Outpoint{payment.txid(), 0}.serialize()));
        EXPECT_FALSE(watcher.knowledge().contains(payment.txid()));
    }
    EXPECT_EQ(filter->contains(chain::Outpoint{of_another_peer.txid(), 0}.serialize()), is_taken);
    EXPECT_EQ(watcher.knowledge().contains(of_another_peer.txid()), is_taken);
}

// With a year's outpoints, each store writes a megabyte.
TEST_P(PendingPayments, AreStoredTogether) {
    std::size_t before = 0;
    follow(GetParam(), [&](net::SyncEngine& engine, test::SimulatedNetwork& network) {
        before = watcher.stores;
        for (std::uint32_t i = 0; i < 500; ++i) {
            show(engine, 1, network.now(), made_up_payment(stranger, i));
        }
        EXPECT_EQ(watcher.stores, before);
    });
    EXPECT_EQ(watcher.stores, before + 1);
    EXPECT_EQ(remembered().size(), 1'000U);
}

TEST_P(PendingPayments, AreStoredThenAddedToFiltersBeforeTheNextBlock) {
    std::size_t adds = 0;
    follow(GetParam(), [&](net::SyncEngine& engine, test::SimulatedNetwork& network) {
        const auto last = made_up_payment(stranger, 2);
        for (const auto& payment : {made_up_payment(stranger, 1), last}) {
            show(engine, 1, network.now(), payment);
        }
        network.step();
        EXPECT_FALSE(remembered().contains({last.txid(), 0}));
        network.on_sent = [&, last](const net::Message& message) {
            if (std::holds_alternative<net::FilterAdd>(message)) ++adds;
            if (adds > 0) {
                EXPECT_TRUE(remembered().contains({last.txid(), 0}));
            }
            const auto* asks = std::get_if<net::GetData>(&message);
            if (asks && asks->entries[0].type == net::InventoryType::filtered_block) {
                EXPECT_EQ(adds, 4U);
            }
        };
        chain.mine();
        network.run_for(seconds{5});
        network.on_sent = {};
    });
    EXPECT_EQ(adds, GetParam() ? 0U : 4U);
}

INSTANTIATE_TEST_SUITE_P(From, PendingPayments, testing::Bool(), [](const auto& row) {
    return row.param ? "FullBlocks" : "FilteredBlocks";
});

}  // namespace
}  // namespace petal
