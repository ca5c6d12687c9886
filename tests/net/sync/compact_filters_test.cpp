// Syncs by compact filters (BIP157), in simulated time: nothing is missed, whichever peer lies.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/filters/privacy.h"
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

/// Its filters and their hashes hide what the blocks have.
NodeBehaviour liar() {
    NodeBehaviour behaviour = node();
    behaviour.faults = {{FaultKind::wrong_filter, 0}, {FaultKind::wrong_filter_header, 0}};
    return behaviour;
}

bool asks_for_hashes(const net::Message& message) {
    return std::holds_alternative<net::GetCFHeaders>(message);
}

bool asks_for_filters(const net::Message& message) {
    return std::holds_alternative<net::GetCFilters>(message);
}

bool asks_for_blocks(const net::Message& message) {
    return std::holds_alternative<net::GetData>(message);
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
        std::map<net::PeerId, bool> open{};
        std::map<net::PeerId, chain::Bytes> filters{};  // BIP37
        std::vector<std::string> conflicts{};
        std::map<net::PeerId, std::set<chain::Hash256>> full_blocks{};  // requested
    };
    /// When a run ends early, by the messages of the engine.
    struct Stop {
        bool (*is_last)(const net::Message& message);
        std::size_t after = 0;  ///< further messages of this kind
        bool is_killed = true;  ///< or interrupted, so that it stores what it has
    };
    struct Server {
        const regtest::RegtestChain& chain;
        NodeBehaviour behaviour = node();
        bool is_silent = false;  ///< from the start
    };
    /// Syncs the watcher from nodes with these behaviours.
    Run sync(const std::vector<NodeBehaviour>& behaviours,
             MatchSourceKind source = MatchSourceKind::compact_filters,
             std::optional<Stop> stop = std::nullopt) {
        std::vector<Server> servers;
        for (const NodeBehaviour& behaviour : behaviours) servers.push_back({chain, behaviour});
        return sync_from(servers, source, stop);
    }
    Run sync_from(const std::vector<Server>& servers,
                  MatchSourceKind source = MatchSourceKind::compact_filters,
                  std::optional<Stop> stop = std::nullopt) {
        net::SyncOptions options;
        options.expected_peers = servers.size();
        options.blocks.source = source;
        options.random_seed = seed;
        options.false_positive_rate = rate_of(privacy);
        Run run;
        net::SyncEngine engine(headers, watcher, options);
        engine.events.on_filter_conflict = [&](const net::FilterConflict& conflict) {
            run.conflicts.push_back(conflict.server + " " + conflict.other);
        };
        test::SimulatedNetwork network(engine);
        for (const Server& server : servers) {
            const net::PeerId peer = network.connect(server.chain, server.behaviour);
            if (server.is_silent) network.silence(peer);
        }
        const milliseconds start = network.now().steady;
        std::size_t seen = 0;
        network.on_sent = [&](const net::Message& message) {
            if (stop && stop->is_last(message)) ++seen;
        };
        network.on_command = [&](const net::Command& command) {
            const auto* send = std::get_if<net::Send>(&command);
            const auto* request = send ? std::get_if<net::GetData>(&send->message) : nullptr;
            if (!request) return;
            for (const auto& entry : request->entries) {
                run.full_blocks[send->peer].insert(entry.hash);
            }
        };
        run.is_complete = network.run([&] { return stop && seen > stop->after; });
        if (stop && !stop->is_killed) engine.flush(network.now());
        run.time = network.now().steady - start;
        run.status = engine.status();
        for (net::PeerId peer = 1; peer <= servers.size(); ++peer) {
            run.open[peer] = network.is_open(peer);
            run.sent[peer] = network.sent(peer);
            run.dropped[peer] = network.dropped(peer);
            if (const auto filter = network.node(peer).filter()) {
                run.filters[peer] = filter->encode();
            }
        }
        return run;
    }
    static std::set<chain::Hash256> all_full_blocks(const Run& run) {
        std::set<chain::Hash256> all;
        for (const auto& [peer, blocks] : run.full_blocks) all.insert(blocks.begin(), blocks.end());
        return all;
    }
    test::Knowledge truth() const { return test::read_whole_chain(chain, watcher.watched()); }

    std::uint64_t seed = 0;
    net::Privacy privacy = net::Privacy::fast;
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
        const std::set<chain::Hash256> downloaded = all_full_blocks(run);
        EXPECT_GE(downloaded.size(), 60U) << "each payment and each spend";
        EXPECT_LT(downloaded.size(), 70U) << "no other block";
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

// Which node gets a block does not depend on the run, so that no node learns more by a rescan.
TEST_F(CompactFilters, HaveTheirBlocksSpreadOverOtherPeers) {
    for (std::uint32_t i = 0; i < 40; ++i) pay_and_sweep(i % 10, 1);
    chain.mine(6);  // not all peers are known to have them (SyncPeer::last_known_block())
    std::set<chain::Hash256> all;
    for (const std::uint64_t run_seed : {1U, 2U}) {
        seed = run_seed;
        watcher = ListWatcher();
        Run run = sync(std::vector(4, node()));
        EXPECT_TRUE(run.is_complete);
        EXPECT_EQ(watcher.knowledge(), truth());
        // The first peer serves the filters of this short chain.
        EXPECT_TRUE(run.full_blocks[1].empty());
        std::size_t requested = 0;
        for (const net::PeerId peer : {2U, 3U, 4U}) {
            EXPECT_GE(run.full_blocks.at(peer).size(), 10U);
            requested += run.full_blocks.at(peer).size();
        }
        EXPECT_EQ(requested, all_full_blocks(run).size()) << "each from one peer";
        if (!all.empty()) {
            EXPECT_EQ(run.full_blocks.at(2), all);
        }
        all = run.full_blocks.at(2);
    }
}

TEST_F(CompactFilters, GetTheirBlocksFromAnyPeerIfOthersFallSilent) {
    for (std::uint32_t i = 0; i < 10; ++i) pay_and_sweep(i, 1);
    NodeBehaviour silent = node();
    silent.faults = {{FaultKind::stall, 0}};
    NodeBehaviour slow = node();
    slow.block_time = milliseconds{1'500};
    for (const NodeBehaviour& other : {silent, slow}) {
        watcher = ListWatcher();
        const Run run = sync({node(), other});
        EXPECT_TRUE(run.is_complete);
        EXPECT_EQ(watcher.knowledge(), truth());
        EXPECT_LT(run.time, milliseconds{60'000});
    }
}

TEST_F(CompactFilters, AreJoinedByDecoyBlocksIfTheProfileIsPrivate) {
    chain.mine(4'000);
    EXPECT_EQ(sync({node()}).status.counts.full_blocks, 0U);
    privacy = net::Privacy::private_;
    std::map<net::PeerId, std::set<chain::Hash256>> decoys;
    for (const std::uint64_t run_seed : {1U, 2U}) {
        seed = run_seed;
        watcher = ListWatcher();
        const Run run = sync({node()});
        EXPECT_GE(run.full_blocks.at(1).size(), 2U);
        EXPECT_LE(run.full_blocks.at(1).size(), 20U);
        if (!decoys.empty()) {
            EXPECT_EQ(run.full_blocks, decoys) << "another run adds none";
        }
        decoys = run.full_blocks;
    }
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

// The filters of the last blocks were searched before the list grew, and not for the new script.
TEST_F(CompactFilters, AreSearchedAgainForCoinsOfNewScripts) {
    const std::uint32_t later = 60;  // derived with the growth
    const auto coin = chain.make_payment({{10'000, ListWatcher::script(later)}});
    chain.mine_block({coin});
    chain.mine(3);
    EXPECT_TRUE(sync({liar()}).is_complete);
    const chain::Outpoint outpoint{coin.txid(), 0};
    chain.mine_block({test::make_spend(chain, {{outpoint}}, {{9'000, chain::Bytes{0x51}}})});
    chain.mine(3);
    for (std::uint32_t script = 0; script < later; script += 9) {
        chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(script)}})});
        chain.mine(3);
    }
    EXPECT_TRUE(sync({node(), node()}).is_complete);
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
        const Run run = sync(peers);
        EXPECT_TRUE(run.is_complete);
        EXPECT_FALSE(run.conflicts.empty());
        EXPECT_LE(run.conflicts.size(), 2U) << "one for each peer";
        EXPECT_EQ(watcher.knowledge(), truth());
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
    }
}

// The threat model says so: one peer's filters can hide payments, as its filtered blocks can.
TEST_F(CompactFilters, OfALiarAloneHidePayments) {
    pay_and_sweep(1, 3);
    const Run alone = sync({liar()});
    EXPECT_TRUE(alone.is_complete);
    EXPECT_TRUE(watcher.knowledge().empty());
    EXPECT_EQ(alone.status.counts.uncompared_filters, chain.height()) << "it is said";
    const Run again = sync({liar()});
    EXPECT_EQ(again.status.counts.compact_filters, 0U);
    EXPECT_FALSE(again.sent.at(1).contains("getcfheaders"));
    EXPECT_EQ(again.status.counts.uncompared_filters, chain.height());
    const Run compared = sync({liar(), node()});
    EXPECT_TRUE(compared.is_complete);
    EXPECT_EQ(watcher.knowledge(), truth());
    EXPECT_EQ(compared.dropped.at(1), net::DisconnectReason::false_filter);
    EXPECT_GT(compared.status.counts.uncompared_filters, 100U) << "one node is left";
    EXPECT_EQ(sync({node(), node()}).status.counts.uncompared_filters, 0U);
    EXPECT_EQ(sync({liar(), node()}).status.counts.answers(), 0U) << "it is stored";
}

// The full block is a part of the same search.
TEST_F(CompactFilters, ThatMatchCauseNoRepeatedRequest) {
    chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(1)}})});
    const Run run = sync({node()});
    EXPECT_TRUE(run.is_complete);
    EXPECT_EQ(run.status.counts.full_blocks, 1U);
    EXPECT_EQ(run.status.counts.refetched_blocks, 0U);
}

TEST_F(CompactFilters, OfOneNodeAreSearchedAgainByOtherSources) {
    pay_and_sweep(1, 3);
    NodeBehaviour without_filters = node();
    without_filters.services &= ~net::kNodeCompactFilters;
    for (const auto source : {MatchSourceKind::full_blocks, MatchSourceKind::filtered_blocks}) {
        watcher = ListWatcher();
        EXPECT_TRUE(sync({liar()}).is_complete);
        EXPECT_TRUE(watcher.knowledge().empty());
        const Run run = sync({without_filters, without_filters}, source);
        for (const auto& [peer, sent] : run.sent) EXPECT_FALSE(sent.contains("getcfheaders"));
        EXPECT_TRUE(run.is_complete);
        EXPECT_EQ(watcher.knowledge(), truth());
        EXPECT_EQ(run.status.counts.uncompared_filters, 0U);
        EXPECT_EQ(sync({node()}, source).status.counts.answers(), 0U);
    }
}

// A node that sends other filters than it states.
TEST_F(CompactFilters, AreComparedWithTheHashesOfTheirOwnServer) {
    pay_and_sweep(1, 3);
    const Run alone = sync({with_fault(FaultKind::wrong_filter)});
    EXPECT_FALSE(alone.is_complete);
    EXPECT_EQ(alone.conflicts, std::vector<std::string>{"node-1 node-1"});
    EXPECT_EQ(alone.dropped.at(1), net::DisconnectReason::false_filter);
    EXPECT_EQ(alone.status.counts.compact_filters, chain.height()) << "at once";
    EXPECT_LT(watcher.sync_state().synced->height, 10U) << "all is searched again";
    EXPECT_TRUE(sync({with_fault(FaultKind::wrong_filter), node()}).is_complete);
    EXPECT_EQ(watcher.knowledge(), truth());
}

TEST_F(CompactFilters, HideNothingForLongIfARunIsStopped) {
    for (std::uint32_t i = 0; i < 10; ++i) pay_and_sweep(i, 3 + i);
    struct Case {
        const char* name;
        Stop stop;
    };
    const std::vector<Case> cases{
        {"killed before the comparison", {asks_for_hashes}},
        {"killed before one of the comparisons", {asks_for_hashes, 1}},
        {"interrupted before the comparison", {asks_for_hashes, 0, false}},
        {"killed once hashes differ", {asks_for_blocks}},
        {"interrupted once hashes differ", {asks_for_blocks, 0, false}},
        {"killed after some of the full blocks", {asks_for_blocks, 1}},
    };
    for (const auto& [name, stop] : cases) {
        for (const bool is_liar_alone_meanwhile : {false, true}) {
            SCOPED_TRACE(name);
            watcher = ListWatcher();
            EXPECT_FALSE(
                sync({liar(), node()}, MatchSourceKind::compact_filters, stop).is_complete);
            EXPECT_NE(watcher.knowledge(), truth());
            if (is_liar_alone_meanwhile) sync({liar()});
            const Run run = sync({liar(), node()});
            EXPECT_TRUE(run.is_complete);
            EXPECT_EQ(watcher.knowledge(), truth());
        }
    }
}

// Two nodes that lie together, and a slow honest one.
TEST_F(CompactFilters, AreComparedWithAllPeersBeforeTheyCount) {
    pay_and_sweep(1, 3);
    net::SyncOptions options;
    options.expected_peers = 3;
    options.blocks.source = MatchSourceKind::compact_filters;
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    network.connect(chain, liar());
    network.connect(chain, liar());
    network.connect(chain, node(milliseconds{1'000}));
    std::size_t stated = 0;
    network.on_delivery = [&](net::PeerId /*peer*/, const net::Message& message) {
        if (std::holds_alternative<net::CFHeaders>(message)) ++stated;
    };
    EXPECT_FALSE(network.run([&] { return stated == 2; }));
    engine.flush(network.now());
    EXPECT_TRUE(sync({liar(), node()}).is_complete);
    EXPECT_EQ(watcher.knowledge(), truth());
}

// Another connection to a node is no second opinion.
TEST_F(CompactFilters, OfEarlierRunsAreComparedWithANodeThatLacksTheLastBlock) {
    regtest::RegtestChain ahead;
    ahead.mine(101);
    for (regtest::RegtestChain* each : {&chain, &ahead}) {
        test::pay_and_sweep(*each, ListWatcher::script(1), 3);
    }
    ahead.mine(1);
    for (const bool is_liar_first : {true, false}) {
        watcher = ListWatcher();
        EXPECT_TRUE(sync_from({{ahead, liar()}}).is_complete);
        EXPECT_TRUE(watcher.knowledge().empty());
        const Server lying{ahead, liar()};
        const Server honest{chain};
        const Run run = is_liar_first ? sync_from({lying, honest}) : sync_from({honest, lying});
        EXPECT_TRUE(run.is_complete);
        EXPECT_EQ(watcher.knowledge(), truth());
        EXPECT_EQ(sync_from({{ahead}, honest}).status.counts.uncompared_filters, 1U)
            << "the last block";
    }
}

// The silent node may be the only honest one.
TEST_F(CompactFilters, StayUncomparedIfANamedNodeNeverCompletesTheHandshake) {
    pay_and_sweep(1, 3);
    const Run run = sync_from({{chain, liar()}, {chain, liar()}, {chain, node(), true}});
    EXPECT_TRUE(run.is_complete);
    EXPECT_GT(run.status.counts.uncompared_filters, 100U);
    sync({liar(), liar(), node()});
    EXPECT_EQ(watcher.knowledge(), truth());
}

// Two liars relay a block before an honest node has it.
TEST_F(CompactFilters, StayUncomparedIfANodeGetsTheBlockLater) {
    regtest::RegtestChain behind;
    behind.mine(101);
    chain.mine_block({chain.make_payment({{1'000, ListWatcher::script(1)}})});
    NodeBehaviour liar_about_last = node();
    liar_about_last.faults = {{FaultKind::wrong_filter, chain.height()},
                              {FaultKind::wrong_filter_header, chain.height()}};
    const Run run = sync_from({{chain, liar_about_last}, {chain, liar_about_last}, {behind}});
    EXPECT_TRUE(run.is_complete);
    EXPECT_GE(run.status.counts.uncompared_filters, 1U);
    EXPECT_TRUE(watcher.knowledge().empty());
    sync({liar_about_last, liar_about_last, node()});
    EXPECT_EQ(watcher.knowledge(), truth());
}

// A node disconnects if it is asked for filters or hashes up to a block that it does not have.
TEST_F(CompactFilters, AreAskedOnlyUpToTheForkOfANodeOnABranch) {
    regtest::RegtestChain branch;
    branch.mine(101);
    for (regtest::RegtestChain* each : {&chain, &branch}) {
        test::pay_and_sweep(*each, ListWatcher::script(1), 3);
    }
    branch.mine(1, ListWatcher::script(100));
    chain.mine(1);
    for (int i = 0; i < 3; ++i) {
        const Run run = sync_from({{chain}, {branch}});
        EXPECT_TRUE(run.is_complete);
        EXPECT_TRUE(run.open.at(2)) << "run " << i;
        EXPECT_EQ(run.status.counts.uncompared_filters, 1U) << "the last block";
    }
    EXPECT_EQ(watcher.knowledge(), truth());
}

// The watcher counts as covered up to the slice that is compared.
TEST_F(CompactFilters, OfEarlierRunsAreComparedAFewAtATime) {
    chain.mine(5'000);
    EXPECT_TRUE(sync({node()}).is_complete);
    const std::uint32_t height = chain.height();
    const Run run =
        sync({node(), node()}, MatchSourceKind::compact_filters, Stop{asks_for_filters});
    EXPECT_FALSE(run.is_complete);
    EXPECT_NEAR(watcher.sync_state().synced->height, height - net::kMaxFilterHashesPerMessage, 6);
    EXPECT_LT(sync({node()}).status.counts.answers(), 2'100U);
    EXPECT_EQ(sync({node(), node()}).status.counts.uncompared_filters, 0U);
    EXPECT_EQ(sync({node(), node()}).status.counts.answers(), 0U);
}

// One node states the first hash that it is asked for, and no other.
TEST_F(CompactFilters, OfEarlierRunsAreNotAllFetchedForANodeThatStatesOneHash) {
    chain.mine(5'000);
    EXPECT_TRUE(sync({node()}).is_complete);
    net::SyncOptions options;
    options.expected_peers = 2;
    options.blocks.source = MatchSourceKind::compact_filters;
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    network.connect(chain, node());
    const net::PeerId silent = network.connect(chain, node());
    network.on_delivery = [&](net::PeerId peer, const net::Message& message) {
        if (peer == silent && std::holds_alternative<net::CFHeaders>(message)) {
            network.silence(silent);
        }
    };
    EXPECT_TRUE(network.run());
    EXPECT_LE(engine.status().counts.compact_filters, net::kMaxFilterHashesPerMessage);
    EXPECT_GE(engine.status().counts.uncompared_filters, 5'000U);
}

// The last event of the run is the end of the silent peer's connection.
TEST_F(CompactFilters, AreStoredAsComparedIfTheLastPeerFallsSilent) {
    EXPECT_TRUE(sync({node()}).is_complete);
    chain.mine(1);
    {
        net::SyncOptions options;
        options.expected_peers = 3;
        options.blocks.source = MatchSourceKind::compact_filters;
        net::SyncEngine engine(headers, watcher, options);
        test::SimulatedNetwork network(engine);
        for (int i = 0; i < 2; ++i) network.connect(chain, node());
        const net::PeerId silent = network.connect(chain, node());
        network.on_command = [&](const net::Command& command) {
            const auto* send = std::get_if<net::Send>(&command);
            if (send && send->peer == silent && asks_for_hashes(send->message)) {
                network.silence(silent);
            }
        };
        EXPECT_TRUE(network.run());
        EXPECT_EQ(engine.status().counts.uncompared_filters, 0U);
    }
    EXPECT_EQ(sync({node(), node()}).status.counts.answers(), 0U) << "none is compared again";
}

TEST_F(CompactFilters, OfOneNodeAreNotComparedWithItsOtherConnection) {
    pay_and_sweep(1, 3);
    net::SyncOptions options;
    options.expected_peers = 2;
    options.blocks.source = MatchSourceKind::compact_filters;
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    const net::PeerId first = network.connect(chain, liar(), "one-node");
    bool asked = false;
    network.on_sent = [&](const net::Message& message) {
        asked = asked || asks_for_hashes(message);
    };
    EXPECT_FALSE(network.run([&] { return asked; }));
    network.cut(first);
    network.connect(chain, liar(), "one-node");
    EXPECT_TRUE(network.run());
    EXPECT_EQ(engine.status().counts.uncompared_filters, chain.height());
    EXPECT_EQ(engine.status().counts.cross_checked_blocks, 0U);
}

TEST_F(CompactFilters, ThatAPeerWithholdsComeFromAnother) {
    pay_and_sweep(1, 30);
    const Run run = sync({with_fault(FaultKind::withhold_filter, 50), node()});
    EXPECT_TRUE(run.is_complete);
    EXPECT_EQ(run.dropped.at(1), net::DisconnectReason::lacks_filters);
    EXPECT_EQ(watcher.knowledge(), truth());
}

// Otherwise a liar beside it could hide payments.
TEST_F(CompactFilters, AreComparedWithAPeerThatWithholdsSome) {
    pay_and_sweep(1, 30);
    for (seed = 0; seed < 16; ++seed) {
        watcher = ListWatcher();
        const Run run = sync({with_fault(FaultKind::withhold_filter, 50), liar()});
        EXPECT_TRUE(watcher.knowledge() == truth() || !run.is_complete ||
                    run.status.counts.uncompared_filters > 0);
        EXPECT_TRUE(sync({node(), liar()}).is_complete);
        EXPECT_EQ(watcher.knowledge(), truth());
    }
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
    EXPECT_GT(engine.status().counts.uncompared_filters, 0U);
}

// A run with many payments asks as few times as one without.
TEST_F(CompactFilters, AreComparedByFewRequests) {
    for (std::uint32_t i = 0; i < 60; ++i) pay_and_sweep(i % 10, 40);
    chain.mine(4'100 - chain.height());
    const Run run = sync({node(), node()});
    EXPECT_TRUE(run.is_complete);
    for (const auto& [peer, sent] : run.sent) EXPECT_LE(sent.at("getcfheaders"), 5U);
    EXPECT_EQ(run.status.counts.uncompared_filters, 0U);
}

/// Delivers the hashes of one peer's filters fifteen seconds apart.
class SlowHashes : public test::SimulatedNetwork {
public:
    using SimulatedNetwork::SimulatedNetwork;
    net::PeerId slow = 0;
    std::size_t delivered = 0;
    bool holds_answer() const { return !held_.empty(); }

protected:
    void deliver(net::PeerId peer, net::Message message) override {
        if (peer != slow || !std::holds_alternative<net::CFHeaders>(message)) {
            return SimulatedNetwork::deliver(peer, std::move(message));
        }
        if (held_.empty()) due_ = now_.steady + kApart;
        held_.push_back(std::move(message));
    }
    bool deliver_more(net::PeerId peer) override {
        if (peer != slow || held_.empty() || now_.steady < due_) return false;
        due_ = now_.steady + kApart;
        net::Message message = std::move(held_.front());
        held_.pop_front();
        ++delivered;
        SimulatedNetwork::deliver(peer, std::move(message));
        return true;
    }
    std::optional<milliseconds> next_event() const override {
        const auto next = SimulatedNetwork::next_event();
        if (held_.empty()) return next;
        return next ? std::min(*next, due_) : due_;
    }

private:
    static constexpr milliseconds kApart{15'000};
    std::deque<net::Message> held_;
    milliseconds due_{0};
};

// Two nodes that lie together, and an honest one that states its hashes later.
TEST_F(CompactFilters, CountAsComparedOnceAllPeersHaveStatedTheirHashes) {
    pay_and_sweep(1, 3);
    chain.mine(10);
    {
        net::SyncOptions options;
        options.expected_peers = 3;
        options.blocks.source = MatchSourceKind::compact_filters;
        net::SyncEngine engine(headers, watcher, options);
        SlowHashes network(engine);
        network.connect(chain, liar());
        network.connect(chain, liar());
        network.slow = network.connect(chain, node(milliseconds{200}));
        EXPECT_FALSE(network.run([&] { return network.holds_answer(); }));
        network.run_for(milliseconds{500});
        EXPECT_GT(network.sent(1).at("getcfheaders"), 0U);
        engine.flush(network.now());
    }
    EXPECT_TRUE(sync({liar(), node()}).is_complete);
    EXPECT_EQ(watcher.knowledge(), truth());
}

TEST_F(CompactFilters, AreComparedWithASlowPeerAsLongAsItAnswers) {
    chain.mine(6'100 - chain.height());
    net::SyncOptions options;
    options.expected_peers = 2;
    options.blocks.source = MatchSourceKind::compact_filters;
    net::SyncEngine engine(headers, watcher, options);
    SlowHashes network(engine);
    network.connect(chain, node());
    network.slow = network.connect(chain, node());
    EXPECT_FALSE(network.run([&] { return network.delivered == 1; }));
    EXPECT_EQ(network.sent(network.slow).at("getcfheaders"), 4U) << "asked for at once";
    EXPECT_TRUE(network.run());
    EXPECT_FALSE(network.dropped(network.slow));
    EXPECT_EQ(engine.status().counts.cross_checked_blocks, chain.height());
}

// An unspent coin.
TEST_F(CompactFilters, WithoutAMatchAreNotFetchedAgainForACoinThatIsFoundLate) {
    chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(1)}})});
    chain.mine(1'500);
    const Run run = sync({node(), node()});
    EXPECT_TRUE(run.is_complete);
    EXPECT_LT(run.status.counts.refetched_blocks, 3U);
    EXPECT_LT(run.status.counts.compact_filters, chain.height() + 3);
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
    EXPECT_EQ(run.status.searched_again_from, 1U);
    EXPECT_EQ(run.filters.at(1), expected);
    const net::SyncStatus again = sync({node()}, MatchSourceKind::filtered_blocks).status;
    EXPECT_EQ(again.counts.filtered_blocks, 0U);
    EXPECT_EQ(again.searched_again_from, std::nullopt);
}

// Another process makes an address before the scan starts.
TEST_F(CompactFilters, AreFollowedByAWholeBloomSearchAlsoIfTheWatchListGrows) {
    pay_and_sweep(1, 30);
    EXPECT_TRUE(sync({node()}).is_complete);
    watcher.grow_elsewhere();
    net::SyncOptions options;
    options.refresh_watcher_every = milliseconds{100};
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    network.run_for(milliseconds{300});
    network.connect(chain, node());
    EXPECT_TRUE(network.run());
    EXPECT_EQ(engine.status().counts.filtered_blocks, chain.height());
}

}  // namespace
}  // namespace petal
