// Both ends of one real TCP connection, and dialling.
#include "net/io/dial/connection.h"

#include <gtest/gtest.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <string>
#include <thread>

#include "net/io/dial/dial.h"
#include "net/wire/codec.h"
#include "tests/net/io/scripted_peer.h"
#include "tests/support/ports.h"
#include "tests/support/test_chain.h"

namespace petal::net {
namespace {

using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

/// A message with a payload of this many bytes.
Message filter_load(std::size_t payload_bytes) {
    return FilterLoad{chain::Bytes(payload_bytes, 7)};
}

class ConnectionTest : public testing::Test {
protected:
    ConnectionTest() {
        const tcp::endpoint any_port{asio::ip::address_v4::loopback(), 0};
        tcp::acceptor acceptor{io_, any_port};
        tcp::socket ours{io_};
        ours.connect(acceptor.local_endpoint());
        theirs_.emplace(acceptor.accept());
        ours_.emplace(std::move(ours), test::regtest_params().magic, ReadPace::batched,
                      kOutboxBytes);
    }

    static constexpr std::size_t kOutboxBytes = 100'000;

    /// Writes from the other end, blocking.
    void receive_from_peer(const chain::Bytes& bytes) {
        asio::write(*theirs_, asio::buffer(bytes));
    }

    template <typename Condition>
    void run_until(Condition condition) {
        io_.restart();  // run() has stopped it, because nothing was left to do
        while (!condition()) io_.run_one();
    }

    /// Runs one receive().
    error_code receive() {
        std::optional<error_code> result;
        asio::co_spawn(io_, ours_->receive(),
                       [&](std::exception_ptr, error_code error) { result = error; });
        run_until([&] { return result.has_value(); });
        return *result;
    }

    /// Receives until a whole frame has come or the stream has failed; `stream_error_` then says
    /// why.
    chain::Expected<std::optional<Frame>, FrameError> next_frame() {
        for (;;) {
            auto frame = ours_->next_frame();
            if (!frame || *frame || stream_error_) return frame;
            stream_error_ = receive();
        }
    }

    void start_writing() { asio::co_spawn(io_, ours_->write_loop(), asio::detached); }

    asio::io_context io_{1};
    std::optional<tcp::socket> theirs_;
    std::optional<Connection> ours_;
    error_code stream_error_;
};

TEST_F(ConnectionTest, ReadsMessagesThenTheEnd) {
    receive_from_peer(encode_message(test::regtest_params().magic, Ping{1}));
    receive_from_peer(encode_message(test::regtest_params().magic, Verack{}));
    theirs_->close();

    const std::string first{next_frame().value()->command};
    const std::string second{next_frame().value()->command};
    EXPECT_EQ(first, "ping");
    EXPECT_EQ(second, "verack");
    EXPECT_FALSE(next_frame().value().has_value());
    EXPECT_EQ(stream_error_, asio::error::eof);
    EXPECT_EQ(ours_->bytes_received(), 24U + 8U + 24U);
}

TEST_F(ConnectionTest, WaitsForTheRestOfAMessage) {
    const auto bytes = encode_message(test::regtest_params().magic, Ping{1});
    receive_from_peer({bytes.begin(), bytes.begin() + 30});
    EXPECT_FALSE(receive());
    EXPECT_FALSE(ours_->next_frame().value().has_value());
    receive_from_peer({bytes.begin() + 30, bytes.end()});
    EXPECT_TRUE(next_frame().value().has_value());
}

TEST_F(ConnectionTest, MakesRoomForAStreamOnly) {
    constexpr std::uint64_t kFirst = 16'384;
    receive_from_peer(encode_message(test::regtest_params().magic, filter_load(100'000)));
    EXPECT_FALSE(receive());
    EXPECT_EQ(ours_->bytes_received(), kFirst);
    EXPECT_FALSE(ours_->next_frame().value().has_value());
    EXPECT_FALSE(receive());
    EXPECT_GE(ours_->bytes_received(), 3 * kFirst);
    ASSERT_TRUE(next_frame().value().has_value());
}

TEST_F(ConnectionTest, WritesAllThatIsInTheOutboxAtOnceAndInOrder) {
    EXPECT_TRUE(ours_->send(Ping{1}));
    EXPECT_TRUE(ours_->send(Verack{}));
    start_writing();
    run_until([this] { return ours_->unsent_bytes() == 0; });

    auto expected = encode_message(test::regtest_params().magic, Ping{1});
    const auto verack = encode_message(test::regtest_params().magic, Verack{});
    expected.insert(expected.end(), verack.begin(), verack.end());
    chain::Bytes written(expected.size());
    asio::read(*theirs_, asio::buffer(written));
    EXPECT_EQ(written, expected);
    EXPECT_EQ(ours_->bytes_sent(), expected.size());
}

TEST_F(ConnectionTest, RefusesToSendWhileTheOutboxIsFull) {
    const auto message = filter_load(kOutboxBytes - 1 - kMessageHeaderBytes);
    EXPECT_TRUE(ours_->send(message)) << "one byte is free";
    EXPECT_TRUE(ours_->send(Verack{}));
    EXPECT_FALSE(ours_->send(Verack{})) << "no byte is free";
    EXPECT_EQ(ours_->unsent_bytes(), kOutboxBytes - 1 + kMessageHeaderBytes);

    start_writing();
    run_until([this] { return ours_->unsent_bytes() == 0; });
    EXPECT_TRUE(ours_->send(Verack{}));
}

TEST_F(ConnectionTest, LetsAnotherWaitForTheOutbox) {
    bool drained = false;
    EXPECT_TRUE(ours_->send(filter_load(10'000)));
    asio::co_spawn(io_, ours_->drained(5'000), [&](std::exception_ptr) { drained = true; });
    io_.poll();
    EXPECT_FALSE(drained);
    start_writing();
    run_until([&] { return drained; });
    EXPECT_EQ(ours_->unsent_bytes(), 0U);
}

TEST_F(ConnectionTest, StillReadsWhatWasSaidBeforeWritingFailed) {
    receive_from_peer(encode_message(test::regtest_params().magic, Ping{1}));
    theirs_->set_option(asio::socket_base::linger{true, 0});
    theirs_->close();  // this resets the connection
    EXPECT_TRUE(ours_->send(Verack{}));
    start_writing();
    run_until([this] { return ours_->unsent_bytes() == 0; });

    EXPECT_TRUE(ours_->send(Verack{})) << "the message is dropped";
    EXPECT_EQ(ours_->unsent_bytes(), 0U);
    EXPECT_TRUE(next_frame().value().has_value());
    EXPECT_FALSE(next_frame().value().has_value());
    EXPECT_TRUE(stream_error_.failed());
}

TEST_F(ConnectionTest, EndsAReadWhenItIsClosed) {
    std::optional<error_code> result;
    asio::co_spawn(io_, ours_->receive(),
                   [&](std::exception_ptr, error_code error) { result = error; });
    io_.poll();
    EXPECT_FALSE(result.has_value());
    ours_->close();
    io_.run();
    EXPECT_EQ(result, asio::error::operation_aborted);
    EXPECT_FALSE(ours_->is_open());
}

asio::awaitable<std::optional<DialError>> try_to_dial(Endpoint endpoint, milliseconds limit) {
    const auto socket = co_await dial(endpoint, limit);
    if (socket) co_return std::nullopt;
    co_return socket.error();
}

/// The error with which dialling fails; nothing if the connection succeeds.
std::optional<DialError> dial_error(const Endpoint& endpoint,
                                    milliseconds limit = milliseconds{5'000}) {
    asio::io_context io{1};
    std::optional<DialError> error;
    asio::co_spawn(io, try_to_dial(endpoint, limit),
                   [&](std::exception_ptr, std::optional<DialError> result) { error = result; });
    io.run();
    return error;
}

TEST(Dial, ConnectsToALiteralAndToAName) {
    test::ScriptedPeer peer{{[](test::ScriptedConnection& connection) { connection.hold(); }}};
    EXPECT_EQ(dial_error(peer.endpoint()), std::nullopt);
    // If localhost is also ::1, that address is tried too and refuses.
    EXPECT_EQ(dial_error({"localhost", peer.endpoint().port}), std::nullopt);
    while (peer.accepted() < 2) std::this_thread::yield();
}

TEST(Dial, SaysThatConnectionsAreRefused) {
    EXPECT_EQ(dial_error(test::closed_port()), DialError::refused);
}

TEST(Dial, SaysThatThereIsNoSuchHost) {
    // A DNS label has at most 63 characters, so this name is refused without a lookup.
    EXPECT_EQ(dial_error({std::string(64, 'a') + ".invalid", 8333}), DialError::unknown_host);
}

TEST(Dial, SaysThatTheNetworkRefuses) {
    // The limited broadcast address (RFC 919): no TCP connection to it is possible.
    EXPECT_EQ(dial_error({"255.255.255.255", 8333}), DialError::unreachable);
}

}  // namespace
}  // namespace petal::net
