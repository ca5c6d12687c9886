// How unconfirmed transactions are found without a filter of the whole watch list: by a filter of
// the awaited addresses at one peer, by all transactions of one peer, or not at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/relay/awaited_relay.h"
#include "net/sync/sync_engine.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/net/sync/unconfirmed/unconfirmed_scene.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"

namespace petal {
namespace {

using net::DisconnectReason;
using net::MatchSourceKind;
using net::PeerId;
using net::UnconfirmedMode;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::ListWatcher;

constexpr std::uint64_t kAll = net::kNodeNetwork | net::kNodeBloom | net::kNodeWitness |
                               net::kNodeCompactFilters | net::kNodeNetworkLimited;

regtest::NodeBehaviour node(std::uint64_t services = kAll) {
    regtest::NodeBehaviour behaviour;
    behaviour.services = services;
    return behaviour;
}

regtest::NodeBehaviour without_bloom() {
    return node(kAll & ~net::kNodeBloom);
}

/// Awaits payments to some of its scripts.
struct AwaitingWatcher : ListWatcher {
    std::vector<std::vector<chain::Bytes>> awaited_elements() const override {
        const auto elements = watched_elements(0);
        std::vector<std::vector<chain::Bytes>> groups;
        for (const auto& [begin, end] : awaited) {
            auto& group = groups.emplace_back();
            for (std::uint32_t i = begin; i < end; ++i) group.push_back(elements.at(i));
        }
        return groups;
    }
    bool awaits(std::uint32_t number) const {
        return std::ranges::any_of(awaited, [number](const auto& range) {
            return range.first <= number && number < range.second;
        });
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> awaited{{0, 10}};
};

class TxRelayTest : public testing::Test {
protected:
    TxRelayTest() { chain.mine(110); }

    net::SyncOptions options(UnconfirmedMode mode, std::size_t peers = 2) const {
        net::SyncOptions result;
        result.blocks.source = source;
        result.unconfirmed = mode;
        result.wait_unconfirmed = net::SyncOptions::kForever;
        result.expected_peers = peers;
        result.false_positive_rate = 1e-4;
        return result;
    }
    void begin(const net::SyncOptions& how) {
        network.reset();
        engine.reset();
        engine.emplace(headers, watcher, how);
        engine->events.on_first_filter = [this](const net::PeerReport& peer) {
            filter_hosts.push_back(peer.node);
        };
        engine->events.on_relay_peer = [this](const net::PeerReport& peer) {
            relay_peers.push_back(peer.node);
        };
        network.emplace(*engine);
        network->on_command = [this](const net::Command& command) {
            const auto* send = std::get_if<net::Send>(&command);
            if (send == nullptr) return;
            if (const auto* ours = std::get_if<net::Version>(&send->message)) {
                asked_to_relay.push_back(ours->relay);
            } else if (const auto* load = std::get_if<net::FilterLoad>(&send->message)) {
                filters.push_back(load->payload);
            }
        };
    }
    std::size_t sent(PeerId peer, const std::string& command) {
        return network->sent(peer)[command];
    }
    chain::Txid pay(std::uint32_t script, chain::Satoshis value = 7'000) {
        return chain.pay(ListWatcher::script(script), value);
    }
    bool knows(const chain::Txid& txid) const { return watcher.knowledge().contains(txid); }
    /// The peer announces a transaction, and sends it when it is asked.
    void show(PeerId peer, const chain::Transaction& transaction) {
        announce(peer, transaction.txid());
        engine->on_message(peer, net::Tx{transaction}, network->now());
        network->run_for(seconds{3});
    }
    void announce(PeerId peer, const chain::Txid& txid) {
        engine->on_message(peer, net::Inv{{{net::InventoryType::tx, {txid.bytes}}}},
                           network->now());
    }
    static chain::Transaction made_up_payment(const chain::Bytes& script,
                                              std::uint32_t number = 0) {
        chain::Transaction payment;
        payment.inputs.emplace_back().prevout = {chain::Txid{{9}}, number};
        payment.outputs.push_back({5'000, script});
        return payment;
    }

    MatchSourceKind source = MatchSourceKind::compact_filters;
    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    AwaitingWatcher watcher;
    std::optional<net::SyncEngine> engine;
    std::optional<test::SimulatedNetwork> network;
    std::vector<bool> asked_to_relay;
    std::vector<chain::Bytes> filters;  // payloads of filterload
    std::vector<std::string> filter_hosts;
    std::vector<std::string> relay_peers;
};

class TxRelayBySource : public TxRelayTest, public testing::WithParamInterface<MatchSourceKind> {
protected:
    TxRelayBySource() { source = GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Sources, TxRelayBySource,
                         testing::Values(MatchSourceKind::filtered_blocks,
                                         MatchSourceKind::full_blocks,
                                         MatchSourceKind::compact_filters),
                         [](const auto& row) {
                             using enum MatchSourceKind;
                             return row.param == filtered_blocks ? "FilteredBlocks"
                                    : row.param == full_blocks   ? "FullBlocks"
                                                                 : "CompactFilters";
                         });

TEST_P(TxRelayBySource, FindsAPaymentToAnAwaitedAddressByABloomFilter) {
    begin(options(UnconfirmedMode::bloom));
    network->connect(chain, node());
    network->connect(chain, node());
    const auto before = pay(3);
    network->run_for(seconds{10});
    EXPECT_TRUE(knows(before)) << "from the mempool";
    const auto after = pay(4);
    network->run_for(seconds{5});
    EXPECT_TRUE(knows(after));
    EXPECT_EQ(asked_to_relay, (std::vector{false, false}));
    const std::size_t with_filter = source == MatchSourceKind::filtered_blocks ? 2 : 1;
    EXPECT_EQ(filters.size(), with_filter);
    EXPECT_EQ(filter_hosts.size(), with_filter);
}

TEST_P(TxRelayBySource, FindsAPaymentAmongAllTransactions) {
    begin(options(UnconfirmedMode::all));
    network->connect(chain, node());
    network->connect(chain, node());
    network->run_for(seconds{10});
    const auto txid = pay(20);
    network->run_for(seconds{5});
    EXPECT_TRUE(knows(txid));
    if (source == MatchSourceKind::filtered_blocks) return;  // by their filters
    EXPECT_EQ(asked_to_relay, (std::vector{true, false})) << "the same transactions come once";
    EXPECT_EQ(engine->seen_from(txid), 1U);
    EXPECT_TRUE(filters.empty());
    EXPECT_EQ(sent(1, "mempool") + sent(2, "mempool"), 0U);
}

TEST_P(TxRelayBySource, FindsNone) {
    begin(options(UnconfirmedMode::none));
    const PeerId peer = network->connect(chain, node());
    const auto before = pay(3);
    network->run_for(seconds{10});
    const auto after = pay(4);
    network->run_for(seconds{10});
    EXPECT_FALSE(knows(before));
    EXPECT_FALSE(knows(after));
    EXPECT_EQ(sent(peer, "mempool"), 0U);
    EXPECT_EQ(asked_to_relay, (std::vector{false}));
    EXPECT_FALSE(engine->status().lacks_relay_peer);
    chain.mine();
    network->run_for(seconds{5});
    EXPECT_TRUE(knows(before)) << "once it is confirmed";
}

TEST_P(TxRelayBySource, RebroadcastsOwnTransactionsWhicheverAreFound) {
    for (const auto mode : {UnconfirmedMode::bloom, UnconfirmedMode::all, UnconfirmedMode::none}) {
        auto how = options(mode, 1);
        how.announce_own_within = seconds{1};
        begin(how);
        const chain::Transaction own = chain.make_payment({{5'000, ListWatcher::script(2)}});
        watcher.make({own, 1'000});
        const PeerId peer = network->connect(chain, node());
        network->run_for(seconds{10});
        const auto taken = network->taken(peer);
        EXPECT_TRUE(std::ranges::any_of(
            taken, [&](const auto& each) { return each.txid() == own.txid(); }));
    }
}

TEST_P(TxRelayBySource, AsksForNothingWithoutAWait) {
    for (const auto mode : {UnconfirmedMode::bloom, UnconfirmedMode::all}) {
        auto how = options(mode, 1);
        how.wait_unconfirmed.reset();
        begin(how);
        const PeerId peer = network->connect(chain, node());
        EXPECT_TRUE(network->run());
        EXPECT_EQ(sent(peer, "mempool"), 0U);
        EXPECT_EQ(filters.empty(), source != MatchSourceKind::filtered_blocks);
    }
    EXPECT_EQ(asked_to_relay, (std::vector{false, false}));
}

/// The source is chosen once a peer has completed the handshake.
class RelayOfChosenSource : public TxRelayTest {
protected:
    void begin_with_choice(UnconfirmedMode mode) {
        auto how = options(mode, 1);
        how.blocks.choose_source = [this](const net::SourceFacts& facts) {
            net::SourceDecision decision;
            if (!facts.peers.empty()) decision.source = source;
            return decision;
        };
        begin(how);
    }
};

TEST_F(RelayOfChosenSource, IsThatOfTheMode) {
    for (const auto mode : {UnconfirmedMode::bloom, UnconfirmedMode::all, UnconfirmedMode::none}) {
        for (const auto chosen :
             {MatchSourceKind::compact_filters, MatchSourceKind::filtered_blocks}) {
            source = chosen;
            filters.clear();
            asked_to_relay.clear();
            begin_with_choice(mode);
            network->connect(chain, node());
            network->run_for(seconds{10});
            EXPECT_EQ(engine->status().source, chosen);
            // The flag is sent before the choice.
            EXPECT_EQ(asked_to_relay, std::vector{mode == UnconfirmedMode::all});
            const auto txid = pay(3);
            network->run_for(seconds{5});
            EXPECT_EQ(knows(txid), mode != UnconfirmedMode::none);
            const bool is_by_awaited =
                mode == UnconfirmedMode::bloom && chosen == MatchSourceKind::compact_filters;
            EXPECT_EQ(!filters.empty() && filters.back().back() == 0, is_by_awaited)
                << "UPDATE_NONE is the last byte";
            chain.mine();
            network->run_for(seconds{5});
            EXPECT_TRUE(watcher.knowledge().at(txid).has_value());
        }
    }
}

class AwaitedRelayTest : public TxRelayTest {
protected:
    void begin(std::size_t peers = 2) {
        TxRelayTest::begin(options(UnconfirmedMode::bloom, peers));
    }
    bloom::BloomFilter filter(std::size_t number) const {
        return bloom::BloomFilter::decode(filters.at(number)).value();
    }
    bool is_in(const bloom::BloomFilter& of, std::uint32_t script) const {
        return of.contains(watcher.watched_elements(0).at(script));
    }
};

TEST_F(AwaitedRelayTest, SendsAwaitedAddressesAlone) {
    const auto coin = pay(12);
    chain.mine();
    begin(1);
    network->connect(chain, node());
    network->run_for(seconds{5});
    EXPECT_TRUE(knows(coin));
    const auto sent = filter(0);
    EXPECT_EQ(sent.update_mode(), bloom::UpdateMode::none);
    for (std::uint32_t i = 0; i < 30; ++i) EXPECT_EQ(is_in(sent, i), watcher.awaits(i)) << i;
    EXPECT_FALSE(sent.contains(chain::Outpoint{coin, 0}.serialize()));
    EXPECT_NEAR(sent.false_positive_rate(), 1e-4, 1e-7);
    EXPECT_EQ(engine->status().filter.bytes, sent.bytes().size());
    EXPECT_EQ(engine->status().filter.false_positive_rate, sent.false_positive_rate());
}

// Whatever the wallet receives, and whenever it is restarted.
TEST_F(AwaitedRelayTest, SendsTheSameBytesAgain) {
    begin(1);
    network->connect(chain, node());
    network->run_for(seconds{5});
    const auto paid = pay(3);
    network->run_for(seconds{5});
    EXPECT_TRUE(knows(paid));
    chain.mine();
    network->run_for(minutes{25});
    EXPECT_EQ(filters.size(), 1U) << "the filter stays loaded";
    begin(1);
    network->connect(chain, node());
    network->run_for(seconds{5});
    ASSERT_EQ(filters.size(), 2U);
    EXPECT_EQ(filters[0], filters[1]);
}

TEST_F(AwaitedRelayTest, ReplacesTheFilterOnceOtherAddressesAreAwaited) {
    begin(1);
    const PeerId peer = network->connect(chain, node());
    network->run_for(seconds{5});
    watcher.awaited = {{0, 10}, {10, 20}};
    const auto early = pay(15);
    network->run_for(seconds{30});
    EXPECT_EQ(filters.size(), 1U);
    EXPECT_FALSE(knows(early));
    network->run_for(net::AwaitedRelay::kRenewal);
    ASSERT_EQ(filters.size(), 2U);
    EXPECT_TRUE(knows(early)) << "the mempool is asked for again";
    EXPECT_EQ(sent(peer, "mempool"), 2U);
    // The first group has the same bits in both filters.
    EXPECT_EQ(filter(0).tweak(), filter(1).tweak());
    EXPECT_TRUE(std::ranges::equal(filter(1).bytes(), filter(0).bytes(),
                                   [](auto a, auto b) { return (a & b) == b; }));
    EXPECT_EQ(relay_peers.size(), 1U) << "it is the same peer";
}

TEST_F(AwaitedRelayTest, TellsNothingToASecondPeerUntilTheFirstIsLost) {
    begin(3);
    for (int i = 0; i < 3; ++i) network->connect(chain, node());
    network->run_for(seconds{20});
    ASSERT_EQ(relay_peers.size(), 1U);
    const PeerId first = *engine->status().relay_peer;
    network->run_for(minutes{30});
    EXPECT_EQ(filters.size(), 1U);
    network->cut(first);
    network->run_for(seconds{5});
    EXPECT_EQ(relay_peers.size(), 2U);
    EXPECT_NE(engine->status().relay_peer, first);
    const auto txid = pay(5);
    network->run_for(seconds{5});
    EXPECT_TRUE(knows(txid));
    ASSERT_EQ(filters.size(), 2U);
    EXPECT_EQ(filters[0], filters[1]);
}

TEST_F(AwaitedRelayTest, PrefersTheNodeThatHasTheFilter) {
    auto how = options(UnconfirmedMode::bloom, 3);
    how.relay_node = "known";
    TxRelayTest::begin(how);
    network->connect(chain, node());
    network->run_for(seconds{2});
    EXPECT_TRUE(filters.empty()) << "the known node may still connect";
    network->connect(chain, node(), "known");
    network->run_for(seconds{1});
    EXPECT_EQ(relay_peers, std::vector<std::string>{"known"});
}

TEST_F(AwaitedRelayTest, WaitsSecondsForTheNodeThatHasTheFilter) {
    auto how = options(UnconfirmedMode::bloom, 3);
    how.relay_node = "known";
    TxRelayTest::begin(how);
    network->connect(chain, node());
    network->run_for(seconds{15});
    EXPECT_EQ(relay_peers.size(), 1U);
    network->connect(chain, node(), "known");
    network->run_for(seconds{5});
    EXPECT_EQ(relay_peers.size(), 1U) << "a third host need not get it";
}

TEST_F(AwaitedRelayTest, AsksOnlyNodesThatServeBloomFilters) {
    begin();
    network->connect(chain, without_bloom());
    const PeerId with = network->connect(chain, node());
    network->run_for(seconds{10});
    EXPECT_EQ(engine->status().relay_peer, with);
    EXPECT_EQ(filters.size(), 1U);
}

TEST_F(AwaitedRelayTest, SaysThatNoNodeServesBloomFilters) {
    begin(1);
    const PeerId peer = network->connect(chain, without_bloom());
    network->run_for(seconds{5});
    EXPECT_FALSE(engine->status().lacks_relay_peer) << "another one may connect";
    network->run_for(seconds{10});
    EXPECT_TRUE(engine->status().lacks_relay_peer);
    EXPECT_TRUE(network->is_open(peer));
    EXPECT_TRUE(filters.empty());
    const auto paid = pay(3);
    chain.mine();
    network->run_for(seconds{5});
    EXPECT_TRUE(knows(paid)) << "payments are seen once confirmed";
    network->connect(chain, node());
    network->run_for(seconds{5});
    EXPECT_FALSE(engine->status().lacks_relay_peer);
}

TEST_F(AwaitedRelayTest, LoadsNoFilterWithoutAwaitedAddresses) {
    watcher.awaited.clear();
    begin(1);
    network->connect(chain, node());
    network->run_for(seconds{20});
    EXPECT_TRUE(filters.empty());
    EXPECT_TRUE(relay_peers.empty());
}

// It would see which blocks the wallet downloads, and which of their outputs match its filter.
TEST_F(AwaitedRelayTest, AsksThePeerWithTheFilterForNoBlocks) {
    begin();
    const PeerId other = network->connect(chain, without_bloom());
    const PeerId with_filter = network->connect(chain, node());
    network->run_for(seconds{5});
    ASSERT_EQ(engine->status().relay_peer, with_filter);
    const auto before = network->sent(with_filter);
    for (std::uint32_t i = 0; i < 5; ++i) {
        const auto paid = pay(i);
        network->run_for(seconds{3});
        const std::size_t transactions = sent(with_filter, "getdata");
        chain.mine();
        network->run_for(seconds{10});
        EXPECT_TRUE(watcher.knowledge().at(paid).has_value());
        EXPECT_EQ(sent(with_filter, "getdata"), transactions);
    }
    EXPECT_EQ(sent(with_filter, "getcfilters"),
              before.contains("getcfilters") ? before.at("getcfilters") : 0U);
    network->cut(other);
    const auto last = pay(7);
    chain.mine();
    network->run_for(seconds{5});
    EXPECT_TRUE(knows(last)) << "there is no other peer";
}

TEST_F(AwaitedRelayTest, ServesTheSyncIfOtherPeersHaveStopped) {
    begin();
    regtest::RegtestChain stopped;
    stopped.mine(110);
    network->connect(stopped, without_bloom());
    network->connect(chain, node());
    network->run_for(seconds{60});
    chain.mine(3);
    network->run_for(seconds{60});
    EXPECT_EQ(engine->status().synced_height, chain.height());
}

TEST_F(AwaitedRelayTest, DropsAPeerThatSendsWhatItsFilterDoesNotMatch) {
    begin();
    network->connect(chain, without_bloom());
    const PeerId liar = network->connect(chain, node());
    network->run_for(seconds{5});
    show(liar, made_up_payment(ListWatcher::script(5)));
    EXPECT_TRUE(network->is_open(liar));
    show(liar, made_up_payment(ListWatcher::script(15)));
    EXPECT_EQ(network->dropped(liar), DisconnectReason::contradicts_filter);
}

TEST_F(AwaitedRelayTest, AcceptsWhatMatchesTheFilterBefore) {
    begin(1);
    const PeerId peer = network->connect(chain, node());
    network->run_for(seconds{5});
    watcher.awaited = {{10, 20}};
    network->run_for(net::AwaitedRelay::kRenewal);
    ASSERT_EQ(filters.size(), 2U);
    show(peer, made_up_payment(ListWatcher::script(5), 1));
    show(peer, made_up_payment(ListWatcher::script(15), 2));
    EXPECT_TRUE(network->is_open(peer));
}

// The peer with the filter could tell whose they are.
TEST_F(AwaitedRelayTest, AnnouncesOwnTransactionsToOtherPeers) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        auto how = options(UnconfirmedMode::bloom);
        how.announce_own_within = seconds{60};
        how.random_seed = seed;
        TxRelayTest::begin(how);
        const auto own = chain.make_payment({{5'000, ListWatcher::script(2)}});
        watcher.make({own, 1'000});
        const PeerId other = network->connect(chain, without_bloom());
        const PeerId with_filter = network->connect(chain, node());
        network->run_for(minutes{3});
        ASSERT_EQ(engine->status().relay_peer, with_filter);
        EXPECT_FALSE(network->taken(other).empty());
        EXPECT_TRUE(network->taken(with_filter).empty());
    }
}

TEST_F(AwaitedRelayTest, RequestsNothingFromOtherPeers) {
    begin();
    const PeerId other = network->connect(chain, without_bloom());
    network->connect(chain, node());
    network->run_for(seconds{5});
    const std::size_t before = sent(other, "getdata");
    announce(other, chain::Txid{{1}});
    network->run_for(seconds{1});
    EXPECT_EQ(sent(other, "getdata"), before);
}

class RelyingOnOnePeer : public TxRelayTest, public testing::WithParamInterface<UnconfirmedMode> {};

INSTANTIATE_TEST_SUITE_P(Modes, RelyingOnOnePeer,
                         testing::Values(UnconfirmedMode::bloom, UnconfirmedMode::all),
                         [](const auto& row) {
                             return row.param == UnconfirmedMode::bloom ? "Bloom" : "All";
                         });

TEST_P(RelyingOnOnePeer, DropsAPeerThatWithholdsWhatItHasAnnounced) {
    begin(options(GetParam(), 1));
    const PeerId peer = network->connect(chain, node());
    network->run_for(seconds{5});
    // The node answers `notfound`, so it is silenced. Its pongs are not awaited yet.
    network->silence(peer);
    announce(peer, chain::Txid{{1}});
    network->run_for(seconds{15});
    EXPECT_TRUE(network->is_open(peer));
    network->run_for(seconds{10});
    EXPECT_EQ(network->dropped(peer), DisconnectReason::incomplete);
    network->connect(chain, node());
    network->run_for(seconds{5});
    const auto txid = pay(4);
    network->run_for(seconds{5});
    EXPECT_TRUE(knows(txid)) << "the next peer takes over";
}

TEST_P(RelyingOnOnePeer, AcceptsNotFound) {
    begin(options(GetParam(), 1));
    const PeerId peer = network->connect(chain, node());
    network->run_for(seconds{5});
    announce(peer, chain::Txid{{1}});
    network->run_for(minutes{1});
    EXPECT_TRUE(network->is_open(peer));
}

TEST_F(TxRelayTest, AsksTheNextPeerForAllTransactionsOnceTheFirstIsLost) {
    begin(options(UnconfirmedMode::all, 1));
    const PeerId first = network->connect(chain, node());
    network->run_for(seconds{5});
    network->cut(first);
    network->connect(chain, node());
    network->connect(chain, node());
    network->run_for(seconds{5});
    EXPECT_EQ(asked_to_relay, (std::vector{true, true, false}));
    const auto txid = pay(4);
    network->run_for(seconds{5});
    EXPECT_TRUE(knows(txid));
}

// Bitcoin Core with -blocksonly has no transactions to relay.
TEST_F(TxRelayTest, AsksTheNextPeerForAllTransactionsIfTheFirstTakesNone) {
    begin(options(UnconfirmedMode::all));
    auto blocksonly = node();
    blocksonly.takes_transactions = false;
    network->connect(chain, blocksonly);
    network->run_for(seconds{15});
    EXPECT_TRUE(engine->status().lacks_relay_peer);
    network->connect(chain, node());
    network->run_for(seconds{5});
    EXPECT_EQ(asked_to_relay, (std::vector{true, true}));
    EXPECT_FALSE(engine->status().lacks_relay_peer);
}

class UndoneByRelay : public TxRelayTest {
protected:
    /// Undoes the block of a payment to this script, which only the mempool has then. Returns
    /// whether the watcher has the payment unconfirmed in the end.
    bool returns(UnconfirmedMode mode, std::uint32_t script) {
        begin(options(mode, 1));
        const PeerId peer = network->connect(chain, node());
        network->run_for(seconds{5});
        const auto payment = chain.make_payment({{7'000, ListWatcher::script(script)}});
        chain.mine_block({payment});
        chain.mine();
        network->run_for(seconds{5});
        EXPECT_TRUE(watcher.knowledge().at(payment.txid()).has_value());
        mempools = sent(peer, "mempool");
        chain.reorganise(chain.height() - 2, 3, regtest::RegtestChain::Dropped::to_mempool);
        network->run_for(seconds{50});
        mempools = sent(peer, "mempool") - mempools;
        EXPECT_EQ(engine->status().stall_reason, net::StallReason::none);
        const auto known =
            net::decode_sync_checkpoint(watcher.sync_state().sync_checkpoint).value();
        EXPECT_FALSE(known.unconfirmed.any_undone());
        return known.unconfirmed.find(payment.txid()) != nullptr;
    }
    std::size_t mempools = 0;  // requests after the reorganisation
};

TEST_F(UndoneByRelay, ReturnByTheFilterOfAwaitedAddresses) {
    EXPECT_TRUE(returns(UnconfirmedMode::bloom, 3));
    EXPECT_EQ(mempools, 1U);
    EXPECT_FALSE(returns(UnconfirmedMode::bloom, 13)) << "the filter does not match it";
    EXPECT_EQ(mempools, 1U);
}

TEST_F(UndoneByRelay, AreForgottenIfNoMempoolIsAskedFor) {
    EXPECT_FALSE(returns(UnconfirmedMode::none, 3));
    EXPECT_EQ(mempools, 0U);
}

// The peer must not learn that the undone blocks had a transaction of the watcher's.
TEST_F(UndoneByRelay, AreNoOtherReasonToAskThanAReorganisation) {
    begin(options(UnconfirmedMode::bloom, 1));
    const PeerId peer = network->connect(chain, node());
    network->run_for(seconds{5});
    chain.reorganise(chain.height() - 1, 2);
    network->run_for(seconds{5});
    EXPECT_EQ(sent(peer, "mempool"), 2U);
}

/// A peer makes transactions up to learn whether an address is the watcher's.
class RelayOracle : public test::ChainWithTwoCoins {
protected:
    /// What the engine sends and whom it drops, when a peer shows these transactions.
    std::vector<std::string> reaction(const std::vector<chain::Transaction>& shown) {
        auto how = test::Follow::options();
        how.blocks.source = MatchSourceKind::compact_filters;
        how.unconfirmed = UnconfirmedMode::all;
        test::Follow follow(how);
        const PeerId peer = follow.connect(chain);
        follow.run_for(seconds{20});
        std::vector<std::string> log;
        follow.network.on_command = [&](const net::Command& command) {
            const auto* send = std::get_if<net::Send>(&command);
            log.push_back(send ? std::string(net::command_of(send->message)) : "drop");
        };
        for (const auto& transaction : shown) follow.show(peer, transaction);
        follow.run_for(seconds{10});
        return log;
    }
};

TEST_F(RelayOracle, GivesNoAnswerToASpendWithoutASignature) {
    auto foreign = unsigned_spend(own);
    foreign.inputs[0].prevout.txid = chain::Txid{{8}};  // of a coin that filters do not match
    EXPECT_EQ(reaction({unsigned_spend(own)}), reaction({foreign}));
    auto forged = forged_spend(own);
    forged.inputs[0].prevout.txid = chain::Txid{{8}};
    EXPECT_EQ(reaction({forged_spend(own)}), reaction({forged}));
}

// If the spend came first, its signature can be verified only now.
TEST_F(RelayOracle, GivesNoAnswerToAPaymentWhoseSpendIsKnown) {
    const auto pays_and_is_spent = [&](const chain::Bytes& script) {
        chain::Transaction payment;
        payment.inputs.emplace_back().prevout = {chain::Txid{{9}}, 0};
        payment.outputs.push_back({5'000, script});
        chain::Transaction spend;
        spend.inputs.emplace_back().prevout = {payment.txid(), 0};
        spend.outputs.push_back({4'000, ListWatcher::script(5)});
        return reaction({spend, payment});
    };
    EXPECT_EQ(pays_and_is_spent(ListWatcher::script(6)), pays_and_is_spent(chain::Bytes{0x51}));
}

}  // namespace
}  // namespace petal
