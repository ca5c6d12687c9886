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
#include <string>
#include <vector>

#include "net/io/dial/first_of.h"

namespace petal::regtest {

namespace asio = boost::asio;

struct HttpOptions {
    std::string host = "127.0.0.1";  ///< an address of this machine
    /// A second host, on the same port; skipped if it is empty or can't be listened on.
    std::string second_host;
    /// Called with the port if it is taken on the second host.
    std::function<void(std::uint16_t)> on_second_host_taken = {};
    std::uint16_t port = 0;  ///< 0 for any free port
    /// `USER:PASSWORD`, which each request must carry (RFC 7617).
    std::string credentials;
    /// The time limit for receiving a request, and for the client to read an answer; a connection
    /// without a request is closed after the same time.
    std::chrono::milliseconds deadline{30'000};
    /// The deadline of a connection that has not sent the credentials yet, so that clients without
    /// credentials do not occupy connections for long.
    std::chrono::milliseconds first_deadline{5'000};
    /// How long the answer to wrong credentials is held back.
    std::chrono::milliseconds guess_delay{250};
    /// A block of 4,000,000 bytes in hexadecimal fits.
    std::size_t max_body_bytes = 9'000'000;
    /// At this number of connections, the next one replaces the oldest that has not sent the
    /// credentials; if all have sent them, the next one is closed.
    std::size_t max_connections = 64;
};

struct HttpRequest {
    std::string path;
    std::string body;
};

struct HttpAnswer {
    unsigned status = 200;
    std::string body;  ///< JSON; may be empty
};

using HttpHandler = std::function<HttpAnswer(const HttpRequest&)>;

/// Answers POST requests one after the other on each connection (HTTP/1.1). Before it reads a body,
/// it refuses other methods, a Host that is not a name of this machine's loopback interface, any
/// Origin (so that no web page can use it, whatever name resolves here), wrong credentials, and
/// transfer encodings other than chunked. Runs on the given io_context, and calls the handler
/// there; an exception of the handler is answered with status 500.
class HttpServer {
public:
    /// Listens from now on. `io` must outlive the server, which must outlive its coroutines in
    /// `io`: after stop(), they end by themselves. Throws boost::system::system_error when the
    /// address can't be listened on.
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
    void serve(asio::ip::tcp::socket socket);
    bool close_oldest_unauthenticated();
    asio::awaitable<void> run_session(Sessions::iterator session);

    asio::io_context& io_;
    HttpOptions options_;
    HttpHandler handler_;
    std::vector<std::shared_ptr<asio::ip::tcp::acceptor>> acceptors_;
    std::uint16_t port_ = 0;
    Sessions sessions_;
};

}  // namespace petal::regtest
