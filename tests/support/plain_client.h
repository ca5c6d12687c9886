/// A client of a node, for tests.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "net/io/dial/endpoint.h"
#include "net/wire/codec.h"
#include "tests/support/test_chain.h"

namespace petal::test {

/// A blocking client that sends and reads messages.
class PlainClient {
public:
    /// receive_buffer_bytes   the kernel's buffer for this socket. 0 for the kernel's default
    explicit PlainClient(const net::Endpoint& endpoint, int receive_buffer_bytes = 0) {
        socket_.open(boost::asio::ip::tcp::v4());
        if (receive_buffer_bytes > 0) {
            socket_.set_option(boost::asio::socket_base::receive_buffer_size{receive_buffer_bytes});
        }
        socket_.connect({boost::asio::ip::make_address(endpoint.host), endpoint.port});
    }

    void send(const net::Message& message) {
        send(encode_message(regtest_params().magic, message));
    }
    void send(const chain::Bytes& bytes) {
        boost::asio::write(socket_, boost::asio::buffer(bytes));
    }

    /// Returns the next message. Empty if the message cannot be decoded. Throws if the node
    /// disconnects.
    std::optional<net::Message> receive_any() {
        for (;;) {
            const auto frame = decoder_.next();
            if (!frame) throw std::runtime_error{"not a message"};
            if (*frame) {
                auto message = decode_message(**frame);
                return message ? std::optional(*std::move(message)) : std::nullopt;
            }
            const auto room = decoder_.prepare(4096);
            decoder_.commit(socket_.read_some(boost::asio::buffer(room.data(), room.size())));
        }
    }

    /// Returns the next message of this type and skips the messages before it. Throws if the node
    /// disconnects.
    template <typename T>
    T receive() {
        for (;;) {
            const auto message = receive_any();
            if (message && std::holds_alternative<T>(*message)) return std::get<T>(*message);
        }
    }

    void shake_hands() {
        send(net::Version{.nonce = 5, .user_agent = "/plain:0/", .relay = false});
        receive<net::Version>();
        receive<net::Verack>();
        send(net::Verack{});
    }

    void send_filter_that_matches_everything() {
        // One byte of ones, one hash function, no tweak, BLOOM_UPDATE_NONE.
        send(net::FilterLoad{{1, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 0}});
    }

    /// Closes the connection. Unread bytes make the kernel reset the connection.
    void hang_up() { socket_.close(); }

    bool is_closed_by_node() {
        boost::system::error_code error;
        chain::Bytes rest(100'000);
        while (!error) socket_.read_some(boost::asio::buffer(rest), error);
        return error == boost::asio::error::eof || error == boost::asio::error::connection_reset;
    }

private:
    boost::asio::io_context io_;
    boost::asio::ip::tcp::socket socket_{io_};
    net::FrameDecoder decoder_{regtest_params().magic};
};

}  // namespace petal::test
