// Unlikely histories and peers by which a sync could miss something, or stand
// still.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/hand_driven_network.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using std::chrono::milliseconds;
using test::ListWatcher;

/// A script that no wallet watches.
const chain::Bytes kForeignScript{0x51};

/// Syncs a watcher of this kind, over a network that is either driven by hand or simulated.
template <typename Network, typename Watcher = ListWatcher>
struct Sync {
    explicit Sync(net::SyncOptions options, chain::Birthday birthday = {})
        : engine((watcher.set_birthday(birthday), headers), watcher, std::move(options)),
          network(engine) {}

    net::SyncPhase phase() const { return engine.status().phase; }
    bool is_listening() const { return phase() == net::SyncPhase::listening; }

    chain::HeaderChain headers{*chain::find_network("regtest")};
    Watcher watcher;
    net::SyncEngine engine;
    Network network;
};
using HandDriven = Sync<test::HandDrivenNetwork>;
using Simulated = Sync<test::SimulatedNetwork>;

net::SyncOptions options_for(std::size_t peers) {
    net::SyncOptions options;
    options.expected_peers = peers;
    return options;
}

net::SyncOptions listening_for(milliseconds time, std::size_t peers = 1) {
    net::SyncOptions options = options_for(peers);
    options.wait_unconfirmed = time;
    return options;
}

net::Inv announcement_of(const chain::BlockHash& block) {
    net::Inv inv;
    inv.entries.push_back({net::InventoryType::block, chain::Hash256{block.bytes}});
    return inv;
}

class AwkwardMoments : public testing::Test {
protected:
    chain::Transaction payment(std::uint32_t script) {
        return chain.make_payment({{10'000, ListWatcher::script(script)}});
    }
    /// Spends a payment without change: only the outpoint shows whose it is.
    chain::Transaction sweep_of(const chain::Transaction& payment) {
        const chain::Outpoint coin{payment.txid(), 0};
        return test::make_spend(chain, {{coin}}, {{9'000, kForeignScript}});
    }
    /// The same in 64 bytes without its witness.
    chain::Transaction small_spend_of(const chain::Transaction& payment) {
        const chain::Bytes anchor{0x51, 0x02, 0x4e, 0x73};
        const auto spend = test::make_spend(chain, {{{payment.txid(), 0}}}, {{9'000, anchor}});
        EXPECT_TRUE(chain::is_merkle_node_sized(spend.serialize_without_witness().size()));
        return spend;
    }
    /// Spends what the payment spends, so that it can never be confirmed.
    chain::Transaction replacement_of(const chain::Transaction& payment) {
        return test::make_spend(chain, {{payment.inputs[0].prevout}}, {{5'000, kForeignScript}});
    }
    /// Syncs from one node, with few blocks in flight, to the whole truth.
    std::uint64_t filters_loaded_by_a_sync() {
        net::SyncOptions options;
        options.blocks.in_flight = 16;
        Simulated sync(options);
        sync.network.connect(chain);
        EXPECT_TRUE(sync.network.run());
        EXPECT_EQ(sync.watcher.knowledge(), test::read_whole_chain(chain, sync.watcher.watched()));
        return sync.engine.status().counts.filter_loads;
    }

    net::RegtestChain chain;
};

class GrowingLists : public AwkwardMoments {
protected:
    /// The second output of the first payment is known to be the watcher's once `grow` has let the
    /// list grow over it. By then its spend has been passed over, since no filter held its
    /// outpoint.
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

// The server puts a coin into the filter that it searches by. Where that one's successor is on its
// way already, the successor has to be told of the coin too.
TEST_F(AwkwardMoments, FindACoinInTheLastBlockBeforeAFilterIsReplaced) {
    chain.mine(105);
    const auto first = payment(0);
    chain.mine_block({first});
    // These match by the first coin's outpoint, so that a new filter does not hold theirs.
    const chain::Outpoint coin{first.txid(), 0};
    const std::vector<chain::TxOutput> many(700, {1'000, chain::push_data(coin.serialize())});
    for (int i = 0; i < 2; ++i) chain.mine_block({chain.make_payment(many)});
    // Whichever block is the last one before the new filter, there is a coin in it; and its spend
    // is too far above for having been asked for by then.
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

TEST_F(AwkwardMoments, KeepAFilterThatANewOneWouldEqual) {
    chain.mine(105);
    const std::vector<chain::TxOutput> many(700, {1'000, ListWatcher::script(0)});
    for (int i = 0; i < 2; ++i) chain.mine_block({chain.make_payment(many)});
    for (int i = 0; i < 100; ++i) chain.mine_block({payment(1)});

    EXPECT_EQ(filters_loaded_by_a_sync(), 1U);
}

// They could be inner nodes of the tree, so that no proof shows them to be in a block.
TEST_F(AwkwardMoments, FindSpendsOfTheSizeOfAnInnerNode) {
    const auto paid = payment(1);
    chain.mine_block({paid});
    const auto spend = small_spend_of(paid);
    const auto beside = payment(2);
    chain.mine_block({spend, beside});
    chain.mine_block({sweep_of(beside)});
    chain.mine(10);
    // Known only after the first full block was searched.
    const auto paid_later = payment(3);
    chain.mine_block({paid_later});
    chain.mine_block({small_spend_of(paid_later)});

    net::NodeBehaviour omitting;
    omitting.faults = {{.kind = net::FaultKind::omit_match, .transaction = spend.txid()}};
    // What else is left out of the filtered block is found in the full one.
    net::NodeBehaviour omitting_more;
    omitting_more.faults = {
        {.kind = net::FaultKind::omit_match, .times = 2, .script = ListWatcher::script(2)}};
    const std::vector<std::vector<net::NodeBehaviour>> networks{
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

// Two peers owe the block that spends a coin. The one that finds the coin serves that block by a
// filter with it, but the other, whose answer comes first, does not.
TEST_F(AwkwardMoments, FindACoinInABlockThatTwoPeersOwe) {
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
    const auto all = {finder, helper, owing};
    constexpr int kEnoughForHeaders = 30;
    for (int i = 0; i < kEnoughForHeaders; ++i) {
        for (const auto peer : all) {
            if (network.sent(peer, "getdata") == 0) network.hear(peer);
        }
    }
    network.hear_out(owing);
    network.advance(milliseconds{1'200});  // it takes over what the others owe
    while (sync.engine.status().counts.transactions == 0 && network.hear(owing)) {
    }
    for (const auto peer : {helper, owing, finder}) network.hear_out(peer);
    for (int i = 0; i < 40 && !sync.engine.finished(); ++i) {
        network.advance(milliseconds{500});
        for (const auto peer : all) network.hear_out(peer);
    }
    EXPECT_TRUE(sync.engine.finished());
    EXPECT_EQ(sync.watcher.knowledge(), test::read_whole_chain(chain, sync.watcher.watched()));
}

/// Watches what an unconfirmed payment spends, as a wallet does: a block that spends it otherwise
/// ends the payment. Remembers what it is shown.
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
                           const chain::SyncState& state) override {
        for (const auto& [txid, transaction, time] : transactions) {
            if (coin_ && transaction.inputs[0].prevout == *coin_) is_unconfirmed_ = true;
        }
        return ListWatcher::apply_unconfirmed(transactions, state);
    }
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::SyncState& state) override {
        for (const auto& block : blocks) {
            for (const auto& proven : block.transactions) seen_.insert(proven.txid);
        }
        return ListWatcher::apply(blocks, state);
    }

    /// From now on it matters whether the payment is unconfirmed.
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
using SimulatedCareful = Sync<test::SimulatedNetwork, CarefulWatcher>;

// The reorganisation makes the payment unconfirmed, and so its input one to be watched, which no
// filter holds so far.
TEST_F(AwkwardMoments, ReplaceAPaymentInAReorganisation) {
    chain.mine(110);
    const auto paid = payment(1);
    chain.mine_block({paid});
    chain.mine(3);
    SimulatedCareful sync(listening_for(milliseconds{60'000}));
    sync.network.connect(chain);
    sync.network.run([&] { return sync.is_listening(); });
    sync.watcher.care_about(paid);

    chain.reorganise(chain.height() - 5, 7, net::RegtestChain::Dropped::forgotten);
    const auto replacement = replacement_of(paid);
    chain.mine_block({replacement});
    chain.mine(2);
    EXPECT_TRUE(sync.network.run());
    EXPECT_EQ(sync.watcher.sync_state().synced->height, chain.height());
    EXPECT_TRUE(sync.watcher.is_unconfirmed());
    EXPECT_TRUE(sync.watcher.has_seen(replacement));
}

// The same where the payment never was in a block.
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

class AwkwardPeers : public testing::Test {
protected:
    net::RegtestChain chain;
};

// One new header in each answer is always something, and yet never comes to an end.
TEST_F(AwkwardPeers, CannotKeepOthersFromBeingAskedForHeaders) {
    chain.mine(500);
    HandDriven sync(options_for(2));
    auto& network = sync.network;
    const auto miser = network.connect(chain);
    network.falsify(miser, [this, shown = 0U](net::Message& message) mutable {
        auto* headers = std::get_if<net::Headers>(&message);
        if (headers != nullptr) headers->headers.assign(1, chain.block_at(++shown).header);
    });
    network.hear_out(miser);
    const auto honest = network.connect(chain);
    for (int i = 0; i < 480; ++i) {
        network.advance(milliseconds{500});
        network.hear_out(miser);
        network.hear_out(honest);
    }
    EXPECT_EQ(sync.headers.tip().height, 500U);
    EXPECT_TRUE(sync.engine.finished());
}

// Each announcement has the announcer asked for headers, which it does not send.
TEST_F(AwkwardPeers, CannotPutOffTheEndWithUnknownBlocks) {
    chain.mine(200);
    HandDriven sync(listening_for(milliseconds{10'000}, 2));
    auto& network = sync.network;
    const auto honest = network.connect(chain);
    network.hear_out(honest);
    ASSERT_TRUE(sync.is_listening());

    const auto liar = network.connect_puppet();
    net::Version version;
    version.services = 0xffff;
    version.nonce = 5;
    network.say(liar, version);
    network.say(liar, net::Verack{});
    for (int i = 1; i <= 300 && !sync.engine.finished(); ++i) {
        chain::BlockHash unknown;
        unknown.bytes = {static_cast<chain::Byte>(i), static_cast<chain::Byte>(i >> 8), 0x77};
        network.say(liar, announcement_of(unknown));
        if (const auto nonce = network.take_ping(liar)) network.say(liar, net::Pong{*nonce});
        network.advance(milliseconds{1'500});
    }
    EXPECT_TRUE(sync.engine.finished());
}

// Two blocks of the same height: each peer lacks the other's, and neither is to blame.
TEST_F(AwkwardPeers, MayHaveAnotherTipHonestly) {
    net::RegtestChain other;
    chain.mine(200);
    other.mine(199);
    other.mine(1, ListWatcher::script(900));
    ASSERT_EQ(chain.block_at(199).header.hash(), other.block_at(199).header.hash());
    ASSERT_NE(chain.tip(), other.tip());
    Simulated sync(options_for(2));
    net::NodeBehaviour slow;
    slow.block_time = milliseconds{5};
    const auto one = sync.network.connect(chain, slow);
    const auto another = sync.network.connect(other, slow);
    sync.network.run();
    EXPECT_EQ(sync.network.dropped(one), std::nullopt);
    EXPECT_EQ(sync.network.dropped(another), std::nullopt);
}

// The header is no news then, but that this peer has the block is.
TEST_F(AwkwardPeers, MayAnnounceABlockThatAnotherShowedBefore) {
    net::RegtestChain ahead;
    chain.mine(200);
    ahead.mine(201);
    HandDriven sync(listening_for(milliseconds{1'000'000}, 2));
    auto& network = sync.network;
    const auto staying = network.connect(chain);
    network.hear_out(staying);
    ASSERT_EQ(sync.watcher.sync_state().synced->height, 200U);
    const auto leaving = network.connect(ahead);
    while (sync.headers.tip().height < 201) network.hear(leaving);
    network.cut(leaving);
    network.hear_out(staying);  // it is asked for the block, and does not have it yet

    chain.mine(1);
    ASSERT_EQ(chain.tip(), ahead.tip());
    const auto asked = network.sent(staying, "getdata");
    network.lose_words(staying);  // it may announce by headers, which say the same
    network.say(staying, announcement_of(chain.tip()));
    for (int i = 0; i < 5; ++i) {
        network.advance(milliseconds{1'000});
        network.hear_out(staying);
    }
    EXPECT_GT(network.sent(staying, "getdata"), asked);
    EXPECT_EQ(sync.watcher.sync_state().synced->height, 201U);
}

// Bitcoin Core's version message may be older than its last block.
TEST_F(AwkwardPeers, AreAskedForBlocksThatNoPeerClaimsToHave) {
    for (const bool has_them : {true, false}) {
        net::RegtestChain whole;
        whole.mine(20, ListWatcher::script(1));
        net::RegtestChain part;
        part.mine(18, ListWatcher::script(1));
        chain::HeaderChain headers{*chain::find_network("regtest")};
        ListWatcher first;
        net::SyncEngine stores_headers(headers, first, {});
        test::SimulatedNetwork earlier(stores_headers);
        earlier.connect(whole);
        ASSERT_TRUE(earlier.run());

        ListWatcher watcher;
        net::SyncEngine engine(headers, watcher, options_for(1));
        test::HandDrivenNetwork network(engine);
        const auto peer = network.connect(has_them ? whole : part);
        network.falsify(peer, [](net::Message& message) {
            if (auto* version = std::get_if<net::Version>(&message)) version->start_height = 18;
        });
        for (int i = 0; i < 100; ++i) {
            network.hear_out(peer);
            network.advance(milliseconds{1'000});
        }
        EXPECT_EQ(engine.status().synced_height, has_them ? 20U : 18U);
        EXPECT_EQ(engine.status().phase == net::SyncPhase::done, has_them);
        EXPECT_EQ(network.is_dropped(peer), !has_them) << "the sync ends without it";
    }
}

TEST_F(AwkwardPeers, MayNotPassOverBlocksThatTheyHaveShown) {
    net::RegtestChain shown;
    shown.mine(20, ListWatcher::script(1));
    HandDriven sync(options_for(1));
    const auto peer = sync.network.connect(shown);
    while (sync.network.sent(peer, "getdata") == 0 && sync.network.hear(peer)) {
    }
    const auto fence = sync.network.take_ping(peer);
    ASSERT_TRUE(fence);
    sync.network.lose_words(peer);
    sync.network.say(peer, net::Pong{*fence});
    EXPECT_TRUE(sync.network.is_dropped(peer));
    EXPECT_EQ(sync.engine.status().peers.at(0).ended, net::DisconnectReason::incomplete);
}

// The time to listen is up, but a new peer that has said nothing yet may have more blocks: it is
// the peer that is waited for, and not the time.
TEST_F(AwkwardPeers, LeaveNoDeadlineInThePast) {
    chain.mine(20);
    HandDriven sync(listening_for(milliseconds{5'000}, 2));
    auto& network = sync.network;
    const auto honest = network.connect(chain);
    network.hear_out(honest);
    ASSERT_TRUE(sync.is_listening());
    network.advance(milliseconds{4'900});
    network.connect_puppet();
    network.cut(honest);
    network.advance(milliseconds{200});
    EXPECT_FALSE(sync.engine.finished());
    ASSERT_TRUE(sync.engine.next_deadline().has_value());
    EXPECT_GT(*sync.engine.next_deadline(), network.now().steady);
}

}  // namespace
}  // namespace petal
