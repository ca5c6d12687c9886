#include "regtest/serve/accept_each.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <memory>

namespace petal::regtest {
namespace {

using asio::ip::tcp;

// The second connection is accepted before the posted handler closes the acceptor.
TEST(AcceptEach, HandsOverNoConnectionOnceTheAcceptorIsClosed) {
    asio::io_context io;
    const auto acceptor =
        std::make_shared<tcp::acceptor>(io, tcp::endpoint{asio::ip::address_v4::loopback(), 0});
    tcp::socket first{io};
    tcp::socket second{io};
    first.connect(acceptor->local_endpoint());
    second.connect(acceptor->local_endpoint());
    int served = 0;
    const auto serve = [&](tcp::socket /*socket*/) {
        ++served;
        asio::post(io, [&acceptor] { acceptor->close(); });
    };
    asio::co_spawn(io, accept_each(acceptor, serve), asio::detached);
    io.run();
    EXPECT_EQ(served, 1);
}

}  // namespace
}  // namespace petal::regtest
