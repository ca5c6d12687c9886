// Feelers over loopback, alone and during a sync.
#include "net/io/search/handshake_probe.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>

#include "net/io/clocks.h"
#include "net/io/dial/dial.h"
#include "net/io/dial/peer_endpoint.h"
#include "tests/net/io/spv_client_fixture.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;

boost::asio::awaitable<void> feel(Endpoint peer, milliseconds limit, FeelerAnswer& answer) {
    auto socket = co_await dial(peer, limit);
    const Magic magic = test::regtest_params().magic;
    answer = co_await run_feeler(std::move(*socket), magic, 1'750'000'000, limit);
}

FeelerAnswer answer_of(const Endpoint& peer, milliseconds limit = milliseconds{5'000}) {
    boost::asio::io_context io;
    FeelerAnswer answer{0};
    std::exception_ptr thrown;
    boost::asio::co_spawn(io, feel(peer, limit, answer),
                          [&thrown](std::exception_ptr why) { thrown = why; });
    io.run();
    if (thrown) std::rethrow_exception(thrown);
    return answer;
}

DisconnectReason reason_of(test::ScriptedPeer::Script script,
                           milliseconds limit = milliseconds{5'000}) {
    const test::ScriptedPeer peer{{std::move(script)}};
    return answer_of(peer.endpoint(), limit).error();
}

TEST(Feeler, ReportsTheServicesOfAnyNode) {
    for (const std::uint64_t services :
         {kNodeNetwork | kNodeBloom, kNodeNetworkLimited, std::uint64_t{0}}) {
        regtest::ServerOptions options;
        options.behaviour.services = services;
        const regtest::EmbeddedNode node{options};
        EXPECT_EQ(answer_of(node.endpoint()).value(), services);
    }
}

TEST(Feeler, ReportsWhyThereIsNoAnswer) {
    EXPECT_EQ(reason_of([](test::ScriptedConnection& connection) { connection.end(); }),
              DisconnectReason::gone);
    EXPECT_EQ(reason_of([](test::ScriptedConnection& connection) {
                  connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
                  connection.hold();
              }),
              DisconnectReason::not_bitcoin);
    EXPECT_EQ(reason_of(test::hold, milliseconds{50}), DisconnectReason::timed_out);
}

/// A node that the sync is connected to, and others that feelers test.
class FeelerBesideSyncTest : public test::SpvClientFixture {
protected:
    FeelerBesideSyncTest() {
        sync_options_.wait_unconfirmed = SyncOptions::kForever;
        AddrManOptions how;
        how.accept_private = true;
        addrman_ = AddrMan{how};
        addrman_.add_by_user(address_of(serving_.endpoint()).value(), read_clocks().unix_seconds);
        options_.max_peers = 1;
        options_.persistent = true;
        options_.feelers = true;
    }

    void know(const Endpoint& peer) {
        const auto now = read_clocks().unix_seconds;
        addrman_.add(address_of(peer).value(), kNodeNetwork | kNodeBloom, now, {1, 2, 3}, now);
    }
    std::optional<KnownPeer> known(const Endpoint& peer) {
        return addrman_.find(address_of(peer).value());
    }

    /// Follows the chain until `done` returns true, but for ten seconds at most. Another thread
    /// calls `done`.
    void follow_until(const std::function<bool()>& done) {
        EndpointFinderOptions how;
        how.feeler_interval = milliseconds{20};
        EndpointFinder search{addrman_, how, read_clocks()};
        options_.search = &search;
        make_client({});
        std::thread onlooker{[&] {
            constexpr milliseconds kStep{5};
            for (int steps = 0; steps < 2'000 && !done(); ++steps) {
                std::this_thread::sleep_for(kStep);
            }
            client_->stop();
        }};
        client_->run();
        onlooker.join();
    }

    regtest::EmbeddedNode serving_{{}, test::paid_chain()};
    AddrMan addrman_{AddrManOptions{}};
};

TEST_F(FeelerBesideSyncTest, MovesAnAnsweringNodeToTheTriedTable) {
    regtest::ServerOptions options;
    options.host = "127.2.0.1";
    regtest::EmbeddedNode other{options, test::paid_chain()};
    know(other.endpoint());
    follow_until([&] { return other.accepted_count() == 1 && other.connection_count() == 0; });
    EXPECT_TRUE(known(other.endpoint())->tried);
    EXPECT_EQ(known(other.endpoint())->last_outcome, PeerOutcome::answered);
    EXPECT_EQ(other.accepted_count(), 1U);
    EXPECT_EQ(serving_.accepted_count(), 1U) << "the serving peer keeps its connection";
    EXPECT_EQ(engine_->status().peers.size(), 1U) << "the engine does not see the feeler";
    EXPECT_EQ(addrman_.anchors(), std::set{address_of(serving_.endpoint()).value()});
}

TEST_F(FeelerBesideSyncTest, ShowsTheNodeNothingButAVersion) {
    std::atomic<bool> asked_for_more = false;
    std::atomic<bool> over = false;
    const test::ScriptedPeer peer{{[&](test::ScriptedConnection& connection) {
        connection.read_until("version");
        Version version;
        version.services = kNodeNetwork | kNodeBloom;
        connection.write(version);
        asked_for_more = !connection.read(1).empty();
        over = true;
    }}};
    know(peer.endpoint());
    follow_until([&] { return over.load(); });
    EXPECT_TRUE(over);
    EXPECT_FALSE(asked_for_more);
}

}  // namespace
}  // namespace petal::net
