// Unlikely histories in which a sync could miss a transaction.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <set>
#include <vector>

#include "tests/net/sync/awkward_scene.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using std::chrono::milliseconds;
using test::HandDriven;
using test::listening_for;
using test::ListWatcher;
using test::options_for;
using test::Simulated;

/// A script that no wallet watches.
const chain::Bytes kForeignScript{0x51};

class AwkwardMoments : public testing::Test {
protected:
    /// All peers answer until each of them owes blocks. Then the quick peer sends all of its
    /// blocks.
    static void leave_blocks_outstanding(test::HandDrivenNetwork& network, net::PeerId quick,
                                         std::initializer_list<net::PeerId> all) {
        constexpr int kEnoughForHeaders = 30;
        for (int i = 0; i < kEnoughForHeaders; ++i) {
            for (const auto peer : all) {
                if (network.sent(peer, "getdata") == 0) network.deliver_next(peer);
            }
        }
        network.deliver_all(quick);
    }
    /// Calls leave_blocks_outstanding(). Then the quick peer is asked for the blocks that the
    /// others owe.
    static void take_over_outstanding_blocks(test::HandDrivenNetwork& network, net::PeerId quick,
                                             std::initializer_list<net::PeerId> all) {
        leave_blocks_outstanding(network, quick, all);
        network.advance(milliseconds{1'200});
    }
    /// Lets all peers answer until the sync ends.
    static void end(const net::SyncEngine& engine, test::HandDrivenNetwork& network,
                    std::initializer_list<net::PeerId> all) {
        for (int i = 0; i < 40 && !engine.finished(); ++i) {
            network.advance(milliseconds{500});
            for (const auto peer : all) network.deliver_all(peer);
        }
        EXPECT_TRUE(engine.finished());
    }

    chain::Transaction payment(std::uint32_t script) {
        return chain.make_payment({{10'000, ListWatcher::script(script)}});
    }
    /// Spends a payment without change, so that only the outpoint shows that the spend is the
    /// watcher's.
    chain::Transaction sweep_of(const chain::Transaction& payment) {
        const chain::Outpoint coin{payment.txid(), 0};
        return test::make_spend(chain, {{coin}}, {{9'000, kForeignScript}});
    }
    /// Spends a payment without change, in 64 bytes without the witness.
    chain::Transaction small_spend_of(const chain::Transaction& payment) {
        const chain::Bytes anchor{0x51, 0x02, 0x4e, 0x73};
        const auto spend = test::make_spend(chain, {{{payment.txid(), 0}}}, {{9'000, anchor}});
        EXPECT_TRUE(chain::is_merkle_node_sized(spend.serialize_without_witness().size()));
        return spend;
    }
    /// Spends the coin that the payment spends. Once it is confirmed, the payment can never be.
    chain::Transaction replacement_of(const chain::Transaction& payment) {
        return test::make_spend(chain, {{payment.inputs[0].prevout}}, {{5'000, kForeignScript}});
    }
    /// Syncs from one node, with few blocks in flight, and expects that nothing is missed. Returns
    /// how many filters were loaded.
    std::uint64_t filters_loaded_by_a_sync() {
        net::SyncOptions options;
        options.blocks.in_flight = 16;
        Simulated sync(options);
        sync.network.connect(chain);
        EXPECT_TRUE(sync.network.run());
        EXPECT_EQ(sync.watcher.knowledge(), test::read_whole_chain(chain, sync.watcher.watched()));
        return sync.engine.status().counts.filter_loads;
    }

    regtest::RegtestChain chain;
};

class GrowingLists : public AwkwardMoments {
protected:
    /// The second output of the first payment belongs to the watcher only after `grow` has extended
    /// its list. By then, the block with the spend of that output has been scanned by a filter that
    /// did not contain its outpoint.
    void expect_spend_found(const std::function<void(ListWatcher&)>& grow) {
        chain.mine(105);
        const auto first = chain.make_payment(
            {{10'000, ListWatcher::script(0)}, {10'000, ListWatcher::script(35)}});
        chain.mine_block({first});
        chain.mine(10);
        const auto spend =
            test::make_spend(chain, {{{first.txid(), 1}}}, {{9'000, kForeignScript}});
        chain.mine_block({spend});
        chain.mine(10);
        auto options = listening_for(net::SyncOptions::kForever);
        options.refresh_watcher_every = milliseconds{1'000};
        Simulated sync(options);
        sync.network.connect(chain);
        sync.network.run([&] { return sync.is_listening(); });
        EXPECT_EQ(sync.watcher.knowledge().size(), 1U);
        grow(sync.watcher);
        sync.network.run_for(milliseconds{10'000});
        EXPECT_TRUE(sync.watcher.knowledge().contains(spend.txid()));
        EXPECT_EQ(sync.watcher.sync_state().synced->height, chain.height());
    }
};

TEST_F(GrowingLists, FindAnEarlierSpendAfterAPaymentInABlock) {
    expect_spend_found([this](ListWatcher&) { chain.mine_block({payment(12)}); });
}

TEST_F(GrowingLists, FindAnEarlierSpendAfterAnUnconfirmedPayment) {
    expect_spend_found([this](ListWatcher&) { chain.pay(ListWatcher::script(12), 7'000); });
}

TEST_F(GrowingLists, FindAnEarlierSpendAfterGrowthElsewhere) {
    expect_spend_found([](ListWatcher& watcher) { watcher.grow_elsewhere(); });
}

// The server adds the coin's outpoint to the filter that it currently uses. If a new filter is on
// its way already, the outpoint has to be added to the new one as well.
TEST_F(AwkwardMoments, FindACoinInTheLastBlockBeforeAFilterIsReplaced) {
    chain.mine(105);
    const auto first = payment(0);
    chain.mine_block({first});
    // These outputs match because they contain the first coin's outpoint. Their own outpoints fill
    // the server's filter, but a new filter does not contain them.
    const chain::Outpoint coin{first.txid(), 0};
    const std::vector<chain::TxOutput> many(700, {1'000, chain::push_data(coin.serialize())});
    for (int i = 0; i < 2; ++i) chain.mine_block({chain.make_payment(many)});
    // Every block that could be the last one before the new filter has a coin. Its spend is so far
    // above that its block has not been requested by then.
    std::vector<chain::Transaction> payments;
    for (int i = 0; i < 100; ++i) {
        payments.push_back(payment(1));
        chain.mine_block({payments.back()});
    }
    chain.mine(60);
    for (const auto& paid : payments) chain.mine_block({sweep_of(paid)});
    chain.mine(3);

    EXPECT_EQ(filters_loaded_by_a_sync(), 2U);
}

TEST_F(AwkwardMoments, KeepAFilterIfANewOneWouldBeEqual) {
    chain.mine(105);
    const std::vector<chain::TxOutput> many(700, {1'000, ListWatcher::script(0)});
    for (int i = 0; i < 2; ++i) chain.mine_block({chain.make_payment(many)});
    for (int i = 0; i < 100; ++i) chain.mine_block({payment(1)});

    EXPECT_EQ(filters_loaded_by_a_sync(), 1U);
}

// A transaction of 64 bytes could be an inner node of the merkle tree, so a merkle proof does not
// show that it is in the block.
TEST_F(AwkwardMoments, FindSpendsOfTheSizeOfAnInnerNode) {
    const auto paid = payment(1);
    chain.mine_block({paid});
    const auto spend = small_spend_of(paid);
    const auto beside = payment(2);
    chain.mine_block({spend, beside});
    chain.mine_block({sweep_of(beside)});
    chain.mine(10);
    // This payment becomes known only after the first full block was searched.
    const auto paid_later = payment(3);
    chain.mine_block({paid_later});
    chain.mine_block({small_spend_of(paid_later)});

    regtest::NodeBehaviour omitting;
    omitting.faults = {{.kind = regtest::FaultKind::omit_match, .transaction = spend.txid()}};
    // A payment left out of the filtered block is found in the full block.
    regtest::NodeBehaviour omitting_more;
    omitting_more.faults = {
        {.kind = regtest::FaultKind::omit_match, .times = 2, .script = ListWatcher::script(2)}};
    const std::vector<std::vector<regtest::NodeBehaviour>> networks{
        {{}}, {{}, {}}, {omitting, {}}, {{}, omitting}, {omitting_more}};
    for (const auto& nodes : networks) {
        net::SyncOptions options = options_for(nodes.size());
        options.blocks.cross_check = net::CrossCheckMode::all;
        options.blocks.in_flight = 2;
        Simulated sync(options);
        for (const auto& node : nodes) sync.network.connect(chain, node);
        EXPECT_TRUE(sync.network.run());
        EXPECT_EQ(sync.watcher.knowledge(), test::read_whole_chain(chain, sync.watcher.watched()));
        EXPECT_EQ(sync.engine.status().counts.full_blocks, 2U);
        for (const auto& peer : sync.engine.status().peers) EXPECT_EQ(peer.misbehaviour, 0U);
    }
}

TEST_F(AwkwardMoments, WakeTheSyncWhenAnIdlePeerCanHelpOut) {
    chain.mine(240 - chain.height());
    HandDriven sync(options_for(2), {200, 0});
    auto& network = sync.network;
    const auto owing = network.connect(chain);
    const auto quick = network.connect(chain);
    leave_blocks_outstanding(network, quick, {owing, quick});
    const auto start = network.now().steady;
    const auto asked_before = network.sent(quick, "getdata");
    while (network.sent(quick, "getdata") == asked_before) {
        const auto due = sync.engine.next_deadline();
        ASSERT_TRUE(due);
        ASSERT_LT(*due, start + milliseconds{1'200})
            << "the deadline is before the other peer counts as silent";
        network.advance(std::max(*due - network.now().steady, milliseconds{0}));
    }
}

// The idle peer is asked for nothing then, so a deadline for its help would wake the sync without
// end.
TEST_F(AwkwardMoments, DoNotWakeTheSyncWhileTooManyCrossChecksAreDue) {
    chain.mine(2'400 - chain.height());
    auto options = options_for(2);
    options.blocks.cross_check = net::CrossCheckMode::all;
    HandDriven sync(options, {});
    auto& network = sync.network;
    const auto owing = network.connect(chain);
    const auto quick = network.connect(chain);
    leave_blocks_outstanding(network, quick, {owing, quick});
    EXPECT_GE(sync.engine.status().counts.filtered_blocks, 1'000U);
    EXPECT_LT(sync.engine.status().counts.filtered_blocks, 2'300U);
    network.advance(milliseconds{1'100});
    EXPECT_GT(sync.engine.next_deadline(), network.now().steady);
}

// Two peers owe the block that spends a coin. The filter of the peer that finds the coin contains
// its outpoint. The other peer's filter does not, and the other peer's answer comes first.
TEST_F(AwkwardMoments, FindACoinInABlockRequestedFromTwoPeers) {
    const auto paid = payment(1);
    chain.mine(204 - chain.height());
    chain.mine_block({paid});
    chain.mine(15);
    chain.mine_block({sweep_of(paid)});
    chain.mine(26);

    HandDriven sync(options_for(3), {200, 0});
    auto& network = sync.network;
    const auto finder = network.connect(chain);
    const auto helper = network.connect(chain);
    const auto owing = network.connect(chain);
    take_over_outstanding_blocks(network, owing, {finder, helper, owing});
    while (sync.engine.status().counts.transactions == 0 && network.deliver_next(owing)) {
    }
    for (const auto peer : {helper, owing, finder}) network.deliver_all(peer);
    end(sync.engine, network, {finder, helper, owing});
    EXPECT_EQ(sync.watcher.knowledge(), test::read_whole_chain(chain, sync.watcher.watched()));
}

// The first answer shows that only the full block can be relied on. The second answer leaves out a
// spend, although both filters have contained the coin from the start. It must not count any more.
TEST_F(AwkwardMoments, FindASpendInABlockThatIsThenRequestedInFull) {
    const auto paid = payment(1);
    chain.mine(204 - chain.height());
    chain.mine_block({paid});
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    watcher.set_birthday({200, 0});
    {
        net::SyncEngine earlier(headers, watcher, options_for(1));
        test::SimulatedNetwork network(earlier);
        network.connect(chain);
        ASSERT_TRUE(network.run());
    }
    const auto spend = small_spend_of(paid);
    chain.mine_block({spend});
    chain.mine(40);
    regtest::NodeBehaviour omitting;
    omitting.faults = {{.kind = regtest::FaultKind::omit_match, .transaction = spend.txid()}};

    auto options = options_for(2);
    options.blocks.cross_check = net::CrossCheckMode::none;
    net::SyncEngine engine(headers, watcher, options);
    test::HandDrivenNetwork network(engine);
    const auto honest = network.connect(chain);
    const auto liar = network.connect(chain, omitting);
    take_over_outstanding_blocks(network, liar, {honest, liar});
    const auto served = [&engine] { return engine.status().counts.filtered_blocks; };
    const std::size_t served_by_liar = served();
    while (served() == served_by_liar && network.deliver_next(honest)) {
    }
    network.deliver_all(liar);
    end(engine, network, {honest, liar});
    EXPECT_EQ(engine.status().counts.full_blocks, 1U);
    EXPECT_TRUE(watcher.knowledge().contains(spend.txid()));
}

/// Watches the inputs of an unconfirmed payment, as a wallet does: a block that spends one of them
/// otherwise ends the payment. Records the transactions that it is shown.
class CarefulWatcher : public ListWatcher {
public:
    chain::WatchedOutpoints watched_outpoints() const override {
        auto outpoints = ListWatcher::watched_outpoints();
        if (is_unconfirmed_) outpoints.unconfirmed.push_back(*coin_);
        return outpoints;
    }
    void undo_to(const chain::BlockRef& fork) override {
        ListWatcher::undo_to(fork);
        if (coin_) is_unconfirmed_ = true;
    }
    bool apply_unconfirmed(std::span<const chain::UnconfirmedTransaction> transactions,
                           std::span<const chain::PresentSources> sources,
                           const chain::SyncState& state) override {
        for (const auto& [txid, transaction, time] : transactions) {
            if (coin_ && transaction.inputs[0].prevout == *coin_) is_unconfirmed_ = true;
        }
        return ListWatcher::apply_unconfirmed(transactions, sources, state);
    }
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::StateAfter& state_after) override {
        for (const auto& block : blocks) {
            for (const auto& proven : block.transactions) seen_.insert(proven.txid);
        }
        return ListWatcher::apply(blocks, state_after);
    }

    /// From now on, tracks whether the payment is unconfirmed.
    void care_about(const chain::Transaction& payment) { coin_ = payment.inputs[0].prevout; }
    bool is_unconfirmed() const { return is_unconfirmed_; }
    bool has_seen(const chain::Transaction& transaction) const {
        return seen_.contains(transaction.txid());
    }

private:
    std::optional<chain::Outpoint> coin_;
    bool is_unconfirmed_ = false;
    std::set<chain::Txid> seen_;
};
using SimulatedCareful = test::Sync<test::SimulatedNetwork, CarefulWatcher>;

// The reorganisation makes the payment unconfirmed, so its input has to be watched. No filter
// contains that input so far.
TEST_F(AwkwardMoments, ReplaceAPaymentInAReorganisation) {
    chain.mine(110);
    const auto paid = payment(1);
    chain.mine_block({paid});
    chain.mine(3);
    SimulatedCareful sync(listening_for(milliseconds{60'000}));
    sync.network.connect(chain);
    sync.network.run([&] { return sync.is_listening(); });
    sync.watcher.care_about(paid);

    chain.reorganise(chain.height() - 5, 7, regtest::RegtestChain::Dropped::forgotten);
    const auto replacement = replacement_of(paid);
    chain.mine_block({replacement});
    chain.mine(2);
    EXPECT_TRUE(sync.network.run());
    EXPECT_EQ(sync.watcher.sync_state().synced->height, chain.height());
    EXPECT_TRUE(sync.watcher.is_unconfirmed());
    EXPECT_TRUE(sync.watcher.has_seen(replacement));
}

// The same, with a payment that was never in a block.
TEST_F(AwkwardMoments, ReplaceAPaymentBeforeItIsConfirmed) {
    chain.mine(110);
    const auto paid = payment(1);
    chain.mine(3);
    SimulatedCareful sync(listening_for(milliseconds{60'000}));
    sync.network.connect(chain);
    sync.network.run([&] { return sync.is_listening(); });
    sync.watcher.care_about(paid);

    chain.submit(paid);
    sync.network.run([&] { return sync.watcher.is_unconfirmed(); });
    const auto replacement = replacement_of(paid);
    chain.mine_block({replacement});
    EXPECT_TRUE(sync.network.run());
    EXPECT_EQ(sync.watcher.sync_state().synced->height, chain.height());
    EXPECT_TRUE(sync.watcher.is_unconfirmed());
    EXPECT_TRUE(sync.watcher.has_seen(replacement));
}

}  // namespace
}  // namespace petal
