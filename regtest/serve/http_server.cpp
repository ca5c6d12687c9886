#include "regtest/serve/http_server.h"

#include <openssl/crypto.h>
#include <sys/socket.h>
#include <algorithm>
#include <array>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "regtest/serve/accept_each.h"

namespace petal::regtest {
namespace {

using asio::ip::tcp;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using HttpParser = http::request_parser<http::string_body>;
using HttpHeader = http::request<http::string_body>;
using HttpResponse = http::response<http::string_body>;

constexpr std::uint32_t kMaxHttpHeaderBytes = 8'192;
/// The maximum number of unparsed bytes of a connection.
constexpr std::size_t kHttpBufferBytes = std::size_t{128} * 1024;
/// How much of a refused request is read, and how long, before the connection is closed. If it were
/// closed at once, the client might not read the answer.
constexpr std::size_t kMaxDrainedBytes = 16'000'000;
constexpr std::chrono::seconds kDrainTime{1};
/// The interval at which an answer that comes later is asked for.
constexpr std::chrono::milliseconds kPollInterval{5};

/// An exception of a detached coroutine is a bug.
void rethrow_from_http(const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
}

std::string basic_authorization(std::string_view credentials) {
    return "Basic " + chain::to_base64(chain::as_bytes(credentials));
}

/// Takes the same time wherever the secrets differ, because their hashes have the same length.
bool is_same_secret(std::string_view given, std::string_view expected) {
    const auto given_hash = chain::sha256(chain::as_bytes(given));
    const auto expected_hash = chain::sha256(chain::as_bytes(expected));
    return CRYPTO_memcmp(given_hash.data(), expected_hash.data(), given_hash.size()) == 0;
}

/// Whether the text is a port in decimal.
bool is_port(std::string_view text) {
    constexpr std::size_t kMaxDigits = 5;
    constexpr int kMaxPort = 65'535;
    if (text.empty() || text.size() > kMaxDigits) return false;
    if (text.find_first_not_of("0123456789") != std::string_view::npos) return false;
    return std::stoi(std::string(text)) <= kMaxPort;
}

/// Whether a Host header names this machine, with or without a port. A web page whose name resolves
/// to this machine (DNS rebinding) has its own name in the Host header.
bool is_loopback_name(std::string_view host) {
    for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
        if (!beast::iequals(host.substr(0, name.size()), name)) continue;
        const std::string_view rest = host.substr(name.size());
        return rest.empty() || (rest.front() == ':' && is_port(rest.substr(1)));
    }
    return false;
}

std::string_view view_of(beast::string_view text) {
    return {text.data(), text.size()};
}

HttpAnswer plain_answer(http::status status, std::string text) {
    return {static_cast<unsigned>(status), std::move(text), /*is_json=*/false};
}

/// Whether the Authorization header has credentials that the server accepts (RFC 7617).
bool is_authorized(std::string_view header, const HttpOptions& options) {
    if (is_same_secret(header, basic_authorization(options.credentials))) return true;
    constexpr std::string_view kScheme = "Basic ";
    if (!options.accepts_credentials || !header.starts_with(kScheme)) return false;
    const auto given = chain::from_base64(header.substr(kScheme.size()));
    return given && options.accepts_credentials(
                        {reinterpret_cast<const char*>(given->data()), given->size()});
}

/// Whether the Host and Origin headers are those of a program that names this machine. (With two
/// Host headers, another program may use the second one.)
bool is_foreign(const HttpHeader& request, const HttpOptions& options) {
    if (request.find(http::field::origin) != request.end()) return true;
    if (options.accepts_client) return false;
    return request.count(http::field::host) != 1 ||
           !is_loopback_name(view_of(request[http::field::host]));
}

/// Why a request is refused because of its header. Empty if the body is to be read.
std::optional<HttpAnswer> refusal_of(const HttpHeader& request, const HttpOptions& options) {
    if (request.method() != http::verb::post) {
        return plain_answer(http::status::method_not_allowed,
                            "JSONRPC server handles only POST requests");
    }
    // A target with its own host would override the Host header (RFC 9112, 3.2.2).
    if (!request.target().starts_with('/')) {
        return plain_answer(http::status::bad_request, "the request's target is not a path");
    }
    if (is_foreign(request, options)) {
        return plain_answer(
            http::status::forbidden,
            "only requests to localhost, 127.0.0.1 or [::1], and none of a web page");
    }
    if (!is_authorized(view_of(request[http::field::authorization]), options)) {
        return plain_answer(http::status::unauthorized, "");
    }
    // With another encoding, Beast would read an empty body, and parse the body as the next
    // request.
    const auto encoding = request.find(http::field::transfer_encoding);
    if (encoding != request.end() && !beast::iequals(encoding->value(), "chunked")) {
        return plain_answer(http::status::not_implemented, "the transfer encoding is not chunked");
    }
    return std::nullopt;
}

/// The answer to a request that could not be read. Empty if the client is gone or too slow.
std::optional<HttpAnswer> answer_to_error(const boost::system::error_code& error) {
    if (error == http::error::body_limit) {
        return plain_answer(http::status::payload_too_large, "the request is too large");
    }
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
        return plain_answer(http::status::request_header_fields_too_large,
                            "the header is too large");
    }
    const bool is_malformed =
        error.category() == make_error_code(http::error::bad_method).category();
    if (is_malformed && error != http::error::end_of_stream &&
        error != http::error::partial_message) {
        return plain_answer(http::status::bad_request, "not an HTTP request");
    }
    return std::nullopt;
}

HttpAnswer handled(const HttpHandler& handler, const HttpRequest& request) {
    try {
        return handler(request);
    } catch (const std::exception& error) {
        return plain_answer(http::status::internal_server_error, error.what());
    }
}

std::optional<HttpAnswer> poll(const HttpAnswer& answer, std::chrono::milliseconds waited) {
    try {
        return answer.later(waited);
    } catch (const std::exception& error) {
        return plain_answer(http::status::internal_server_error, error.what());
    }
}

}  // namespace

/// One client connection.
class HttpServer::Session {
public:
    /// is_excess   whether there are too many connections, so that the first request is refused
    Session(tcp::socket socket, const HttpOptions& options, const HttpHandler& handler,
            bool is_excess)
        : stream_(std::move(socket)),
          buffer_(kHttpBufferBytes),
          options_(options),
          handler_(handler),
          is_excess_(is_excess) {
        boost::system::error_code gone;
        const auto client = stream_.socket().remote_endpoint(gone);
        is_welcome_ =
            !gone && (!options_.accepts_client || options_.accepts_client(client.address()));
    }

    asio::awaitable<void> run() {
        while (is_open_) co_await serve_request();
        close();
    }

    void close() {
        is_open_ = false;
        stream_.close();
    }

    /// Whether another connection may replace this one: it is open and has not sent the
    /// credentials.
    bool is_replaceable() const { return is_open_ && !is_authenticated_ && !is_excess_; }

private:
    asio::awaitable<void> serve_request();
    asio::awaitable<void> await_answer(HttpAnswer& answer);
    bool is_client_gone();
    asio::awaitable<void> read_body(HttpParser& parser);
    std::optional<HttpAnswer> refusal(const HttpHeader& request) const;
    asio::awaitable<void> refuse(HttpAnswer answer);
    asio::awaitable<void> send(HttpAnswer answer, bool keep_alive);
    asio::awaitable<void> drain();

    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    const HttpOptions& options_;
    const HttpHandler& handler_;
    bool is_excess_;
    bool is_welcome_ = false;
    bool is_open_ = true;
    bool is_authenticated_ = false;
};

asio::awaitable<void> HttpServer::Session::serve_request() {
    HttpParser parser;
    parser.header_limit(kMaxHttpHeaderBytes);
    parser.body_limit(options_.max_body_bytes);
    stream_.expires_after(is_authenticated_ ? options_.deadline : options_.first_deadline);
    const auto [error, size] = co_await http::async_read_header(
        stream_, buffer_, parser, asio::as_tuple(asio::use_awaitable));
    if (error) {
        auto answer = answer_to_error(error);
        if (answer) co_await refuse(*std::move(answer));
        is_open_ = false;
        co_return;
    }
    std::optional<HttpAnswer> reply = refusal(parser.get());
    if (reply) {
        co_await refuse(*std::move(reply));
        co_return;
    }
    is_authenticated_ = true;
    stream_.expires_after(options_.deadline);
    co_await read_body(parser);
    if (!is_open_) co_return;
    auto& message = parser.get();
    const HttpRequest request{std::string(view_of(message.target())), std::move(message.body())};
    HttpAnswer answer = handled(handler_, request);
    co_await await_answer(answer);
    if (!is_open_) co_return;
    const bool keep_alive = message.keep_alive();
    co_await send(std::move(answer), keep_alive);
    if (!keep_alive) is_open_ = false;
}

std::optional<HttpAnswer> HttpServer::Session::refusal(const HttpHeader& request) const {
    if (!is_welcome_) return plain_answer(http::status::forbidden, "");
    // The text of Bitcoin Core.
    if (is_excess_) {
        return plain_answer(http::status::service_unavailable, "Work queue depth exceeded");
    }
    return refusal_of(request, options_);
}

/// Waits until the answer is there, or the client is gone.
asio::awaitable<void> HttpServer::Session::await_answer(HttpAnswer& answer) {
    const auto began = std::chrono::steady_clock::now();
    while (answer.later && is_open_) {
        co_await net::pause_for(kPollInterval);
        if (is_client_gone()) is_open_ = false;
        const auto waited = std::chrono::steady_clock::now() - began;
        auto answered = poll(answer, std::chrono::duration_cast<std::chrono::milliseconds>(waited));
        if (answered) answer = *std::move(answered);
    }
}

/// Whether the client has closed the connection.
bool HttpServer::Session::is_client_gone() {
    char byte = 0;
    return stream_.socket().is_open() &&
           ::recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

asio::awaitable<void> HttpServer::Session::read_body(HttpParser& parser) {
    if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
        http::response<http::empty_body> go_on{http::status::continue_, 11};
        co_await http::async_write(stream_, go_on, asio::as_tuple(asio::use_awaitable));
    }
    const auto [error, size] =
        co_await http::async_read(stream_, buffer_, parser, asio::as_tuple(asio::use_awaitable));
    if (!error) co_return;
    auto answer = answer_to_error(error);
    if (answer) co_await refuse(*std::move(answer));
    is_open_ = false;
}

/// Sends the answer and closes the connection.
asio::awaitable<void> HttpServer::Session::refuse(HttpAnswer answer) {
    const bool is_guess = answer.status == static_cast<unsigned>(http::status::unauthorized);
    if (is_guess) co_await net::pause_for(options_.guess_delay);
    co_await send(std::move(answer), false);
    co_await drain();
    is_open_ = false;
}

asio::awaitable<void> HttpServer::Session::send(HttpAnswer answer, bool keep_alive) {
    HttpResponse response{static_cast<http::status>(answer.status), 11};
    // As Bitcoin Core's HTTP library labels all answers without a type.
    response.set(http::field::content_type,
                 answer.is_json ? "application/json" : "text/html; charset=ISO-8859-1");
    if (answer.status == static_cast<unsigned>(http::status::unauthorized)) {
        response.set(http::field::www_authenticate, "Basic realm=\"jsonrpc\"");
    }
    if (answer.status == static_cast<unsigned>(http::status::method_not_allowed)) {
        response.set(http::field::allow, "POST");
    }
    response.keep_alive(keep_alive);
    response.body() = std::move(answer.body);
    response.prepare_payload();
    stream_.expires_after(options_.deadline);
    const auto [error, size] =
        co_await http::async_write(stream_, response, asio::as_tuple(asio::use_awaitable));
    if (error) is_open_ = false;
}

asio::awaitable<void> HttpServer::Session::drain() {
    boost::system::error_code ignored;  // the client is gone
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kDrainTime);
    std::array<char, 4'096> piece;
    for (std::size_t drained = 0; drained < kMaxDrainedBytes;) {
        const auto buffer = asio::buffer(piece);
        const auto [error, size] =
            co_await stream_.async_read_some(buffer, asio::as_tuple(asio::use_awaitable));
        if (error) co_return;
        drained += size;
    }
}

HttpServer::HttpServer(asio::io_context& io, const HttpOptions& options, HttpHandler handler)
    : io_(io), options_(options), handler_(std::move(handler)) {
    listen({asio::ip::make_address(options_.host), options_.port});
    port_ = acceptors_.front()->local_endpoint().port();
    for (const auto& address : options_.further) listen(address);
    if (!options_.second_host.empty()) listen_on_second_host();
    // Only now, because no coroutine may outlive a server whose constructor throws.
    for (const auto& acceptor : acceptors_) {
        auto serve_next = [this](tcp::socket socket) { serve(std::move(socket)); };
        asio::co_spawn(io_, accept_each(acceptor, serve_next), rethrow_from_http);
    }
}

void HttpServer::listen_on_second_host() {
    try {
        listen({asio::ip::make_address(options_.second_host), port_});
    } catch (const boost::system::system_error& failure) {
        // Other failures are ignored: the machine may have no IPv6.
        const bool is_taken = failure.code() == asio::error::address_in_use;
        if (is_taken && options_.on_second_host_taken) options_.on_second_host_taken(port_);
    }
}

void HttpServer::listen(const tcp::endpoint& address) {
    auto acceptor = std::make_shared<tcp::acceptor>(io_);
    acceptor->open(address.protocol());
    acceptor->set_option(tcp::acceptor::reuse_address{true});
    // So that `::` leaves the IPv4 addresses of the port to a second acceptor.
    if (address.address().is_v6()) acceptor->set_option(asio::ip::v6_only{true});
    acceptor->bind(address);
    acceptor->listen();
    acceptors_.push_back(std::move(acceptor));
}

HttpServer::~HttpServer() = default;

void HttpServer::stop() {
    for (const auto& acceptor : acceptors_) acceptor->close();
    for (const auto& session : sessions_) session->close();
}

void HttpServer::serve(tcp::socket socket) {
    if (sessions_.size() >= 2 * options_.max_connections) return;  // which closes the socket
    const bool is_full = sessions_.size() >= options_.max_connections;
    const bool is_excess = is_full && !close_oldest_replaceable();
    boost::system::error_code ignored;  // the client may be gone
    socket.set_option(tcp::no_delay{true}, ignored);
    sessions_.push_back(
        std::make_unique<Session>(std::move(socket), options_, handler_, is_excess));
    asio::co_spawn(io_, run_session(std::prev(sessions_.end())), rethrow_from_http);
}

/// Returns whether there was such a session.
bool HttpServer::close_oldest_replaceable() {
    const auto is_replaceable = [](const auto& session) { return session->is_replaceable(); };
    const auto oldest = std::ranges::find_if(sessions_, is_replaceable);
    if (oldest == sessions_.end()) return false;
    (*oldest)->close();
    return true;
}

asio::awaitable<void> HttpServer::run_session(Sessions::iterator session) {
    Session& client = **session;
    co_await client.run();
    sessions_.erase(session);
}

}  // namespace petal::regtest
