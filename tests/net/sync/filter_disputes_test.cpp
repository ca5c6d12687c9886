// Peers with different compact filters, in simulated time: the liar is found by the block, and
// nothing is missed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chain/block_filters/block_filter.h"
#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using chain::Bytes;
using net::DisconnectReason;
using net::PeerId;
using std::chrono::milliseconds;
using test::ListWatcher;

using Elements = std::vector<Bytes>;

/// Changes the elements of a block's filter.
using Forge = std::function<Elements(std::uint32_t height, Elements elements)>;

/// What a peer states and sends instead of true filters. Empty: the truth.
struct Lie {
    Forge filters;
    Forge hashes;
    bool stalls_when_asked_for_one = false;
};

/// The elements of the blocks' filters, by height.
std::vector<Elements> elements_of(const regtest::RegtestChain& chain) {
    std::vector<Elements> elements;
    std::unordered_map<chain::Outpoint, Bytes> scripts;
    for (std::uint32_t height = 0; height <= chain.height(); ++height) {
        const auto block = chain.block_at(height);
        elements.push_back(chain::output_elements({block.header, block.transactions}));
        for (std::size_t i = 0; i < block.transactions.size(); ++i) {
            for (const auto& input : block.transactions[i].inputs) {
                if (i > 0) elements.back().push_back(scripts.at(input.prevout));
            }
            const auto& outputs = block.transactions[i].outputs;
            for (std::uint32_t index = 0; index < outputs.size(); ++index) {
                scripts[{block.txids[i], index}] = outputs[index].script_pubkey;
            }
        }
    }
    return elements;
}

/// Replaces filters and their hashes on their way from a peer.
class LyingNetwork : public test::SimulatedNetwork {
public:
    LyingNetwork(net::SyncEngine& engine, const regtest::RegtestChain& chain)
        : SimulatedNetwork(engine), chain_(chain) {}

    std::map<PeerId, Lie> lies;

protected:
    void deliver(PeerId peer, net::Message message) override {
        const auto lie = lies.find(peer);
        if (lie == lies.end()) return SimulatedNetwork::deliver(peer, std::move(message));
        if (auto* const sent = std::get_if<net::CFilter>(&message)) {
            if (lie->second.filters) {
                sent->filter = forged(height_of(sent->block), lie->second.filters);
            }
        } else if (auto* const stated = std::get_if<net::CFHeaders>(&message)) {
            std::uint32_t height = height_of(stated->stop);
            for (auto hash = stated->hashes.rbegin(); hash != stated->hashes.rend(); ++hash) {
                if (!lie->second.hashes) break;
                *hash = chain::hash_filter(forged(height--, lie->second.hashes));
            }
        }
        SimulatedNetwork::deliver(peer, std::move(message));
    }

private:
    std::uint32_t height_of(const chain::BlockHash& hash) const {
        return chain_.blocks().find(hash)->height;
    }
    Bytes forged(std::uint32_t height, const Forge& forge) {
        if (std::exchange(tip_, chain_.blocks().tip().hash) != chain_.blocks().tip().hash) {
            elements_ = elements_of(chain_);
        }
        const auto parameters = chain::basic_filter_parameters(chain_.blocks().at(height).hash);
        return chain::GolombSet(parameters, forge(height, elements_.at(height))).encode();
    }

    const regtest::RegtestChain& chain_;
    chain::BlockHash tip_;
    std::vector<Elements> elements_;  // of the chain with this tip
};

Elements no_elements(std::uint32_t /*height*/, Elements /*elements*/) {
    return {};
}

class FilterDisputesTest : public testing::Test {
protected:
    FilterDisputesTest() {
        chain.mine(101);
        for (std::uint32_t i = 0; i < 5; ++i) {
            test::pay_and_sweep(chain, ListWatcher::script(i), 40);
        }
    }

    static regtest::NodeBehaviour node() {
        regtest::NodeBehaviour behaviour;
        behaviour.block_time = milliseconds{1};
        behaviour.lag = milliseconds{5};
        return behaviour;
    }
    static regtest::NodeBehaviour late() {
        regtest::NodeBehaviour behaviour = node();
        behaviour.lag = milliseconds{300};
        return behaviour;
    }
    static Lie consistent(const Forge& forge) { return {forge, forge}; }

    struct Server {
        Lie lie{};
        regtest::NodeBehaviour behaviour = node();
    };
    struct Run {
        bool is_complete = false;
        net::SyncStatus status;
        milliseconds time{0};
        std::map<PeerId, std::optional<DisconnectReason>> dropped{};
        std::size_t conflicts = 0;

        std::uint64_t full_blocks() const { return status.counts.full_blocks; }
        std::uint64_t uncompared() const { return status.counts.uncompared_filters; }
    };

    /// Called before each event.
    using Meddle = std::function<void(LyingNetwork& network, const net::SyncEngine& engine)>;

    Run sync(const std::vector<Server>& servers, const Meddle& meddle = {}) {
        net::SyncOptions options;
        options.expected_peers = servers.size();
        options.blocks.source = net::MatchSourceKind::compact_filters;
        options.random_seed = seed;
        net::SyncEngine engine(headers, watcher, options);
        Run run;
        engine.events.on_filter_conflict = [&](const net::FilterConflict&) { ++run.conflicts; };
        LyingNetwork network(engine, chain);
        for (const Server& server : servers) {
            network.lies[network.connect(chain, server.behaviour)] = server.lie;
        }
        for (const auto& [peer, lie] : network.lies) {
            if (!lie.stalls_when_asked_for_one) continue;
            network.on_command = [this, &network, peer = peer](const net::Command& command) {
                const bool is_testimony = asks_for_testimony(command, peer) &&
                                          network.sent(peer).contains("getcfheaders");
                if (is_testimony) network.silence(peer);
            };
        }
        const milliseconds start = network.now().steady;
        run.is_complete = network.run([&] {
            if (meddle) meddle(network, engine);
            return false;
        });
        run.time = network.now().steady - start;
        run.status = engine.status();
        for (const net::PeerReport& peer : run.status.peers) run.dropped[peer.id] = peer.ended;
        return run;
    }
    /// Whether this asks the peer for the filter of a single block.
    bool asks_for_testimony(const net::Command& command, PeerId peer) const {
        const auto* const send = std::get_if<net::Send>(&command);
        if (send == nullptr || send->peer != peer) return false;
        const auto* const wanted = std::get_if<net::GetCFilters>(&send->message);
        return wanted != nullptr &&
               chain.blocks().find(wanted->stop)->height == wanted->start_height;
    }

    /// Mines blocks that each spend an output of an earlier block. Returns the height of the first.
    std::uint32_t mine_blocks_with_inputs(std::uint32_t count) {
        const std::uint32_t first = chain.height() + 1;
        for (std::uint32_t i = 0; i < count; ++i) {
            chain.mine_block({chain.make_payment({{1'000, Bytes{0x51, 0x52}}})});
        }
        return first;
    }
    /// False filters of the blocks from this height on, which no block disproves.
    Forge without_proof_from(std::uint32_t first) const {
        return [this, first](std::uint32_t height, Elements elements) {
            if (height < first) return elements;
            const auto block = chain.block_at(height);
            Elements changed = chain::output_elements({block.header, block.transactions});
            changed.push_back({0x51, 0x99});
            return changed;
        };
    }

    test::Knowledge truth() const { return test::read_whole_chain(chain, watcher.watched()); }
    /// The blocks that the watcher's payments and spends are in.
    std::uint64_t matching_blocks() const { return 10; }

    std::uint64_t seed = 0;
    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
};

TEST_F(FilterDisputesTest, DisconnectEachLiarThatABlockProvesForAFewBlocks) {
    struct Case {
        const char* name;
        Forge forge;
    };
    const std::vector<Case> cases{
        {"empty", no_elements},
        {"without the coinbase's script",
         [](std::uint32_t, Elements elements) {
             const Bytes hidden = elements.front();
             std::erase(elements, hidden);
             return elements;
         }},
        {"with more elements than the block has room for",
         [](std::uint32_t, Elements elements) {
             for (chain::Byte i = 0; i < 200; ++i) elements.push_back({0x51, 0x99, i});
             return elements;
         }},
    };
    for (const auto& [name, forge] : cases) {
        for (const bool is_liar_first : {true, false}) {
            for (seed = 0; seed < 3; ++seed) {
                SCOPED_TRACE(std::string(name) + (is_liar_first ? ", first" : ", last"));
                watcher = ListWatcher();
                std::vector<Server> servers(3);
                const std::size_t liar = is_liar_first ? 0 : 2;
                servers[liar].lie = consistent(forge);
                const Run run = sync(servers);
                EXPECT_TRUE(run.is_complete);
                EXPECT_EQ(watcher.knowledge(), truth());
                for (PeerId peer = 1; peer <= 3; ++peer) {
                    EXPECT_EQ(run.dropped.at(peer),
                              peer == liar + 1 ? std::optional{DisconnectReason::false_filter}
                                               : std::nullopt);
                }
                EXPECT_LE(run.full_blocks(), 2 * matching_blocks() + 8) << "of 306";
                EXPECT_EQ(run.uncompared(), 0U) << "two nodes are left";
                EXPECT_GE(run.conflicts, 1U);
            }
        }
    }
}

// The remaining node alone vouches for its filters.
TEST_F(FilterDisputesTest, LeaveTheFiltersOfTheLastNodeUncompared) {
    const Run run = sync({{consistent(no_elements)}, {}});
    EXPECT_TRUE(run.is_complete);
    EXPECT_EQ(run.dropped.at(1), DisconnectReason::false_filter);
    EXPECT_EQ(watcher.knowledge(), truth());
    EXPECT_GT(run.uncompared(), 200U);
    EXPECT_EQ(sync({{}, {}}).uncompared(), 0U) << "a later run compares them";
}

// It agrees with the honest node below.
TEST_F(FilterDisputesTest, EndTheAgreementOfALiar) {
    const Forge forge = [](std::uint32_t height, Elements elements) {
        return height < 200 ? elements : Elements{};
    };
    const Run run = sync({{}, {consistent(forge), late()}});
    EXPECT_TRUE(run.is_complete);
    EXPECT_EQ(run.dropped.at(2), DisconnectReason::false_filter);
    EXPECT_GE(run.uncompared(), chain.height() - matching_blocks() - 8);
    EXPECT_EQ(watcher.knowledge(), truth());
}

// The scripts that a block spends are unknown to a light client.
TEST_F(FilterDisputesTest, DownloadBlocksThatProveNothingInFull) {
    const auto truth_elements = elements_of(chain);
    const Bytes hidden = ListWatcher::script(3);
    std::uint32_t spend = 0;
    for (std::uint32_t height = 0; height <= chain.height(); ++height) {
        const auto block = chain.block_at(height);
        const auto own = chain::output_elements({block.header, block.transactions});
        const bool has =
            std::ranges::find(truth_elements[height], hidden) != truth_elements[height].end();
        if (has && std::ranges::find(own, hidden) == own.end()) spend = height;
    }
    ASSERT_GT(spend, 0U);
    const Forge forge = [&](std::uint32_t height, Elements elements) {
        if (height == spend) std::erase(elements, hidden);
        return elements;
    };
    for (const bool is_liar_first : {true, false}) {
        watcher = ListWatcher();
        std::vector<Server> servers{{consistent(forge)}, {{}, late()}};
        if (!is_liar_first) servers = {{}, {consistent(forge), late()}};
        const Run run = sync(servers);
        EXPECT_TRUE(run.is_complete);
        EXPECT_EQ(watcher.knowledge(), truth());
        EXPECT_EQ(run.full_blocks(), matching_blocks());
        EXPECT_EQ(run.dropped.at(1), std::nullopt);
        EXPECT_EQ(run.dropped.at(2), std::nullopt);
        EXPECT_EQ(run.uncompared(), 0U);
    }
}

// Each block has an input, whose script the false filter replaces.
TEST_F(FilterDisputesTest, EndForANodeThatDisputesManyBlocksWithoutProof) {
    const std::uint32_t first = mine_blocks_with_inputs(200);
    const Lie lie = consistent(without_proof_from(first));
    struct Case {
        const char* name;
        std::vector<Server> servers;
        PeerId disconnected;
    };
    const std::vector<Case> cases{
        {"alone against two", {{}, {{}, late()}, {lie, late()}}, 3},
        {"alone against two, and the server", {{lie}, {{}, late()}, {{}, late()}}, 1},
        {"the server of two nodes", {{lie}, {{}, late()}}, 1},
        {"not the server of two nodes", {{}, {lie, late()}}, 1},
    };
    for (const auto& [name, servers, disconnected] : cases) {
        SCOPED_TRACE(name);
        watcher = ListWatcher();
        const Run run = sync(servers);
        EXPECT_TRUE(run.is_complete);
        EXPECT_EQ(watcher.knowledge(), truth());
        EXPECT_EQ(run.dropped.at(disconnected), DisconnectReason::unproven_filters);
        EXPECT_GE(run.full_blocks(), 64 + matching_blocks());
        EXPECT_LE(run.full_blocks(), 67 + 2 * matching_blocks());
        EXPECT_LT(run.status.counts.compact_filters, 2 * chain.height());
        for (const auto& [peer, reason] : run.dropped) {
            EXPECT_TRUE(peer == disconnected || !reason) << peer;
        }
    }
}

// Each conviction costs four blocks, which are charged to the server.
TEST_F(FilterDisputesTest, DoNotEndForAnHonestNodeThatMoreAndMoreLiarsDispute) {
    const Lie lie = consistent(no_elements);
    PeerId liar = 2;
    bool is_asked = false;
    const auto add_liars = [&](LyingNetwork& network, const net::SyncEngine& /*engine*/) {
        network.on_command = [&](const net::Command& command) {
            is_asked = is_asked || asks_for_testimony(command, liar);
        };
        if (!std::exchange(is_asked, false) || liar > 20) return;
        liar = network.connect(chain, late());
        network.lies[liar] = lie;
    };
    const Run run = sync({{}, {lie, late()}}, add_liars);
    EXPECT_TRUE(run.is_complete);
    EXPECT_GT(liar, 20U);
    EXPECT_EQ(run.dropped.at(liar), DisconnectReason::false_filter);
    EXPECT_EQ(run.dropped.at(1), std::nullopt);
    EXPECT_EQ(watcher.knowledge(), truth());
}

TEST_F(FilterDisputesTest, CostFewBlocksIfALiarHangsUpAndReturns) {
    for (const bool is_server : {true, false}) {
        SCOPED_TRACE(is_server);
        watcher = ListWatcher();
        const Lie lie = consistent(no_elements);
        std::vector<PeerId> liars{PeerId{is_server ? 1U : 3U}};
        bool is_asked = false;
        const auto hang_up = [&](LyingNetwork& network, const net::SyncEngine& /*engine*/) {
            network.on_command = [&](const net::Command& command) {
                is_asked = is_asked || asks_for_testimony(command, liars.back());
            };
            if (!std::exchange(is_asked, false)) return;
            network.cut(liars.back());
            const std::string name = "node-" + std::to_string(liars.front());
            liars.push_back(network.connect(chain, late(), name));
            network.lies[liars.back()] = lie;
        };
        std::vector<Server> servers{{lie}, {{}, late()}, {{}, late()}};
        if (!is_server) servers = {{}, {{}, late()}, {lie, late()}};
        const Run run = sync(servers, hang_up);
        EXPECT_TRUE(run.is_complete);
        EXPECT_EQ(watcher.knowledge(), truth());
        EXPECT_EQ(liars.size(), 3U);
        EXPECT_LE(run.full_blocks(), 2 * matching_blocks());
        EXPECT_LT(run.status.counts.compact_filters, 3 * chain.height());
    }
}

TEST_F(FilterDisputesTest, DisconnectALiarWithoutTheFiltersThatItStates) {
    const Run run = sync({{}, {}, {{{}, no_elements}, late()}});
    EXPECT_TRUE(run.is_complete);
    EXPECT_EQ(run.dropped.at(3), DisconnectReason::false_filter);
    EXPECT_EQ(run.full_blocks(), matching_blocks()) << "no block is needed for that";
    EXPECT_EQ(run.uncompared(), 0U);
    EXPECT_EQ(watcher.knowledge(), truth());
}

TEST_F(FilterDisputesTest, DisconnectALiarThatWithholdsItsFilters) {
    regtest::NodeBehaviour withholding = late();
    withholding.faults = {{regtest::FaultKind::withhold_filter, 0}};
    const Run run = sync({{}, {}, {{{}, no_elements}, withholding}});
    EXPECT_TRUE(run.is_complete);
    EXPECT_EQ(run.dropped.at(3), DisconnectReason::lacks_filters);
    EXPECT_EQ(run.full_blocks(), matching_blocks());
    EXPECT_EQ(watcher.knowledge(), truth());
}

TEST_F(FilterDisputesTest, DisconnectAPeerThatSendsOtherFiltersThanBefore) {
    std::set<std::uint32_t> sent;
    const Forge changing = [&](std::uint32_t height, Elements elements) {
        const bool is_first = sent.insert(height).second;
        elements.push_back({0x51, is_first ? chain::Byte{1} : chain::Byte{2}});
        return elements;
    };
    const Forge stated = [](std::uint32_t, Elements elements) {
        elements.push_back({0x51, 1});
        return elements;
    };
    const Run run = sync({{{changing, stated}}, {{}, late()}, {{}, late()}});
    EXPECT_TRUE(run.is_complete);
    EXPECT_EQ(run.dropped.at(1), DisconnectReason::false_filter);
    EXPECT_EQ(watcher.knowledge(), truth());
}

TEST_F(FilterDisputesTest, DoNotWaitForALiarThatFallsSilent) {
    Lie lie = consistent(no_elements);
    lie.stalls_when_asked_for_one = true;
    for (const bool is_server : {true, false}) {
        watcher = ListWatcher();
        std::vector<Server> servers{{lie}, {{}, late()}, {{}, late()}};
        if (!is_server) servers = {{}, {}, {lie, late()}};
        const Run run = sync(servers);
        EXPECT_TRUE(run.is_complete);
        EXPECT_EQ(run.dropped.at(PeerId{is_server ? 1U : 3U}), DisconnectReason::timed_out);
        // A spend that arrives before its coin's block is downloaded again.
        EXPECT_LE(run.full_blocks(), matching_blocks() + 2);
        EXPECT_EQ(watcher.knowledge(), truth());
        // Two nodes agree on what the silent one has disputed, but it may have been right.
        EXPECT_EQ(run.uncompared() > 0, !is_server);
        EXPECT_EQ(sync({{}, {}}).uncompared(), 0U);
    }
}

// The honest node is gone before it could show its filter. Two nodes lie together.
TEST_F(FilterDisputesTest, KeepBlocksUncomparedThatAnHonestNodeHasDisputed) {
    bool has_left = false;
    const auto leave = [&](LyingNetwork& network, const net::SyncEngine& engine) {
        const bool is_disputed = engine.status().synced_height < 102 &&
                                 engine.status().header_height == chain.height() &&
                                 network.sent(3).contains("getcfheaders");
        if (!is_disputed || has_left || !network.sent(3).contains("getcfilters")) return;
        has_left = true;
        network.cut(3);
    };
    const Run run =
        sync({{consistent(no_elements)}, {consistent(no_elements)}, {{}, late()}}, leave);
    EXPECT_TRUE(run.is_complete);
    EXPECT_TRUE(has_left);
    EXPECT_TRUE(watcher.knowledge() == truth() || run.uncompared() > 100);
    EXPECT_TRUE(sync({{consistent(no_elements)}, {}}).is_complete);
    EXPECT_EQ(watcher.knowledge(), truth());
}

// The accuser leaves before it could show its filters, and the lie of the other node remains.
TEST_F(FilterDisputesTest, LeaveBlocksUncomparedIfTheAccuserLeaves) {
    bool is_asked = false;
    const auto leave = [&](LyingNetwork& network, const net::SyncEngine& /*engine*/) {
        network.on_command = [&](const net::Command& command) {
            is_asked = is_asked || asks_for_testimony(command, 2);
        };
        if (is_asked && network.is_open(2)) network.cut(2);
    };
    const Run run = sync({{consistent(no_elements)}, {{}, late()}}, leave);
    EXPECT_TRUE(is_asked);
    EXPECT_TRUE(run.is_complete);
    EXPECT_TRUE(watcher.knowledge().empty());
    EXPECT_EQ(run.uncompared(), chain.height());
    const Run alone = sync({{consistent(no_elements)}});
    EXPECT_EQ(alone.uncompared(), chain.height()) << "it is stored";
    EXPECT_EQ(sync({{consistent(no_elements)}, {}}).dropped.at(1), DisconnectReason::false_filter);
    EXPECT_EQ(watcher.knowledge(), truth());
}

// The disputed blocks are replaced while peers are asked for their filters.
TEST_F(FilterDisputesTest, EndWithAReorganisation) {
    const std::uint32_t fork = chain.height() - 60;
    const auto only_above = [fork](std::uint32_t height, Elements elements) {
        return height > fork ? Elements{} : elements;
    };
    bool is_moved = false;
    const auto move = [&](LyingNetwork& network, const net::SyncEngine& /*engine*/) {
        // The second request is for one filter.
        if (is_moved || network.sent(2)["getcfilters"] < 1) return;
        is_moved = true;
        chain.reorganise(fork, 62);
    };
    // The liar's node serves true filters of the new branch.
    const Run run = sync({{}, {consistent(only_above), late()}}, move);
    EXPECT_TRUE(is_moved);
    EXPECT_TRUE(run.is_complete);
    test::Knowledge confirmed = watcher.knowledge();
    std::erase_if(confirmed, [](const auto& entry) { return !entry.second; });
    EXPECT_EQ(confirmed, truth());
    EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
}

}  // namespace
}  // namespace petal
