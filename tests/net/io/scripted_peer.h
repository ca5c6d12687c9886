// A peer that sends and expects exactly the bytes that a test specifies.
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

/// One accepted connection, seen from the peer. Reads and writes block. A connection that the
/// client closes meanwhile is no error.
class ScriptedConnection {
public:
    explicit ScriptedConnection(boost::asio::ip::tcp::socket socket);

    /// Returns false if the client has closed the connection.
    bool write(chain::ByteView bytes);
    void write(std::string_view text);
    /// Writes the message with regtest's header.
    void write(const net::Message& message);
    /// Reads this many bytes, or fewer if the client closes the connection first.
    chain::Bytes read(std::size_t size);
    /// Reads messages until a message has this command. Returns false if the client closes the
    /// connection first.
    bool read_until(std::string_view command) { return payload_of(command).has_value(); }
    /// Reads messages until a message has this command, and returns the message's payload. Nothing
    /// if the client closes the connection first.
    std::optional<chain::Bytes> payload_of(std::string_view command);
    /// Reads until the client closes the connection.
    void hold();
    /// Shuts the connection down, so that the client reads the end after all written bytes.
    void end();

private:
    boost::asio::ip::tcp::socket socket_;
};

/// Listens on a loopback port and serves each connection, one after the other, with the next
/// script. The last script serves all further connections. A connection ends with the script.
class ScriptedPeer {
public:
    using Script = std::function<void(ScriptedConnection&)>;

    explicit ScriptedPeer(std::vector<Script> scripts);
    ~ScriptedPeer();

    net::Endpoint endpoint() const;
    /// The number of connections that have been accepted so far.
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

/// Completes the handshake as a node that serves filters and has this height.
void shake_hands(ScriptedConnection& connection, std::int32_t height,
                 std::uint64_t services = net::kNodeNetwork | net::kNodeBloom);

}  // namespace petal::test
