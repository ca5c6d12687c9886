/// An HTTP server on a thread of its own, and a client.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "regtest/serve/http_server.h"

namespace petal::regtest {

using asio::ip::tcp;

// base64 of "user:pass word"
inline constexpr const char* kAuthorization = "Authorization: Basic dXNlcjpwYXNzIHdvcmQ=\r\n";

inline HttpOptions small_options() {
    HttpOptions options;
    options.credentials = "user:pass word";
    options.guess_delay = std::chrono::milliseconds{1};
    options.max_body_bytes = 1'000;
    return options;
}

/// With these limits, a connection is closed only for a reason other than time.
inline HttpOptions patient_options() {
    HttpOptions options = small_options();
    options.deadline = options.first_deadline = std::chrono::minutes{10};
    return options;
}

/// More than the buffers of two sockets can hold.
inline constexpr std::size_t kLargeAnswer = 64'000'000;

/// How long the server takes for a late answer.
inline constexpr std::chrono::seconds kLateness{2};

/// A server on a thread of its own that answers each body with "you said " and the body. The body
/// "throw" makes the server throw, "large" gets a large answer, "late" gets a large answer after
/// kLateness, and "wait" gets an answer that is asked for until it is there.
class ServedHttp {
public:
    explicit ServedHttp(HttpOptions options = small_options())
        : server_(io_, options, [this](const HttpRequest& request) { return answer_to(request); }),
          thread_([this] { io_.run(); }) {}
    ~ServedHttp() {
        asio::post(io_, [this] { server_.stop(); });
        thread_.join();
    }

    std::uint16_t port() const { return server_.port(); }
    int calls() const { return calls_; }
    /// How often an answer that comes later was asked for.
    int polls() const { return polls_; }

private:
    HttpAnswer answer_to(const HttpRequest& request) {
        ++calls_;
        if (request.body == "wait") return answer_after(std::chrono::milliseconds{50});
        if (request.body == "wait forever") return answer_after(std::chrono::hours{1});
        if (request.body == "throw") throw std::length_error("too long");
        if (request.body == "late") std::this_thread::sleep_for(kLateness);
        if (request.body == "late" || request.body == "large")
            return {200, std::string(kLargeAnswer, 'x')};
        return {request.path == "/" ? 200U : 404U, "you said " + request.body};
    }

    HttpAnswer answer_after(std::chrono::milliseconds time) {
        HttpAnswer answer;
        answer.later = [this, time](std::chrono::milliseconds waited) {
            ++polls_;
            const bool is_there = waited >= time;
            return is_there ? std::optional(HttpAnswer{200, "you waited"}) : std::nullopt;
        };
        return answer;
    }

    asio::io_context io_{1};
    std::atomic<int> polls_ = 0;
    std::atomic<int> calls_ = 0;
    HttpServer server_;
    std::thread thread_;
};

class HttpClient {
public:
    explicit HttpClient(const ServedHttp& server,
                        const asio::ip::address& address = asio::ip::address_v4::loopback()) {
        socket_.connect({address, server.port()});
    }

    void send(const std::string& bytes) {
        boost::system::error_code ignored;  // the server may have closed the connection already
        asio::write(socket_, asio::buffer(bytes), ignored);
    }
    /// Whether the connection still accepts these bytes.
    bool can_send(const std::string& bytes) {
        boost::system::error_code closed;
        asio::write(socket_, asio::buffer(bytes), closed);
        return !closed;
    }
    /// Sends until the server has closed the server's end of the connection. Returns the number of
    /// sent bytes, 0 if the server does not close.
    std::size_t send_until_closed(const std::string& piece) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
        boost::system::error_code closed;
        std::size_t sent = 0;
        while (!closed && std::chrono::steady_clock::now() < deadline) {
            sent += asio::write(socket_, asio::buffer(piece), closed);
        }
        return closed ? sent : 0;
    }
    /// Whether the server closes both directions within this time, not only the direction to the
    /// client.
    bool is_closed_within(std::chrono::seconds time) {
        const auto deadline = std::chrono::steady_clock::now() + time;
        boost::system::error_code closed;
        while (!closed && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
            asio::write(socket_, asio::buffer("x", 1), closed);
        }
        return !!closed;
    }
    /// Reads one answer: the head, and a body of Content-Length bytes.
    std::string answer() {
        boost::system::error_code end;
        const std::size_t head = asio::read_until(socket_, buffer_, "\r\n\r\n", end);
        std::string text = take(head);
        const auto length = text.find("Content-Length: ");
        if (length == std::string::npos) return text;
        const std::size_t size = std::stoul(text.substr(length + 16));
        if (buffer_.size() < size) {
            asio::read(socket_, buffer_, asio::transfer_exactly(size - buffer_.size()), end);
        }
        return text + take(size);
    }
    /// Reads until the server closes the connection.
    std::string rest() {
        boost::system::error_code end;
        asio::read(socket_, buffer_, end);
        return take(buffer_.size());
    }

private:
    std::string take(std::size_t size) {
        const auto* const data = static_cast<const char*>(buffer_.data().data());
        std::string text(data, std::min(size, buffer_.size()));
        buffer_.consume(text.size());
        return text;
    }

    asio::io_context io_{1};
    tcp::socket socket_{io_};
    asio::streambuf buffer_;
};

inline std::string post(const std::string& body, const std::string& headers = kAuthorization,
                        const std::string& host = "127.0.0.1") {
    return "POST / HTTP/1.1\r\nHost: " + host + "\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// The status code of the answer to these bytes, 0 if the server closes without an answer.
inline int status_of(const ServedHttp& server, const std::string& request) {
    HttpClient client(server);
    client.send(request);
    const std::string answer = client.answer();
    return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3));
}

inline bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace petal::regtest
