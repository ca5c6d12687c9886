#include "tests/net/io/scripted_peer.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "net/wire/codec.h"
#include "tests/support/test_chain.h"

namespace petal::test {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

tcp::endpoint any_port() {
    return {asio::ip::address_v4::loopback(), 0};
}

}  // namespace

// Nodes do this too. Without it, a short message would wait until an earlier one is acknowledged.
ScriptedConnection::ScriptedConnection(tcp::socket socket) : socket_(std::move(socket)) {
    boost::system::error_code closed_by_client;
    socket_.set_option(tcp::no_delay{true}, closed_by_client);
}

bool ScriptedConnection::write(chain::ByteView bytes) {
    boost::system::error_code closed_by_client;
    asio::write(socket_, asio::buffer(bytes.data(), bytes.size()), closed_by_client);
    return !closed_by_client;
}

void ScriptedConnection::write(std::string_view text) {
    write(chain::ByteView{reinterpret_cast<const chain::Byte*>(text.data()), text.size()});
}

void ScriptedConnection::write(const net::Message& message) {
    write(chain::ByteView{net::encode_message(regtest_params().magic, message)});
}

chain::Bytes ScriptedConnection::read(std::size_t size) {
    chain::Bytes bytes(size);
    boost::system::error_code closed_by_client;
    bytes.resize(asio::read(socket_, asio::buffer(bytes), closed_by_client));
    return bytes;
}

std::optional<chain::Bytes> ScriptedConnection::payload_of(std::string_view command) {
    for (;;) {
        const auto header = read(net::kMessageHeaderBytes);
        if (header.size() < net::kMessageHeaderBytes) return std::nullopt;
        const auto payload_bytes =
            header[16] | header[17] << 8 | header[18] << 16 | header[19] << 24;
        auto payload = read(static_cast<std::size_t>(payload_bytes));
        const auto end = std::find(header.begin() + 4, header.begin() + 16, 0);
        if (std::equal(header.begin() + 4, end, command.begin(), command.end())) return payload;
    }
}

void ScriptedConnection::hold() {
    constexpr std::size_t kAtATime = 4096;
    while (read(kAtATime).size() == kAtATime) {
    }
}

void ScriptedConnection::end() {
    boost::system::error_code closed_by_client;
    socket_.shutdown(tcp::socket::shutdown_send, closed_by_client);
}

ScriptedPeer::ScriptedPeer(std::vector<Script> scripts)
    : acceptor_(io_, any_port()),
      endpoint_{"127.0.0.1", acceptor_.local_endpoint().port()},
      thread_([this, scripts] { run(scripts); }) {}

ScriptedPeer::~ScriptedPeer() {
    stopping_ = true;
    boost::system::error_code refused;
    asio::io_context io;
    tcp::socket{io}.connect(acceptor_.local_endpoint(), refused);  // wakes accept()
    thread_.join();
}

net::Endpoint ScriptedPeer::endpoint() const {
    return endpoint_;
}

// Closing a connection with unread bytes resets it, and the client loses what it has not read yet.
// So connections stay open until the peer is destroyed.
void ScriptedPeer::run(const std::vector<Script>& scripts) {
    std::vector<ScriptedConnection> ended;
    for (std::size_t next = 0;;) {
        ScriptedConnection connection{acceptor_.accept()};
        if (stopping_) return;
        ++accepted_;
        scripts[next](connection);
        connection.end();
        ended.push_back(std::move(connection));
        next = std::min(next + 1, scripts.size() - 1);
    }
}

void shake_hands(ScriptedConnection& connection, std::int32_t height, std::uint64_t services) {
    connection.read_until("version");
    net::Version version;
    version.services = services;
    version.nonce = 1;
    version.user_agent = "/scripted:0.1/";
    version.start_height = height;
    connection.write(version);
    connection.write(net::Verack{});
    connection.read_until("verack");
}

}  // namespace petal::test
