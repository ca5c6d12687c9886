#include "tests/support/socks_server.h"

#include <sys/socket.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <stdexcept>
#include <utility>

namespace petal::test {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read(tcp::socket& socket, std::size_t size) {
    Bytes bytes(size);
    asio::read(socket, asio::buffer(bytes));
    return bytes;
}

/// Reads a length and a field of this length.
std::string read_field(tcp::socket& socket) {
    const Bytes text = read(socket, read(socket, 1)[0]);
    return {text.begin(), text.end()};
}

/// Copies until either side ends. The other side then reads the end after all received data.
void copy(tcp::socket& from, tcp::socket& to) {
    std::array<char, 65536> buffer{};
    boost::system::error_code error;
    while (!error) {
        const std::size_t size = from.read_some(asio::buffer(buffer), error);
        if (!error) asio::write(to, asio::buffer(buffer, size), error);
    }
    ::shutdown(to.native_handle(), SHUT_WR);
}

}  // namespace

SocksServer::SocksServer(SocksManner manner, Hosts hosts)
    : manner_(manner),
      hosts_(std::move(hosts)),
      acceptor_(io_, tcp::endpoint{asio::ip::address_v4::loopback(), 0}),
      acceptor_thread_([this] { accept_all(); }) {}

SocksServer::~SocksServer() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
        for (auto& socket : sockets_) ::shutdown(socket.native_handle(), SHUT_RDWR);
    }
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);  // wakes accept()
    acceptor_thread_.join();
    for (auto& thread : threads_) thread.join();
}

net::Endpoint SocksServer::endpoint() const {
    return {"127.0.0.1", acceptor_.local_endpoint().port()};
}

std::vector<SocksServer::Request> SocksServer::requests() const {
    const std::lock_guard lock{mutex_};
    return requests_;
}

tcp::socket& SocksServer::keep(tcp::socket socket) {
    const std::lock_guard lock{mutex_};
    sockets_.push_back(std::move(socket));
    if (stopping_) ::shutdown(sockets_.back().native_handle(), SHUT_RDWR);
    return sockets_.back();
}

void SocksServer::accept_all() {
    for (;;) {
        boost::system::error_code error;
        tcp::socket accepted = acceptor_.accept(error);
        if (error) return;
        tcp::socket& client = keep(std::move(accepted));
        threads_.emplace_back([this, &client] {
            try {
                serve(client);
            } catch (const std::exception&) {
                // Either side is gone, or the client violated the protocol.
            }
            ::shutdown(client.native_handle(), SHUT_WR);
        });
    }
}

void SocksServer::say(tcp::socket& client, const Bytes& bytes) const {
    client.set_option(tcp::no_delay{true});
    if (manner_ != SocksManner::drips) {
        asio::write(client, asio::buffer(bytes));
        return;
    }
    for (const auto byte : bytes) asio::write(client, asio::buffer(&byte, 1));
}

void SocksServer::serve(tcp::socket& client) {
    if (manner_ == SocksManner::hangs) {
        read(client, std::size_t{1} << 20U);
        return;
    }
    if (manner_ == SocksManner::hangs_up) return;
    if (manner_ == SocksManner::garbles) {
        say(client, Bytes(64, 'x'));
        read(client, std::size_t{1} << 20U);
        return;
    }
    const Request request = read_request(client);
    {
        const std::lock_guard lock{mutex_};
        requests_.push_back(request);
    }
    const auto target = hosts_.find(request.host);
    if (manner_ == SocksManner::refuses || target == hosts_.end()) {
        const std::uint8_t reply = manner_ == SocksManner::refuses ? 2 : 4;
        say(client, {5, reply, 0, 1, 0, 0, 0, 0, 0, 0});
        return;
    }
    relay(client, target->second);
}

SocksServer::Request SocksServer::read_request(tcp::socket& client) {
    Request request;
    const std::string methods = (read(client, 1), read_field(client));
    if (manner_ == SocksManner::without_login) {
        say(client, {5, 0});
    } else {
        if (methods.find('\2') == std::string::npos) throw std::runtime_error("no login");
        say(client, {5, 2});
        read(client, 1);
        request.username = read_field(client);
        request.password = read_field(client);
        say(client, {1, 0});
    }
    const Bytes head = read(client, 4);
    if (head[3] == 3) {
        request.host = read_field(client);
    } else if (head[3] == 1) {
        asio::ip::address_v4::bytes_type bytes{};
        asio::read(client, asio::buffer(bytes));
        request.host = asio::ip::address_v4{bytes}.to_string();
    } else {
        asio::ip::address_v6::bytes_type bytes{};
        asio::read(client, asio::buffer(bytes));
        request.host = asio::ip::address_v6{bytes}.to_string();
    }
    const Bytes port = read(client, 2);
    request.port = static_cast<std::uint16_t>(port[0] << 8U | port[1]);
    return request;
}

void SocksServer::relay(tcp::socket& client, const net::Endpoint& target) {
    tcp::socket connecting{io_};
    connecting.connect({asio::ip::make_address(target.host), target.port});
    tcp::socket& server = keep(std::move(connecting));
    // A SOCKS5 reply may give the bound address as a name instead of an IP address.
    say(client, {5, 0, 0, 3, 4, 'h', 'e', 'r', 'e', 0, 9});
    std::thread back{[&] { copy(server, client); }};
    copy(client, server);
    back.join();
}

}  // namespace petal::test
