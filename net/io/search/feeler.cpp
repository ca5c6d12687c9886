#include "net/io/search/feeler.h"

#include <optional>
#include <utility>

#include "net/io/dial/connection.h"
#include "net/io/dial/first_of.h"
#include "net/peer/received_message.h"

namespace petal::net {

namespace {

/// Handles the received messages. Empty until the version message arrives.
std::optional<FeelerAnswer> take_version(Connection& connection, Handshake& handshake) {
    for (;;) {
        const auto message = received_message(connection.next_frame());
        if (!message) return chain::Unexpected{message.error().reason};
        if (!*message) return std::nullopt;
        const auto answers = handshake.on_message(**message);
        if (!answers) return chain::Unexpected{answers.error().reason};
        if (handshake.peer()) return handshake.peer()->services;
    }
}

asio::awaitable<void> read_version(Connection& connection, Handshake& handshake,
                                   std::optional<FeelerAnswer>& answer) {
    while (!answer) {
        const auto error = co_await connection.receive();
        answer = take_version(connection, handshake);
        if (error && !answer) answer = chain::Unexpected{DisconnectReason::gone};
    }
}

asio::awaitable<void> exchange_versions(Connection& connection, Handshake& handshake,
                                        std::optional<FeelerAnswer>& answer) {
    co_await first_of(read_version(connection, handshake, answer), connection.write_loop());
}

}  // namespace

asio::awaitable<FeelerAnswer> run_feeler(asio::ip::tcp::socket socket, Magic magic, Version ours,
                                         HandshakeAims aims, std::chrono::milliseconds limit) {
    Connection connection{std::move(socket), magic, ReadPace::at_once};
    Handshake handshake{std::move(ours), aims};
    (void)connection.send(handshake.open());  // the send buffer is still empty
    std::optional<FeelerAnswer> answer;
    const bool in_time = co_await within(limit, exchange_versions(connection, handshake, answer));
    connection.close();
    const FeelerAnswer silence = chain::Unexpected{DisconnectReason::timed_out};
    co_return in_time ? answer.value_or(silence) : silence;
}

}  // namespace petal::net
