// Connections that only request addresses, over loopback.
#include "net/io/search/handshake_probe.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "net/io/dial/dial.h"
#include "tests/net/io/spv_client_fixture.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;

boost::asio::awaitable<void> fetch_from(Endpoint peer, milliseconds limit,
                                        FetchedAddresses& fetched) {
    auto socket = co_await dial(peer, limit);
    const Magic magic = test::regtest_params().magic;
    fetched = co_await run_addr_fetch(std::move(*socket), magic, 1'750'000'000, limit);
}

FetchedAddresses fetched_by(test::ScriptedPeer::Script script,
                            milliseconds limit = milliseconds{5'000}) {
    const test::ScriptedPeer peer{{std::move(script)}};
    boost::asio::io_context io;
    FetchedAddresses fetched{AddrCollector{}};
    std::exception_ptr thrown;
    boost::asio::co_spawn(io, fetch_from(peer.endpoint(), limit, fetched),
                          [&thrown](std::exception_ptr why) { thrown = why; });
    io.run();
    if (thrown) std::rethrow_exception(thrown);
    return fetched;
}

GossipedAddress told_address(chain::Byte number) {
    return {{AddressKind::ipv4, {127, 77, 0, number}, 8333}, kNodeBloom, 1'750'000'000};
}

TEST(AddrFetch, WaitsForSeveralAddressesAndSendsNoFilter) {
    std::atomic<bool> got_filter = true;
    auto fetched = fetched_by([&](test::ScriptedConnection& connection) {
        test::shake_hands(connection, 0, /*services=*/0);
        ASSERT_TRUE(connection.read_until("getaddr"));
        connection.write(Addr{{told_address(1)}});  // the node's own address
        connection.write(AddrV2{{told_address(2), told_address(3)}});
        got_filter = connection.read_until("filterload");
    });
    ASSERT_TRUE(fetched.has_value());
    EXPECT_EQ(fetched->take_gossip(), (std::vector{told_address(2), told_address(3)}));
    EXPECT_FALSE(got_filter);
}

TEST(AddrFetch, TellsWhyANodeToldNothing) {
    EXPECT_EQ(fetched_by(test::hold, milliseconds{50}).error(), DisconnectReason::timed_out);
    EXPECT_EQ(fetched_by([](test::ScriptedConnection& connection) { connection.end(); }).error(),
              DisconnectReason::gone);
    const auto early = fetched_by([](test::ScriptedConnection& connection) {
        connection.write(Addr{{told_address(1), told_address(2)}});
        connection.end();
    });
    EXPECT_EQ(early.error(), DisconnectReason::gone) << "the node disconnects before the handshake";
}

}  // namespace
}  // namespace petal::net
