#include "net/io/search/handshake_probe.h"

#include <optional>
#include <utility>

#include "net/io/dial/connection.h"
#include "net/io/dial/first_of.h"
#include "net/io/dial/system_random.h"
#include "net/peer/received_message.h"

namespace petal::net {

namespace {

// Any node may be asked.
constexpr HandshakeAims kVersionOnly{.services = 0};
constexpr HandshakeAims kAddressesOnly{.services = 0, .addresses = true};

Version our_version(std::int64_t unix_time) {
    Version ours;
    ours.time = unix_time;
    ours.nonce = random_seed();
    ours.user_agent = kUserAgent;
    ours.relay = false;
    return ours;
}

bool has_several_addresses(const Message& message) {
    if (const auto* old = std::get_if<Addr>(&message)) return old->addresses.size() > 1;
    const auto* modern = std::get_if<AddrV2>(&message);
    return modern != nullptr && modern->addresses.size() > 1;
}

class HandshakeProbe {
public:
    HandshakeProbe(asio::ip::tcp::socket socket, Magic magic, Version ours, HandshakeAims aims)
        : connection_(std::move(socket), magic, ReadPace::at_once),
          aims_(aims),
          handshake_(std::move(ours), aims) {}

    asio::awaitable<void> run() {
        (void)connection_.send(handshake_.open());  // the send buffer is still empty
        co_await first_of(read_loop(), connection_.write_loop());
    }

    void close() { connection_.close(); }
    FetchedAddresses result() const {
        if (!is_done_) return chain::Unexpected{DisconnectReason::timed_out};
        if (failure_) return chain::Unexpected{*failure_};
        return collector_;
    }

private:
    asio::awaitable<void> read_loop() {
        while (!is_done_) {
            const auto error = co_await connection_.receive();
            take_messages();
            if (error && !is_done_) end(DisconnectReason::gone);
        }
    }

    void take_messages() {
        while (!is_done_) {
            const auto message = received_message(connection_.next_frame());
            if (!message) return end(message.error().reason);
            if (!*message) return;
            take(**message);
        }
    }

    void take(const Message& message) {
        const auto answers = handshake_.on_message(message);
        if (!answers) return end(answers.error().reason);
        collector_.on_message(message);
        is_done_ = aims_.addresses ? handshake_.complete() && has_several_addresses(message)
                                   : handshake_.peer().has_value();
        if (is_done_) return;
        collector_.take_gossip();  // bounds the memory
        for (const Message& answer : *answers) {
            if (!connection_.send(answer)) return end(DisconnectReason::timed_out);
        }
    }

    void end(DisconnectReason why) {
        failure_ = why;
        is_done_ = true;
    }

    Connection connection_;
    HandshakeAims aims_;
    Handshake handshake_;
    AddrCollector collector_;
    std::optional<DisconnectReason> failure_;
    bool is_done_ = false;
};

asio::awaitable<FetchedAddresses> run_probe(asio::ip::tcp::socket socket, Magic magic,
                                            std::int64_t unix_time, HandshakeAims aims,
                                            std::chrono::milliseconds limit) {
    HandshakeProbe probe{std::move(socket), magic, our_version(unix_time), aims};
    const bool in_time = co_await within(limit, probe.run());
    probe.close();
    if (!in_time) co_return chain::Unexpected{DisconnectReason::timed_out};
    co_return probe.result();
}

}  // namespace

asio::awaitable<FeelerAnswer> run_feeler(asio::ip::tcp::socket socket, Magic magic,
                                         std::int64_t unix_time, std::chrono::milliseconds limit) {
    auto probed = co_await run_probe(std::move(socket), magic, unix_time, kVersionOnly, limit);
    if (!probed) co_return chain::Unexpected{probed.error()};
    co_return probed->take_services().value_or(0);
}

asio::awaitable<FetchedAddresses> run_addr_fetch(asio::ip::tcp::socket socket, Magic magic,
                                                 std::int64_t unix_time,
                                                 std::chrono::milliseconds limit) {
    return run_probe(std::move(socket), magic, unix_time, kAddressesOnly, limit);
}

}  // namespace petal::net
