#include "regtest/serve/added_nodes.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

namespace petal::regtest {
namespace {

using asio::ip::tcp;

// Without a coroutine that dials, run() returns at once.
TEST(AddedNodes, AreNotDialledWhileStoppedAndOnceAfterwards) {
    asio::io_context io;
    tcp::acceptor acceptor{io, {asio::ip::address_v4::loopback(), 0}};
    const net::Endpoint endpoint{"127.0.0.1", acceptor.local_endpoint().port()};
    AddedNodes* dialler = nullptr;
    AddedNodes nodes{io, [&dialler](tcp::socket /*socket*/) -> asio::awaitable<void> {
                         dialler->stop();
                         co_return;
                     }};
    dialler = &nodes;
    nodes.stop();
    nodes.add(endpoint);
    nodes.try_once(endpoint);
    EXPECT_EQ(io.run(), 0U);

    io.restart();
    nodes.resume();
    nodes.resume();
    io.run();
    acceptor.non_blocking(true);
    boost::system::error_code error;
    acceptor.accept(error);
    EXPECT_FALSE(error);
    acceptor.accept(error);
    EXPECT_EQ(error, asio::error::would_block);
}

}  // namespace
}  // namespace petal::regtest
