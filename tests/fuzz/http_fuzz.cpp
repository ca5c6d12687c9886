/// Bytes that any program on this machine may send to the JSON-RPC port: only a request with the
/// password reaches the handler, and the connection always ends.
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "regtest/serve/http_server.h"

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::string_view kAuthorization = "Basic dXNlcjpwYXNzd29yZA==";

/// Sends the whole request, and reads until the server closes the connection.
class Client {
public:
    Client(asio::io_context& io, std::uint16_t port, std::string request)
        : socket_(io), request_(std::move(request)) {
        connect(port);
        asio::async_write(socket_, asio::buffer(request_), [this](auto error, std::size_t) {
            if (!error) socket_.shutdown(tcp::socket::shutdown_send, error);
        });
        asio::async_read(socket_, asio::dynamic_buffer(answer_), [this](auto, std::size_t) {
            // Closes the connection without waiting for bytes in flight, so that no port stays in
            // use.
            socket_.set_option(tcp::socket::linger{true, 0});
            socket_.close();
            is_done_ = true;
        });
    }

    bool is_done() const { return is_done_; }
    const std::string& answer() const { return answer_; }

private:
    void connect(std::uint16_t port) {
        boost::system::error_code error;
        do {  // the timer of libFuzzer may interrupt it
            socket_.connect({asio::ip::address_v4::loopback(), port}, error);
        } while (error == asio::error::interrupted || error == asio::error::already_started);
        if (error && error != asio::error::already_connected) {
            throw boost::system::system_error(error);
        }
    }

    tcp::socket socket_;
    std::string request_;
    std::string answer_;
    bool is_done_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace petal;
    const std::string input(reinterpret_cast<const char*>(data), size);
    regtest::HttpOptions options;
    options.credentials = "user:password";
    options.guess_delay = std::chrono::milliseconds{0};
    options.max_body_bytes = 1'000;
    asio::io_context io;
    regtest::HttpServer server(io, options, [&](const regtest::HttpRequest& request) {
        if (input.find(kAuthorization) == std::string::npos) std::abort();
        if (request.body.size() > options.max_body_bytes) std::abort();
        return regtest::HttpAnswer{200, request.path + request.body};
    });
    Client client(io, server.port(), input);
    while (!client.is_done()) io.run_one();
    if (!client.answer().empty() && !client.answer().starts_with("HTTP/1.1 ")) std::abort();
    server.stop();
    io.run();
    return 0;
}
