// Syncs by compact filters (BIP157), in simulated time: nothing is missed, whichever peer lies.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using net::MatchSourceKind;
using regtest::FaultKind;
using regtest::NodeBehaviour;
using std::chrono::milliseconds;
using test::ListWatcher;

NodeBehaviour node(milliseconds lag = milliseconds{5}) {
    NodeBehaviour behaviour;
    behaviour.block_time = milliseconds{1};
    behaviour.lag = lag;
    return behaviour;
}

NodeBehaviour with_fault(FaultKind kind, std::uint32_t from = 0) {
    NodeBehaviour behaviour = node();
    behaviour.faults = {{kind, from}};
    return behaviour;
}

class CompactFilters : public testing::Test {
protected:
    CompactFilters() { chain.mine(101); }

    void pay_and_sweep(std::uint32_t script, std::uint32_t blocks) {
        test::pay_and_sweep(chain, ListWatcher::script(script), blocks);
    }

    struct Run {
        net::SyncStatus status;
        bool is_complete = false;
        milliseconds time{0};
        std::map<net::PeerId, std::map<std::string, std::size_t>> sent{};
        std::map<net::PeerId, std::optional<net::DisconnectReason>> dropped{};
        std::map<net::PeerId, chain::Bytes> filters{};  // BIP37
    };
    /// Syncs the watcher from nodes with these behaviours.
    Run sync(const std::vector<NodeBehaviour>& behaviours,
             MatchSourceKind source = MatchSourceKind::compact_filters) {
        net::SyncOptions options;
        options.expected_peers = behaviours.size();
        options.blocks.source = source;
        net::SyncEngine engine(headers, watcher, options);
        test::SimulatedNetwork network(engine);
        for (const NodeBehaviour& behaviour : behaviours) network.connect(chain, behaviour);
        const milliseconds start = network.now().steady;
        Run run;
        run.is_complete = network.run();
        run.time = network.now().steady - start;
        run.status = engine.status();
        for (net::PeerId peer = 1; peer <= behaviours.size(); ++peer) {
            run.sent[peer] = network.sent(peer);
            run.dropped[peer] = network.dropped(peer);
            if (const auto filter = network.node(peer).filter()) {
                run.filters[peer] = filter->encode();
            }
        }
        return run;
    }
    test::Knowledge truth() const { return test::read_whole_chain(chain, watcher.watched()); }

    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
};

TEST_F(CompactFilters, FindEveryPaymentAndSpend) {
    for (std::uint32_t i = 0; i < 30; ++i) pay_and_sweep(i % 10, 3 + i);
    NodeBehaviour without_bloom = node();
    without_bloom.services &= ~net::kNodeBloom;
    for (const std::size_t peers : {1U, 3U}) {
        watcher = ListWatcher();
        const Run run = sync(std::vector(peers, without_bloom));
        EXPECT_TRUE(run.is_complete);
        EXPECT_EQ(watcher.knowledge(), truth());
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
        const net::SyncCounts& counts = run.status.counts;
        EXPECT_EQ(counts.filtered_blocks, 0U);
        EXPECT_GE(counts.compact_filters, chain.height());
        EXPECT_GE(counts.full_blocks, 60U) << "each payment and each spend";
        EXPECT_LT(counts.full_blocks, 70U) << "no other block";
        EXPECT_EQ(counts.false_positives, 0U);
        for (const auto& [peer, sent] : run.sent) EXPECT_FALSE(sent.contains("filterload"));
    }
}

TEST_F(CompactFilters, AreRequestedAThousandAtATime) {
    chain.mine(4'000 - chain.height());
    const Run run = sync({node()});
    EXPECT_TRUE(run.is_complete);
    EXPECT_LT(run.sent.at(1).at("getcfilters"), 40U);
    EXPECT_EQ(run.status.counts.compact_filters, 4'000U);
    EXPECT_EQ(run.status.counts.full_blocks, 0U);
}

TEST_F(CompactFilters, AreSharedAmongPeers) {
    chain.mine(3'000);
    const Run run = sync(std::vector(4, node()));
    EXPECT_TRUE(run.is_complete);
    for (const auto& peer : run.status.peers) EXPECT_GT(peer.blocks, 300U);
}

TEST_F(CompactFilters, AreSearchedAgainWhenTheWatchListGrows) {
    for (std::uint32_t script = 0; script < 100; script += 9) {
        chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(script)}})});
        chain.mine(3);
    }
    EXPECT_TRUE(sync({node(), node()}).is_complete);
    EXPECT_GT(watcher.watched(), 100U);
    EXPECT_EQ(watcher.knowledge(), truth());
}

TEST_F(CompactFilters, FollowAReorganisation) {
    pay_and_sweep(1, 5);
    EXPECT_TRUE(sync({node(), node()}).is_complete);
    chain.reorganise(chain.height() - 4, 6);
    pay_and_sweep(2, 3);
    EXPECT_TRUE(sync({node(), node()}).is_complete);
    EXPECT_EQ(watcher.knowledge(), truth());
    EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
}

TEST_F(CompactFilters, AreComparedWithThoseOfTheOtherPeers) {
    chain.mine(2'500);
    const Run run = sync({node(), node(), node()});
    EXPECT_TRUE(run.is_complete);
    EXPECT_EQ(run.status.counts.cross_checked_blocks, 2U * chain.height());
    EXPECT_EQ(run.status.counts.full_blocks, 0U);
    EXPECT_EQ(run.status.counts.refetched_blocks, 0U);
}

TEST_F(CompactFilters, OfALiarHideNothingBesideAnHonestPeer) {
    for (std::uint32_t i = 0; i < 10; ++i) pay_and_sweep(i, 3 + i);
    for (const bool is_liar_first : {true, false}) {
        watcher = ListWatcher();
        std::vector peers{with_fault(FaultKind::wrong_filter), node()};
        if (!is_liar_first) std::swap(peers[0], peers[1]);
        EXPECT_TRUE(sync(peers).is_complete);
        EXPECT_EQ(watcher.knowledge(), truth());
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
    }
}

// The threat model says so: one peer's filters can hide payments, as its filtered blocks can.
TEST_F(CompactFilters, OfALiarAloneHidePayments) {
    pay_and_sweep(1, 3);
    EXPECT_TRUE(sync({with_fault(FaultKind::wrong_filter)}).is_complete);
    EXPECT_TRUE(watcher.knowledge().empty());
    watcher.rescan();
    EXPECT_TRUE(sync({with_fault(FaultKind::wrong_filter), node()}).is_complete);
    EXPECT_EQ(watcher.knowledge(), truth());
}

TEST_F(CompactFilters, ThatAPeerWithholdsComeFromAnother) {
    pay_and_sweep(1, 30);
    const Run run = sync({with_fault(FaultKind::withhold_filter, 50), node()});
    EXPECT_TRUE(run.is_complete);
    EXPECT_EQ(run.dropped.at(1), net::DisconnectReason::incomplete);
    EXPECT_EQ(watcher.knowledge(), truth());
}

TEST_F(CompactFilters, AreNotAwaitedFromAPeerThatStatesNoHashes) {
    pay_and_sweep(1, 30);
    NodeBehaviour late = node();
    net::SyncOptions options;
    options.expected_peers = 2;
    options.blocks.source = MatchSourceKind::compact_filters;
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    network.connect(chain, node());
    const net::PeerId silent = network.connect(chain, late);
    network.on_sent = [&](const net::Message& message) {
        if (std::holds_alternative<net::GetCFHeaders>(message)) network.silence(silent);
    };
    EXPECT_TRUE(network.run());
    EXPECT_EQ(watcher.knowledge(), truth());
}

TEST_F(CompactFilters, AreNotAskedOfNodesThatServeNone) {
    NodeBehaviour without = node();
    without.services &= ~net::kNodeCompactFilters;
    const Run run = sync({without});
    EXPECT_FALSE(run.is_complete);
    EXPECT_EQ(run.dropped.at(1), net::DisconnectReason::no_compact_filters);
}

// Otherwise filters would hold the outpoints of the watcher's coins, and no false positives.
TEST_F(CompactFilters, LeaveTheNextBloomFilterAsItWouldBeWithoutThem) {
    for (std::uint32_t i = 0; i < 5; ++i) {
        chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(i)}})});
        chain.mine(10);
    }
    const chain::Bytes expected = sync({node()}, MatchSourceKind::filtered_blocks).filters.at(1);
    watcher = ListWatcher();
    EXPECT_TRUE(sync({node()}).is_complete);
    const Run run = sync({node()}, MatchSourceKind::filtered_blocks);
    EXPECT_TRUE(run.is_complete);
    EXPECT_EQ(run.status.counts.filtered_blocks, chain.height());
    EXPECT_EQ(run.filters.at(1), expected);
    EXPECT_EQ(sync({node()}, MatchSourceKind::filtered_blocks).status.counts.filtered_blocks, 0U);
}

}  // namespace
}  // namespace petal
