#include "tests/support/ports.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <vector>

namespace petal::test {

namespace asio = boost::asio;
using asio::ip::tcp;

net::Endpoint closed_port() {
    static asio::io_context io;
    static std::vector<tcp::acceptor> taken;
    tcp::acceptor& acceptor = taken.emplace_back(io, tcp::v4());
    acceptor.bind({asio::ip::address_v4::loopback(), 0});  // and never listens
    return {"127.0.0.1", acceptor.local_endpoint().port()};
}

net::Endpoint free_port() {
    asio::io_context io;
    const tcp::acceptor acceptor{io, {asio::ip::address_v4::loopback(), 0}};
    return {"127.0.0.1", acceptor.local_endpoint().port()};
}

}  // namespace petal::test
