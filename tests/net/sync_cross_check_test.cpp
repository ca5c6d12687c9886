// Servers that leave transactions out: nothing that one of them says shows it, but what another
// says does.
#include "net/sync/cross_check.h"

#include <gtest/gtest.h>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"

namespace petal {
namespace {

using net::CrossCheckMode;
using net::DisconnectReason;
using test::ListWatcher;

net::NodeBehaviour liar(net::Fault fault) {
    net::NodeBehaviour behaviour;
    behaviour.block_time = std::chrono::milliseconds{1};
    behaviour.faults = {std::move(fault)};
    return behaviour;
}

net::NodeBehaviour honest() {
    net::NodeBehaviour behaviour;
    behaviour.block_time = std::chrono::milliseconds{1};
    return behaviour;
}

class LyingServers : public testing::Test {
protected:
    LyingServers() {
        chain.mine(110);
        for (std::uint32_t i = 0; i < 40; ++i) {
            chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(i % 20)}})});
            chain.mine(14);
        }
        truth = test::read_whole_chain(chain, 30);
    }

    struct Result {
        std::vector<std::optional<DisconnectReason>> ended;
        bool whole_truth = false;
        net::SyncStatus status;
    };

    Result sync(CrossCheckMode mode, const std::vector<net::NodeBehaviour>& nodes,
                std::uint64_t seed = 1) {
        chain::HeaderChain headers(*chain::find_network("regtest"));
        ListWatcher watcher;
        net::SyncOptions options;
        options.cross_check = mode;
        options.expected_peers = nodes.size();
        options.random_seed = seed;
        net::SyncEngine engine(headers, watcher, options);
        test::SimulatedNetwork network(engine);
        for (const auto& node : nodes) network.connect(chain, node);
        EXPECT_TRUE(network.run());
        Result result;
        for (const auto& peer : engine.status().peers) result.ended.push_back(peer.ended);
        result.whole_truth = watcher.knowledge() == truth;
        result.status = engine.status();
        return result;
    }

    net::Fault omission(std::uint32_t every) {
        net::Fault fault;
        fault.kind = net::FaultKind::omit_match;
        fault.every = every;
        return fault;
    }

    net::RegtestChain chain;
    test::Knowledge truth;
};

TEST_F(LyingServers, AreBelievedWhereNobodyElseIsAsked) {
    const auto result = sync(CrossCheckMode::none, {liar(omission(1)), honest()});
    EXPECT_FALSE(result.whole_truth);
    EXPECT_EQ(result.ended[0], std::nullopt);
    EXPECT_EQ(result.status.cross_checked_blocks, 0U);
}

TEST_F(LyingServers, AreCaughtWhenEveryBlockIsAskedOfTwo) {
    net::Fault of_one_address = omission(1);
    of_one_address.script = ListWatcher::script(7);
    for (const auto& fault : {omission(1), omission(10), of_one_address}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const auto result = sync(CrossCheckMode::all, {honest(), liar(fault), honest()}, seed);
            EXPECT_TRUE(result.whole_truth);
            EXPECT_EQ(result.ended[0], std::nullopt);
            EXPECT_EQ(result.ended[1], DisconnectReason::left_out);
            EXPECT_EQ(result.ended[2], std::nullopt);
            EXPECT_EQ(result.status.peers[1].misbehaviour, 1U);
        }
    }
}

TEST_F(LyingServers, AreCaughtBySamplesAsOftenAsTheyLieInOne) {
    int caught = 0;
    constexpr int kRuns = 100;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
        const auto result = sync(CrossCheckMode::sample, {liar(omission(1)), honest()}, seed);
        EXPECT_LT(result.status.cross_checked_blocks, 150U);
        if (!result.ended[0]) continue;
        ++caught;
        EXPECT_EQ(result.ended[0], DisconnectReason::left_out);
        EXPECT_TRUE(result.whole_truth) << "all that it served alone is asked for again";
    }
    // Half of the forty payments are served by each, and one block in twenty is asked of both: the
    // liar escapes with a probability near 0.95 to the power of forty, its second opinions
    // included.
    EXPECT_GT(caught, 75);
    EXPECT_LT(caught, 100);
}

TEST_F(LyingServers, CostHonestOnesNothing) {
    for (const auto mode : {CrossCheckMode::sample, CrossCheckMode::all}) {
        const auto result = sync(mode, std::vector(3, honest()));
        EXPECT_TRUE(result.whole_truth);
        for (const auto& ended : result.ended) EXPECT_EQ(ended, std::nullopt);
        const bool all = mode == CrossCheckMode::all;
        EXPECT_EQ(result.status.cross_checked_blocks >= chain.height(), all);
    }
}

TEST_F(LyingServers, AreNotDoubtedWhereThereIsOnlyOne) {
    const auto result = sync(CrossCheckMode::all, {honest()});
    EXPECT_TRUE(result.whole_truth);
    EXPECT_EQ(result.status.cross_checked_blocks, 0U);
}

}  // namespace
}  // namespace petal
