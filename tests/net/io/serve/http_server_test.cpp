#include "net/io/serve/http_server.h"

#include <gtest/gtest.h>

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

namespace petal::net {
namespace {

using asio::ip::tcp;

// base64 of "user:pass word"
constexpr const char* kAuthorization = "Authorization: Basic dXNlcjpwYXNzIHdvcmQ=\r\n";

HttpOptions small_options() {
    HttpOptions options;
    options.credentials = "user:pass word";
    options.guess_delay = std::chrono::milliseconds{1};
    options.max_body_bytes = 1'000;
    return options;
}

/// With these limits, a connection is closed only for a reason other than time.
HttpOptions patient_options() {
    HttpOptions options = small_options();
    options.deadline = options.first_deadline = std::chrono::minutes{10};
    return options;
}

/// More than the buffers of two sockets can hold.
constexpr std::size_t kLargeAnswer = 64'000'000;

/// How long the server takes for a late answer.
constexpr std::chrono::seconds kLateness{2};

/// A server on a thread of its own that answers each body with "you said " and the body. The body
/// "throw" makes it throw, "large" gets a large answer, and "late" gets a large answer after
/// kLateness.
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

private:
    HttpAnswer answer_to(const HttpRequest& request) {
        ++calls_;
        if (request.body == "throw") throw std::length_error("too long");
        if (request.body == "late") std::this_thread::sleep_for(kLateness);
        if (request.body == "late" || request.body == "large")
            return {200, std::string(kLargeAnswer, 'x')};
        return {request.path == "/" ? 200U : 404U, "you said " + request.body};
    }

    asio::io_context io_{1};
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
    /// Sends until the server has closed its end, and returns how many bytes that took; 0 if the
    /// server does not close it.
    std::size_t send_until_closed(const std::string& piece) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
        boost::system::error_code closed;
        std::size_t sent = 0;
        while (!closed && std::chrono::steady_clock::now() < deadline) {
            sent += asio::write(socket_, asio::buffer(piece), closed);
        }
        return closed ? sent : 0;
    }
    /// Whether the server closes both directions within this time, not only its own.
    bool is_closed_within(std::chrono::seconds time) {
        const auto deadline = std::chrono::steady_clock::now() + time;
        boost::system::error_code closed;
        while (!closed && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
            asio::write(socket_, asio::buffer("x", 1), closed);
        }
        return !!closed;
    }
    /// Reads one answer: its head, and a body of its Content-Length.
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

std::string post(const std::string& body, const std::string& headers = kAuthorization,
                 const std::string& host = "127.0.0.1") {
    return "POST / HTTP/1.1\r\nHost: " + host + "\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// The status code of the answer to these bytes; 0 if the server closes without an answer.
int status_of(const ServedHttp& server, const std::string& request) {
    HttpClient client(server);
    client.send(request);
    const std::string answer = client.answer();
    return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3));
}

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

TEST(HttpServer, AnswersOneRequestAfterTheOtherOnAConnection) {
    const ServedHttp server(patient_options());
    HttpClient client(server);
    client.send(post("one"));
    EXPECT_TRUE(ends_with(client.answer(), "you said one"));
    client.send(post("two") + post("three"));
    EXPECT_TRUE(ends_with(client.answer(), "you said two"));
    EXPECT_TRUE(ends_with(client.answer(), "you said three"));
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\n" + std::string(kAuthorization) +
                "Transfer-Encoding: \tChunked \r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
    EXPECT_TRUE(ends_with(client.rest(), "you said abc"));
}

TEST(HttpServer, ListensOnASecondAddressIfItCan) {
    HttpOptions options = small_options();
    options.second_host = "::1";
    const ServedHttp server(options);
    HttpClient first(server);
    first.send(post("four"));
    EXPECT_TRUE(ends_with(first.answer(), "you said four"));
    options.port = server.port();
    options.host = "127.0.0.2";  // the port is free there, and on ::1 it is not
    std::uint16_t taken = 0;
    options.on_second_host_taken = [&taken](std::uint16_t port) { taken = port; };
    const ServedHttp other(options);
    EXPECT_EQ(other.port(), server.port());
    asio::io_context io{1};
    try {
        const tcp::acceptor acceptor(io, {asio::ip::address_v6::loopback(), 0});
    } catch (const boost::system::system_error&) {
        GTEST_SKIP() << "no IPv6 here";
    }
    EXPECT_EQ(taken, server.port());
    HttpClient second(server, asio::ip::address_v6::loopback());
    second.send(post("six", kAuthorization, "[::1]"));
    EXPECT_TRUE(ends_with(second.answer(), "you said six"));
}

TEST(HttpServer, AnswersExpectContinue) {
    const ServedHttp server;
    HttpClient client(server);
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\n" + std::string(kAuthorization) +
                "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    EXPECT_EQ(client.answer().substr(0, 12), "HTTP/1.1 100");
    client.send("ab");
    EXPECT_TRUE(ends_with(client.answer(), "you said ab"));
}

TEST(HttpServer, TakesPostRequestsAlone) {
    const ServedHttp server;
    const std::string rest =
        " / HTTP/1.1\r\nHost: localhost\r\n" + std::string(kAuthorization) + "\r\n";
    for (const char* method : {"GET", "OPTIONS", "PUT", "DELETE", "HEAD"}) {
        EXPECT_EQ(status_of(server, method + rest), 405) << method;
    }
    EXPECT_EQ(server.calls(), 0);
}

TEST(HttpServer, ServesNamesOfThisMachineAlone) {
    const ServedHttp server;
    for (const char* host :
         {"localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:18443", "[::1]", "[::1]:18443"}) {
        EXPECT_EQ(status_of(server, post("x", kAuthorization, host)), 200) << host;
    }
    for (const char* host : {"", "example.org", "localhost.example.org", "127.0.0.1.example.org",
                             "::1", "[::1", "10.0.0.1", "localhost:1:2"}) {
        EXPECT_EQ(status_of(server, post("x", kAuthorization, host)), 403) << host;
    }
    const std::string second = std::string(kAuthorization) + "Host: example.org\r\n";
    EXPECT_EQ(status_of(server, post("x", second)), 403)
        << "with two headers, it is ambiguous which one is meant";
    EXPECT_EQ(status_of(server, "POST / HTTP/1.1\r\n" + std::string(kAuthorization) +
                                    "Content-Length: 0\r\n\r\n"),
              403);
    EXPECT_EQ(server.calls(), 6);
}

TEST(HttpServer, ServesNoWebPage) {
    const ServedHttp server;
    HttpClient client(server);
    client.send(post("x", std::string(kAuthorization) + "Origin: http://localhost:8080\r\n"));
    const std::string answer = client.rest();
    EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 403");
    EXPECT_EQ(answer.find("Access-Control"), std::string::npos);
    EXPECT_EQ(server.calls(), 0);
}

TEST(HttpServer, RequiresCredentials) {
    const ServedHttp server;
    // base64 of "user:pass worc", of "user:", and of nothing.
    for (const char* wrong :
         {"", "Authorization: Basic dXNlcjpwYXNzIHdvcmM=\r\n", "Authorization: Basic dXNlcjo=\r\n",
          "Authorization: Basic \r\n", "Authorization: dXNlcjpwYXNzIHdvcmQ=\r\n",
          "Authorization: Bearer x\r\n"}) {
        HttpClient client(server);
        client.send(post("x", wrong));
        const std::string answer = client.rest();
        EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 401") << wrong;
        EXPECT_NE(answer.find("WWW-Authenticate: Basic realm=\"jsonrpc\""), std::string::npos);
    }
    EXPECT_EQ(server.calls(), 0);
    EXPECT_EQ(status_of(server, post("x")), 200);
}

TEST(HttpServer, ComparesAllOfTheCredentials) {
    const ServedHttp server;
    // The SHA-256 hashes of these share their first and their last three bytes with that of the
    // right header.
    for (const char* wrong : {"12301815", "6162983"}) {
        const std::string header = "Authorization: Basic " + std::string(wrong) + "\r\n";
        EXPECT_EQ(status_of(server, post("x", header)), 401) << wrong;
    }
}

TEST(HttpServer, RequiresCredentialsInEachRequest) {
    const ServedHttp server;
    HttpClient client(server);
    client.send(post("x"));
    EXPECT_TRUE(ends_with(client.answer(), "you said x"));
    client.send(post("", "") + post("x"));
    EXPECT_EQ(client.rest().substr(0, 12), "HTTP/1.1 401");
    EXPECT_TRUE(client.is_closed_within(std::chrono::seconds{30}));
    EXPECT_EQ(server.calls(), 1) << "the request after the refused one is not served";
}

TEST(HttpServer, TakesNoTransferEncodingButChunked) {
    const ServedHttp server;
    const std::string head = "POST / HTTP/1.1\r\nHost: localhost\r\n" + std::string(kAuthorization);
    for (const char* name : {"xchunked", "gzip, chunked", "x\r\nTransfer-Encoding: chunked", ""}) {
        HttpClient client(server);
        client.send(head + "Transfer-Encoding: " + name + "\r\n\r\n" + post("x"));
        EXPECT_EQ(client.rest().substr(0, 12), "HTTP/1.1 501") << name;
    }
    EXPECT_EQ(server.calls(), 0);
}

TEST(HttpServer, DelaysTheAnswerToWrongCredentials) {
    HttpOptions options = small_options();
    options.guess_delay = std::chrono::milliseconds{300};
    const ServedHttp server(options);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(status_of(server, post("x", "")), 401);
    EXPECT_GE(std::chrono::steady_clock::now() - start, options.guess_delay);
}

TEST(HttpServer, DoesNotListenToARefusedClientForEver) {
    const ServedHttp server;
    HttpClient sending(server);
    sending.send(post("", ""));
    EXPECT_EQ(sending.answer().substr(0, 12), "HTTP/1.1 401");
    const std::size_t sent = sending.send_until_closed(std::string(100'000, 'x'));
    EXPECT_GT(sent, 0U);
    EXPECT_LT(sent, 30'000'000U) << "the server reads some, and the sockets' buffers hold some";
    HttpClient waiting(server);
    waiting.send(post("", ""));
    EXPECT_EQ(waiting.answer().substr(0, 12), "HTTP/1.1 401");
    EXPECT_TRUE(waiting.is_closed_within(std::chrono::seconds{30}));
}

TEST(HttpServer, TellsARefusedClientWhyThoughItGoesOnSending) {
    const ServedHttp server;
    HttpClient client(server);
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n");
    client.send(std::string(300'000, 'x'));
    EXPECT_EQ(client.answer().substr(0, 12), "HTTP/1.1 413");
}

/// Whether the server goes on reading for a moment after it has refused a request.
bool takes_the_rest_of_a_refused_request() {
    const ServedHttp server;
    HttpClient client(server);
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n");
    const std::string answer = client.rest();  // up to where the server shuts down its direction
    // On a closed connection, the first piece is answered by a reset, and sending the second fails.
    const bool is_taken = client.can_send("piece") && client.can_send("piece");
    return is_taken && answer.substr(0, 12) == "HTTP/1.1 401";
}

TEST(HttpServer, TakesTheRestOfARefusedRequest) {
    bool is_taken = false;
    // An attempt fails if this machine pauses for the second that the server waits.
    for (int attempt = 0; attempt < 5 && !is_taken; ++attempt) {
        is_taken = takes_the_rest_of_a_refused_request();
    }
    EXPECT_TRUE(is_taken);
}

TEST(HttpServer, GivesAnAnswerADeadlineOfItsOwn) {
    HttpOptions options = small_options();
    options.deadline = kLateness;
    const ServedHttp server(options);
    HttpClient client(server);
    client.send(post("late"));
    EXPECT_GT(client.answer().size(), kLargeAnswer);
}

TEST(HttpServer, BoundsWhatItHoldsOfAChunk) {
    const ServedHttp server(patient_options());
    const auto with_extension = [](std::size_t size) {
        return "POST / HTTP/1.1\r\nHost: localhost\r\n" + std::string(kAuthorization) +
               "Transfer-Encoding: chunked\r\n\r\n3;" + std::string(size, 'x') +
               "\r\nabc\r\n0\r\n\r\n";
    };
    EXPECT_EQ(status_of(server, with_extension(50'000)), 200);
    EXPECT_EQ(status_of(server, with_extension(200'000)), 431);
}

TEST(HttpServer, BoundsHeaderAndBody) {
    const ServedHttp server;
    EXPECT_EQ(status_of(server, post(std::string(1'000, 'x'))), 200);
    EXPECT_EQ(status_of(server, post(std::string(1'001, 'x'))), 413);
    const std::string head = "POST / HTTP/1.1\r\nHost: localhost\r\n" + std::string(kAuthorization);
    EXPECT_EQ(status_of(server, head + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n" +
                                    std::string(1'001, 'x') + "\r\n0\r\n\r\n"),
              413);
    EXPECT_EQ(status_of(server, head + "X: " + std::string(8'192, 'x') + "\r\n\r\n"), 431);
    EXPECT_EQ(status_of(server, head + "Content-Length: -1\r\n\r\n"), 400);
    EXPECT_EQ(status_of(server, "hello\r\n\r\n"), 400);
    EXPECT_EQ(server.calls(), 1);
}

TEST(HttpServer, ClosesConnectionsThatAreLate) {
    HttpOptions options = small_options();
    options.deadline = options.first_deadline = std::chrono::milliseconds{50};
    const ServedHttp server(options);
    const std::string whole = post("late");
    // Nothing, half of the header, and half of the body.
    for (const std::size_t size : {std::size_t{0}, std::size_t{20}, whole.size() - 2}) {
        HttpClient client(server);
        client.send(whole.substr(0, size));
        EXPECT_EQ(client.rest(), "") << size;
    }
    EXPECT_EQ(server.calls(), 0);
}

TEST(HttpServer, ClosesSilentConnectionsSoonerThanThoseWithCredentials) {
    HttpOptions options = small_options();
    options.deadline = std::chrono::minutes{10};
    options.first_deadline = std::chrono::milliseconds{500};
    const ServedHttp server(options);
    HttpClient known(server);
    known.send(post("one"));
    EXPECT_TRUE(ends_with(known.answer(), "you said one"));
    HttpClient slow(server);
    const std::string whole = post("two");
    slow.send(whole.substr(0, whole.size() - 1));
    EXPECT_EQ(HttpClient(server).rest(), "")
        << "the first deadline of both connections has passed by now";
    known.send(post("three"));
    EXPECT_TRUE(ends_with(known.answer(), "you said three"));
    slow.send("o");
    EXPECT_TRUE(ends_with(slow.answer(), "you said two"));
}

/// Whether the server serves a new client within half a minute.
bool serves_again(const ServedHttp& server) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (std::chrono::steady_clock::now() < deadline) {
        if (status_of(server, post("x")) == 200) return true;
    }
    return false;
}

TEST(HttpServer, ClosesConnectionsThatDoNotTakeTheirAnswer) {
    HttpOptions options = small_options();
    options.deadline = std::chrono::milliseconds{300};
    options.max_connections = 1;
    const ServedHttp server(options);
    HttpClient client(server);
    client.send(post("large"));
    EXPECT_TRUE(serves_again(server));
    EXPECT_LT(client.rest().size(), kLargeAnswer);
}

TEST(HttpServer, EndsWithItsConnections) {
    std::optional<ServedHttp> server(std::in_place, patient_options());
    HttpClient client(*server);
    client.send(post("x"));
    EXPECT_TRUE(ends_with(client.answer(), "you said x"));
    server.reset();  // waits for all answers
    EXPECT_EQ(client.rest(), "");
}

TEST(HttpServer, OutlivesAHandlerThatThrows) {
    const ServedHttp server;
    HttpClient client(server);
    client.send(post("throw"));
    EXPECT_EQ(client.answer().substr(0, 12), "HTTP/1.1 500");
    client.send(post("x"));
    EXPECT_TRUE(ends_with(client.answer(), "you said x"));
}

TEST(HttpServer, MakesRoomForThoseWithCredentials) {
    HttpOptions options = patient_options();
    options.max_connections = 2;
    const ServedHttp server(options);
    HttpClient known(server);
    known.send(post("x"));
    EXPECT_TRUE(ends_with(known.answer(), "you said x"));
    HttpClient stranger(server);
    HttpClient newcomer(server);
    EXPECT_EQ(stranger.rest(), "") << "the older of the two connections without credentials";
    newcomer.send(post("y"));
    EXPECT_TRUE(ends_with(newcomer.answer(), "you said y"));
    known.send(post("z"));
    EXPECT_TRUE(ends_with(known.answer(), "you said z"));
}

TEST(HttpServer, BoundsTheConnections) {
    HttpOptions options = small_options();
    options.max_connections = 2;
    const ServedHttp server(options);
    std::optional<HttpClient> first(server);
    HttpClient second(server);
    for (HttpClient* client : {&*first, &second}) {
        client->send(post("x"));
        EXPECT_TRUE(ends_with(client->answer(), "you said x"));
    }
    HttpClient third(server);
    third.send(post("x"));
    EXPECT_EQ(third.rest(), "");
    first.reset();
    EXPECT_TRUE(serves_again(server)) << "the server notices that a connection is free";
    second.send(post("y"));
    EXPECT_TRUE(ends_with(second.answer(), "you said y"));
}

}  // namespace
}  // namespace petal::net
