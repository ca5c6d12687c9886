// A SOCKS5 proxy that records requests, and misbehaves as a test requires.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "net/io/dial/endpoint.h"

namespace petal::test {

enum class SocksManner : std::uint8_t {
    forwards,
    drips,          ///< forwards, and answers one byte at a time
    without_login,  ///< forwards, and knows no logins
    refuses,        ///< refuses every request (not allowed by ruleset)
    hangs,          ///< accepts the connection, and sends nothing
    hangs_up,
    garbles,  ///< answers with bytes that are not SOCKS5
};

/// Listens on a loopback port, with a thread for each connection. The test maps host names to
/// addresses. All other names are unreachable, because the server resolves no names.
class SocksServer {
public:
    struct Request {
        std::string host;
        std::uint16_t port = 0;
        std::string username;
        std::string password;
    };
    using Hosts = std::map<std::string, net::Endpoint>;

    explicit SocksServer(SocksManner manner, Hosts hosts = {});
    ~SocksServer();

    net::Endpoint endpoint() const;
    /// The requests so far.
    std::vector<Request> requests() const;

private:
    using Socket = boost::asio::ip::tcp::socket;

    void accept_all();
    void serve(Socket& client);
    Request read_request(Socket& client);
    void relay(Socket& client, const net::Endpoint& target);
    void say(Socket& client, const std::vector<std::uint8_t>& bytes) const;
    Socket& keep(Socket socket);

    SocksManner manner_;
    Hosts hosts_;
    boost::asio::io_context io_;
    boost::asio::ip::tcp::acceptor acceptor_;
    mutable std::mutex mutex_;
    bool stopping_ = false;
    std::vector<Request> requests_;
    std::list<Socket> sockets_;
    std::list<std::thread> threads_;
    std::thread acceptor_thread_;
};

}  // namespace petal::test
