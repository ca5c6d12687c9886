#include "tests/support/ports.h"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/support/loopback.h"

namespace petal::test {

namespace asio = boost::asio;
using asio::ip::tcp;

net::Endpoint closed_port() {
    static asio::io_context io;
    static std::vector<tcp::acceptor> taken;
    tcp::acceptor& acceptor = taken.emplace_back(io, tcp::v4());
    acceptor.bind({asio::ip::address_v4::loopback(), 0});  // but never listening
    return {"127.0.0.1", acceptor.local_endpoint().port()};
}

std::uint16_t free_port() {
    // The port is below the range that Linux gives to sockets without a fixed port. A program takes
    // seconds to start, and in that time a connection of another test could take the port.
    std::uniform_int_distribution<std::uint16_t> ports(10'000, 32'000);
    std::random_device random;
    for (int tries = 0; tries < 100; ++tries) {
        const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const std::uint16_t port = ports(random);
        const sockaddr_in address = loopback(port);
        const int refused =
            ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address);
        ::close(descriptor);
        if (refused == 0) return port;
    }
    throw std::runtime_error("no free port");
}

}  // namespace petal::test
