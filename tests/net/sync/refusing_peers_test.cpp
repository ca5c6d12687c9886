// Peers that end the connection because of a request, and peers that end it for another reason.
#include <gtest/gtest.h>

#include <string>

#include "net/sync/sync_engine.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/test_chain.h"

namespace petal {
namespace {

using std::chrono::milliseconds;
using test::ListWatcher;

net::SyncOptions listening() {
    net::SyncOptions options;
    options.wait_unconfirmed = net::SyncOptions::kForever;
    return options;
}

class PeerThatLeaves : public testing::Test {
protected:
    regtest::RegtestChain chain;
    chain::HeaderChain headers{test::regtest_params()};
    ListWatcher watcher;
    net::SyncEngine engine{headers, watcher, listening()};
    test::SimulatedNetwork network{engine};
};

// As Bitcoin Core does once its upload target is reached.
TEST_F(PeerThatLeaves, AtItsFirstRequestForBlocksRefusesThem) {
    chain.mine(400);
    bool is_requested = false;
    network.on_sent = [&](const net::Message& message) {
        is_requested = is_requested || std::holds_alternative<net::GetData>(message);
    };
    const auto peer = network.connect(chain);
    network.run([&] { return is_requested; });
    network.cut(peer);
    EXPECT_EQ(engine.status().peers.at(0).ended, net::DisconnectReason::upload_limit);
}

// The first time, it may have been stopped at this moment.
TEST_F(PeerThatLeaves, TwiceAtARequestForItsMempoolRefusesIt) {
    using net::DisconnectReason;
    chain.mine(10);
    bool is_requested = false;
    network.on_sent = [&](const net::Message& message) {
        is_requested = is_requested || std::holds_alternative<net::Mempool>(message);
    };
    const auto reason_of_end = [&](const std::string& node, milliseconds later) {
        is_requested = false;
        const auto peer = network.connect(chain, {}, node);
        network.run([&] { return is_requested; });
        if (later > milliseconds{0}) network.run_for(later);
        network.cut(peer);
        return engine.status().peers.back().ended;
    };
    constexpr milliseconds kAtOnce{0};
    constexpr milliseconds kLater{1'000};
    EXPECT_EQ(reason_of_end("a", kAtOnce), DisconnectReason::gone);
    EXPECT_EQ(reason_of_end("b", kAtOnce), DisconnectReason::gone) << "another node";
    EXPECT_EQ(reason_of_end("a", kAtOnce), DisconnectReason::upload_limit);
    EXPECT_EQ(reason_of_end("a", kLater), DisconnectReason::gone) << "it has answered";
    EXPECT_EQ(reason_of_end("a", kAtOnce), DisconnectReason::gone) << "the first time since";
}

TEST_F(PeerThatLeaves, AfterABlockDoesNotRefuseThem) {
    chain.mine(400);
    network.set_portion(2'000);
    const auto peer = network.connect(chain);
    network.run([&] { return engine.status().counts.filtered_blocks >= 1; });
    ASSERT_LT(engine.status().counts.filtered_blocks, 400U);
    network.cut(peer);
    EXPECT_EQ(engine.status().peers.at(0).ended, net::DisconnectReason::gone);
}

}  // namespace
}  // namespace petal
