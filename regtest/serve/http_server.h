/// A small HTTP server for one service on this machine, such as a node's JSON-RPC.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/io/dial/first_of.h"

namespace petal::regtest {

namespace asio = boost::asio;

struct HttpOptions {
    std::string host = "127.0.0.1";  ///< an address of this machine
    /// A second host on the same port. Ignored if empty or unavailable.
    std::string second_host;
    /// Called with the port if the port is taken on the second host.
    std::function<void(std::uint16_t)> on_second_host_taken = {};
    std::uint16_t port = 0;  ///< 0: any free port
    /// Further addresses of this machine with their ports.
    std::vector<asio::ip::tcp::endpoint> further;
    /// `USER:PASSWORD`, required in each request (RFC 7617).
    std::string credentials;
    /// Whether other text `USER:PASSWORD` is accepted, too.
    std::function<bool(std::string_view)> accepts_credentials = {};
    /// Whether requests from this address are accepted. Without a function, from all addresses, and
    /// the Host header must name the loopback interface. With a function, the Host is not checked.
    std::function<bool(const asio::ip::address&)> accepts_client = {};
    /// The time limit for receiving a request, and for the client to read an answer. A connection
    /// without a request is closed after the same time.
    std::chrono::milliseconds deadline{30'000};
    /// The deadline of a connection without credentials so far, so that such clients do not occupy
    /// connections for long.
    std::chrono::milliseconds first_deadline{5'000};
    /// The delay of the answer to wrong credentials.
    std::chrono::milliseconds guess_delay{250};
    /// A block of 4,000,000 bytes in hexadecimal fits.
    std::size_t max_body_bytes = 9'000'000;
    /// The maximum number of connections. The next connection replaces the oldest without
    /// credentials so far. If there is none, the next connection gets status 503. At most as many
    /// connections wait for that. Further connections are closed.
    std::size_t max_connections = 64;
};

struct HttpRequest {
    std::string path;
    std::string body;
};

struct HttpAnswer {
    unsigned status = 200;
    std::string body;  ///< may be empty
    bool is_json = true;
    /// If set, the answer is not there yet. The server calls this from time to time until it
    /// returns an answer, or the client is gone.
    /// waited   the time since the request
    std::function<std::optional<HttpAnswer>(std::chrono::milliseconds waited)> later = {};
};

using HttpHandler = std::function<HttpAnswer(const HttpRequest&)>;

/// Answers POST requests one after another on each connection (HTTP/1.1). Runs on the given
/// io_context, and calls the handler there. An exception of the handler is answered with status
/// 500. Before the body is read, a request is refused for one of these:
///
/// | refused | status |
/// |---|---|
/// | a client's address that HttpOptions::accepts_client rejects | 403 |
/// | a Host other than a loopback name, unless HttpOptions::accepts_client is set | 403 |
/// | any Origin: a web page's name may resolve to this machine | 403 |
/// | wrong credentials | 401 |
/// | a method other than POST | 405 |
/// | a transfer encoding other than chunked | 501 |
class HttpServer {
public:
    /// Listens from now on. `io` must outlive the server. The server must outlive its coroutines in
    /// `io`, which end after stop(). Throws boost::system::system_error if the address is
    /// unavailable.
    HttpServer(asio::io_context& io, const HttpOptions& options, HttpHandler handler);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::uint16_t port() const { return port_; }

    /// Closes the port and all connections.
    void stop();

private:
    class Session;
    using Sessions = std::list<std::unique_ptr<Session>>;

    void listen(const asio::ip::tcp::endpoint& address);
    void listen_on_second_host();
    void serve(asio::ip::tcp::socket socket);
    bool close_oldest_replaceable();
    asio::awaitable<void> run_session(Sessions::iterator session);

    asio::io_context& io_;
    HttpOptions options_;
    HttpHandler handler_;
    std::vector<std::shared_ptr<asio::ip::tcp::acceptor>> acceptors_;
    std::uint16_t port_ = 0;
    Sessions sessions_;
};

}  // namespace petal::regtest
