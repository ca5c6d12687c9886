// Peers that lie, withhold or stall: each costs itself its connection, and the sync nothing.
#include <gtest/gtest.h>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"

namespace petal {
namespace {

using net::DisconnectReason;
using net::FaultKind;
using test::ListWatcher;

struct FaultCase {
    std::string name;
    FaultKind kind;
    DisconnectReason reason;
};

void PrintTo(const FaultCase& c, std::ostream* out) {
    *out << c.name;
}

class FaultyPeer : public testing::TestWithParam<FaultCase> {
protected:
    FaultyPeer() {
        chain.mine(110);
        for (std::uint32_t i = 0; i < 8; ++i) {
            chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(i)}}),
                              chain.make_payment({{10'000, ListWatcher::script(1'000 + i)}})});
            chain.mine(20);
        }
    }

    net::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
};

TEST_P(FaultyPeer, IsDroppedAndAnotherPeerServesTheRest) {
    net::SyncEngine engine(headers, watcher, {});
    test::SimulatedNetwork network(engine);
    network.set_portion(5'000);
    net::NodeBehaviour faulty;
    faulty.faults = {{GetParam().kind, /*after_blocks=*/150, /*times=*/1'000'000, std::nullopt}};
    const auto liar = network.connect(chain, faulty);
    network.connect(chain);

    EXPECT_TRUE(network.run());
    EXPECT_EQ(network.dropped(liar), GetParam().reason);
    EXPECT_EQ(engine.status().peers[0].ended, GetParam().reason);
    EXPECT_EQ(engine.status().peers[0].misbehaviour,
              net::is_misbehaviour(GetParam().reason) ? 1U : 0U);
    EXPECT_EQ(watcher.knowledge(), test::read_whole_chain(chain, 30));
}

INSTANTIATE_TEST_SUITE_P(SyncEngine, FaultyPeer,
                         testing::Values(FaultCase{"WithholdsATransaction",
                                                   FaultKind::withhold_transaction,
                                                   DisconnectReason::incomplete},
                                         FaultCase{"CorruptsAProof", FaultKind::corrupt_proof,
                                                   DisconnectReason::invalid_proof}),
                         [](const auto& row) { return row.param.name; });

TEST(UnaskedTransactions, AreNotLookedAt) {
    net::RegtestChain chain;
    chain.mine(110);
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    net::SyncOptions options;
    options.wait_unconfirmed = std::chrono::milliseconds{10'000};
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    const auto peer = network.connect(chain);
    network.run([&] { return engine.status().phase == net::SyncPhase::listening; });
    const auto unasked = chain.make_payment({{5'000, ListWatcher::script(1)}});
    engine.on_message(peer, net::Tx{unasked}, network.now());
    EXPECT_TRUE(network.run());
    EXPECT_TRUE(watcher.knowledge().empty());
    EXPECT_EQ(engine.status().counts.transactions, 0U);
}

TEST(ManyPeers, AreReplacedOneAfterTheOther) {
    net::RegtestChain chain;
    chain.mine(500);
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    net::SyncOptions options;
    options.blocks.cross_check = net::CrossCheckMode::none;
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    network.set_portion(5'000);
    for (std::uint32_t i = 0; i < 5; ++i) {
        net::NodeBehaviour behaviour;
        behaviour.faults = {{FaultKind::hang_up, 60, 1, std::nullopt}};
        network.connect(chain, behaviour);
    }
    network.connect(chain);
    EXPECT_TRUE(network.run());
    EXPECT_EQ(engine.status().counts.filtered_blocks, 500U);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(engine.status().peers[i].blocks, 60U);
        EXPECT_EQ(engine.status().peers[i].ended, DisconnectReason::gone);
    }
}

}  // namespace
}  // namespace petal
