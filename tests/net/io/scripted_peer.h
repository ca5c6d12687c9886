// A peer that does what a test writes down, byte for byte.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "chain/bytes.h"
#include "net/io/dial/endpoint.h"
#include "net/wire/messages.h"

namespace petal::test {

/// One accepted connection, seen from the peer. Reads and writes block; what the client does to the
/// connection meanwhile is no error.
class ScriptedConnection {
public:
    explicit ScriptedConnection(boost::asio::ip::tcp::socket socket);

    /// False where the client has closed the connection.
    bool write(chain::ByteView bytes);
    void write(std::string_view text);
    /// As a message of regtest.
    void write(const net::Message& message);
    /// Reads so many bytes, fewer where the client closes the connection before.
    chain::Bytes read(std::size_t size);
    /// Reads messages until one has this command; false where the client closes the connection
    /// before.
    bool read_until(std::string_view command) { return payload_of(command).has_value(); }
    /// The same, and returns that message's payload.
    std::optional<chain::Bytes> payload_of(std::string_view command);
    /// Reads until the client closes the connection.
    void hold();
    /// The client reads the end of the connection behind what was written.
    void end();

private:
    boost::asio::ip::tcp::socket socket_;
};

/// Listens on a loopback port, and gives each connection, one after the other, to the next script;
/// the last script serves all further ones. A connection ends when its script does.
class ScriptedPeer {
public:
    using Script = std::function<void(ScriptedConnection&)>;

    explicit ScriptedPeer(std::vector<Script> scripts);
    ~ScriptedPeer();

    net::Endpoint endpoint() const;
    /// How many connections were accepted so far.
    int accepted() const { return accepted_; }

private:
    void run(const std::vector<Script>& scripts);

    boost::asio::io_context io_;
    boost::asio::ip::tcp::acceptor acceptor_;
    net::Endpoint endpoint_;
    std::atomic<bool> stopping_ = false;
    std::atomic<int> accepted_ = 0;
    std::thread thread_;
};

/// Answers version and verack as a node that serves filters at this height.
void shake_hands(ScriptedConnection& connection, std::int32_t height,
                 std::uint64_t services = net::kNodeNetwork | net::kNodeBloom);

}  // namespace petal::test
