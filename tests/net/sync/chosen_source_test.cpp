// Syncs whose source of matches is chosen once peers have shown what they serve, in simulated time.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/peers/link_speed.h"
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
using enum net::MatchSourceKind;

NodeBehaviour node_without(std::uint64_t services = 0) {
    NodeBehaviour behaviour;
    behaviour.lag = milliseconds{50};
    behaviour.services &= ~services;
    return behaviour;
}

bool is_request(const net::Message& message) {
    return std::holds_alternative<net::GetData>(message) ||
           std::holds_alternative<net::GetCFilters>(message) ||
           std::holds_alternative<net::FilterLoad>(message);
}

class ChosenSourceTest : public testing::Test {
protected:
    ChosenSourceTest() { chain.mine(300); }

    static bool serves(const net::SourcePeer& peer, MatchSourceKind source) {
        const std::uint64_t needed = net::services_needed(source);
        return (peer.services & needed) == needed;
    }
    /// Chooses the first of these sources that all peers serve, once so many peers are there.
    net::ChooseSource first_of(std::vector<MatchSourceKind> sources, std::size_t peers = 1) {
        return [this, sources, peers](const net::SourceFacts& facts) -> net::SourceDecision {
            seen.push_back(facts);
            if (facts.peers.size() < peers) return {};
            for (const MatchSourceKind source : sources) {
                const auto is_served = [source](const auto& peer) { return serves(peer, source); };
                if (std::ranges::any_of(facts.peers, is_served)) return {.source = source};
            }
            return {};
        };
    }
    net::SyncOptions options_with(net::ChooseSource choose, std::size_t peers = 1) {
        net::SyncOptions options;
        options.expected_peers = peers;
        options.blocks.choose_source = std::move(choose);
        return options;
    }
    test::Knowledge truth() const { return test::read_whole_chain(chain, watcher.watched()); }

    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    std::vector<net::SourceFacts> seen;
};

TEST_F(ChosenSourceTest, IsUsedForAllBlocks) {
    test::pay_and_sweep(chain, ListWatcher::script(1), 3);
    for (const MatchSourceKind source : {filtered_blocks, compact_filters, full_blocks}) {
        watcher = ListWatcher();
        headers = chain::HeaderChain{*chain::find_network("regtest")};
        net::SyncEngine engine(headers, watcher, options_with(first_of({source})));
        EXPECT_EQ(engine.status().source, std::nullopt);
        test::SimulatedNetwork network(engine);
        network.connect(chain, node_without());
        EXPECT_TRUE(network.run());
        EXPECT_EQ(engine.status().source, source);
        const net::SyncCounts& counts = engine.status().counts;
        const std::uint64_t blocks = source == filtered_blocks   ? counts.filtered_blocks
                                     : source == compact_filters ? counts.compact_filters
                                                                 : counts.full_blocks;
        EXPECT_GE(blocks, chain.height());
        EXPECT_EQ(watcher.knowledge(), truth());
    }
}

TEST_F(ChosenSourceTest, AsksForNoBlockBefore) {
    bool may_choose = false;
    const auto choose = [&](const net::SourceFacts&) -> net::SourceDecision {
        return {.source = may_choose ? std::optional{filtered_blocks} : std::nullopt};
    };
    net::SyncEngine engine(headers, watcher, options_with(choose));
    test::SimulatedNetwork network(engine);
    std::size_t requests = 0;
    network.on_sent = [&](const net::Message& message) {
        if (is_request(message)) ++requests;
    };
    network.connect(chain, node_without());
    network.run_for(milliseconds{5'000});
    EXPECT_EQ(requests, 0U);
    EXPECT_EQ(headers.tip().height, chain.height()) << "headers are downloaded meanwhile";
    EXPECT_FALSE(engine.finished());
    may_choose = true;
    EXPECT_TRUE(network.run()) << "the choice is made without another event";
    EXPECT_GT(requests, 0U);
}

TEST_F(ChosenSourceTest, LeavesPeersThatDoNotServeIt) {
    net::SyncEngine engine(headers, watcher, options_with(first_of({compact_filters}, 2), 3));
    test::SimulatedNetwork network(engine);
    const auto with_index = network.connect(chain, node_without(net::kNodeBloom));
    const auto without_index = network.connect(chain, node_without(net::kNodeCompactFilters));
    // Its handshake is complete only after the choice.
    NodeBehaviour late = node_without(net::kNodeCompactFilters);
    late.lag = milliseconds{400};
    const auto latest = network.connect(chain, late);
    network.run_for(milliseconds{2'000});
    EXPECT_EQ(engine.status().source, compact_filters);
    EXPECT_FALSE(network.dropped(with_index));
    EXPECT_EQ(network.dropped(without_index), net::DisconnectReason::no_compact_filters);
    EXPECT_EQ(network.dropped(latest), net::DisconnectReason::no_compact_filters);
}

TEST_F(ChosenSourceTest, NeedsTheServicesOfTheMoment) {
    bool is_late = false;
    const auto choose = [&is_late](const net::SourceFacts&) -> net::SourceDecision {
        return {.source = {}, .services = is_late ? net::kNodeNetwork : net::kNodeBloom};
    };
    net::SyncEngine engine(headers, watcher, options_with(choose, 2));
    test::SimulatedNetwork network(engine);
    const auto first = network.connect(chain, node_without(net::kNodeBloom));
    network.run_for(milliseconds{1'000});
    EXPECT_EQ(network.dropped(first), net::DisconnectReason::no_bloom);
    is_late = true;
    const auto second = network.connect(chain, node_without(net::kNodeBloom));
    network.run_for(milliseconds{1'000});
    EXPECT_FALSE(network.dropped(second));
}

// The caller takes a decision for the choice, whenever it is asked.
TEST_F(ChosenSourceTest, UsesAChoiceThatIsMadeForANewConnection) {
    bool may_choose = false;
    const auto choose = [&](const net::SourceFacts& facts) -> net::SourceDecision {
        if (!may_choose || facts.peers.empty()) return {};
        EXPECT_TRUE(facts.has_all_headers);
        return {.source = compact_filters, .services = net::kNodeCompactFilters};
    };
    net::SyncEngine engine(headers, watcher, options_with(choose, 2));
    test::SimulatedNetwork network(engine);
    network.connect(chain, node_without());
    network.run_for(milliseconds{1'000});
    may_choose = true;
    network.connect(chain, node_without());
    EXPECT_EQ(engine.status().source, compact_filters);
}

TEST_F(ChosenSourceTest, IsToldOfThePeersAndTheirLinks) {
    chain.mine(2'500);
    net::SyncEngine engine(headers, watcher, options_with(first_of({})));
    test::SimulatedNetwork network(engine);
    network.connect(chain, node_without());
    network.run_for(milliseconds{3'000});
    EXPECT_TRUE(seen.front().peers.empty());
    const net::SourceFacts& facts = seen.back();
    ASSERT_EQ(facts.peers.size(), 1U);
    EXPECT_EQ(facts.peers[0].services, node_without().services);
    EXPECT_GE(facts.peers[0].link.round_trip, milliseconds{50});
    EXPECT_EQ(facts.peers[0].link.answers, 2U) << "2,000 headers and 800";
    EXPECT_GT(facts.peers[0].link.bytes_per_second, 0.0);
    EXPECT_TRUE(facts.has_all_headers);
    EXPECT_GE(facts.since_handshake, milliseconds{2'000});
}

// Bitcoin Core states the service before its index is complete, and sends nothing then.
TEST_F(ChosenSourceTest, IsChosenAgainIfTheNodeSendsNoFilters) {
    test::pay_and_sweep(chain, ListWatcher::script(1), 3);
    NodeBehaviour without_index = node_without();
    without_index.faults = {{FaultKind::withhold_filter, 0}};
    net::SyncEngine engine(headers, watcher,
                           options_with(first_of({compact_filters, filtered_blocks})));
    test::SimulatedNetwork network(engine);
    const auto first = network.connect(chain, without_index, "node");
    network.run([&] { return !network.is_open(first); });
    EXPECT_EQ(network.dropped(first), net::DisconnectReason::lacks_filters);
    network.connect(chain, without_index, "node");
    EXPECT_TRUE(network.run());
    EXPECT_EQ(engine.status().source, filtered_blocks);
    EXPECT_EQ(watcher.knowledge(), truth());
}

// One of the nodes was not asked for headers, and shows none.
TEST_F(ChosenSourceTest, IsChosenAgainIfNoneOfSeveralNodesSendsFilters) {
    test::pay_and_sweep(chain, ListWatcher::script(1), 3);
    NodeBehaviour without_index = node_without();
    without_index.faults = {{FaultKind::withhold_filter, 0}};
    net::SyncEngine engine(headers, watcher,
                           options_with(first_of({compact_filters, filtered_blocks}, 2), 2));
    test::SimulatedNetwork network(engine);
    std::vector<net::PeerId> peers;
    for (const char* const node : {"a", "b"}) {
        peers.push_back(network.connect(chain, without_index, node));
    }
    for (int dials = 0; dials < 4 && engine.status().source != filtered_blocks; ++dials) {
        network.run([&] { return !network.is_open(peers[0]) || !network.is_open(peers[1]); });
        for (std::size_t i = 0; i < 2; ++i) {
            if (network.is_open(peers[i])) continue;
            EXPECT_EQ(network.dropped(peers[i]), net::DisconnectReason::lacks_filters);
            peers[i] = network.connect(chain, without_index, i == 0 ? "a" : "b");
        }
        network.run_for(milliseconds{500});
    }
    EXPECT_TRUE(network.run());
    EXPECT_EQ(engine.status().source, filtered_blocks);
    EXPECT_EQ(watcher.knowledge(), truth());
}

// Bitcoin Core answers requests for blocks below the height of its index. The blocks that were
// searched before are not compared with another node, and are searched again.
TEST_F(ChosenSourceTest, IsChosenAgainAfterTheFiltersOfAnIncompleteIndex) {
    test::pay_and_sweep(chain, ListWatcher::script(1), 3);
    for (const MatchSourceKind second : {filtered_blocks, full_blocks}) {
        watcher = ListWatcher();
        headers = chain::HeaderChain{*chain::find_network("regtest")};
        NodeBehaviour half_indexed = node_without();
        half_indexed.faults = {{FaultKind::withhold_filter, 200}};
        net::SyncEngine engine(headers, watcher, options_with(first_of({compact_filters, second})));
        test::SimulatedNetwork network(engine);
        const auto first = network.connect(chain, half_indexed, "node");
        network.run([&] { return !network.is_open(first); });
        EXPECT_EQ(network.dropped(first), net::DisconnectReason::lacks_filters);
        EXPECT_GT(engine.status().counts.compact_filters, 100U);
        network.connect(chain, half_indexed, "node");
        EXPECT_TRUE(network.run());
        EXPECT_EQ(engine.status().source, second);
        const net::SyncCounts& counts = engine.status().counts;
        EXPECT_GE(second == full_blocks ? counts.full_blocks : counts.filtered_blocks,
                  chain.height());
        EXPECT_EQ(engine.status().counts.uncompared_filters, 0U);
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
        EXPECT_EQ(watcher.knowledge(), truth());
    }
}

// The first source has let the scan begin above blocks that the second one searches again.
TEST_F(ChosenSourceTest, SearchesBlocksOfEarlierCompactFiltersAgain) {
    test::pay_and_sweep(chain, ListWatcher::script(1), 3);
    {
        net::SyncEngine engine(headers, watcher, options_with(first_of({compact_filters})));
        test::SimulatedNetwork network(engine);
        network.connect(chain, node_without());
        EXPECT_TRUE(network.run());
    }
    chain.mine(5);
    NodeBehaviour without_index = node_without();
    without_index.faults = {{FaultKind::withhold_filter, 0}};
    net::SyncEngine engine(headers, watcher,
                           options_with(first_of({compact_filters, filtered_blocks})));
    test::SimulatedNetwork network(engine);
    const auto first = network.connect(chain, without_index, "node");
    network.run([&] { return !network.is_open(first); });
    network.connect(chain, without_index, "node");
    EXPECT_TRUE(network.run());
    EXPECT_EQ(engine.status().counts.filtered_blocks, chain.height());
    EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
    EXPECT_EQ(watcher.knowledge(), truth());
}

TEST_F(ChosenSourceTest, StaysIfPeersLeaveThatHaveServed) {
    net::SyncEngine engine(headers, watcher,
                           options_with(first_of({compact_filters, filtered_blocks})));
    test::SimulatedNetwork network(engine);
    const auto first = network.connect(chain, node_without());
    network.run([&] { return engine.status().counts.compact_filters > 0; });
    network.cut(first);
    network.run_for(milliseconds{1'000});
    const std::size_t asked = seen.size();
    network.connect(chain, node_without());
    EXPECT_TRUE(network.run());
    EXPECT_EQ(seen.size(), asked);
    EXPECT_EQ(engine.status().source, compact_filters);
}

TEST(LinkSpeed, IsThatOfTheFastestAnswer) {
    net::LinkSpeed link{.round_trip = milliseconds{100}};
    link.on_answer(162'000, milliseconds{500});
    EXPECT_DOUBLE_EQ(link.bytes_per_second, 162'000 / 0.4);
    link.on_answer(162'000, milliseconds{262});
    EXPECT_DOUBLE_EQ(link.bytes_per_second, 1e6);
    link.on_answer(162'000, milliseconds{400});
    EXPECT_DOUBLE_EQ(link.bytes_per_second, 1e6);
    EXPECT_EQ(link.answers, 3U);
}

TEST(LinkSpeed, DoesNotBelieveThatAllTimeIsTheRoundTrip) {
    net::LinkSpeed link{.round_trip = milliseconds{500}};  // of a node that was busy
    link.on_answer(162'000, milliseconds{324});
    EXPECT_DOUBLE_EQ(link.bytes_per_second, 1e6);
    link.on_answer(162'000, milliseconds{0});
    EXPECT_DOUBLE_EQ(link.bytes_per_second, 162e6);
}

TEST(LinkSpeed, MeasuresNoShortAnswer) {
    net::LinkSpeed link;
    link.on_answer(net::LinkSpeed::kLeastBytes - 1, milliseconds{1});
    EXPECT_EQ(link.answers, 0U);
    EXPECT_DOUBLE_EQ(link.bytes_per_second, 0);
    link.on_answer(net::LinkSpeed::kLeastBytes, milliseconds{1});
    EXPECT_EQ(link.answers, 1U);
}

}  // namespace
}  // namespace petal
