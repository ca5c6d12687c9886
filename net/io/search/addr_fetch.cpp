#include "net/io/search/addr_fetch.h"

#include <optional>
#include <utility>

#include "net/io/dial/connection.h"
#include "net/io/dial/first_of.h"
#include "net/peer/received_message.h"

namespace petal::net {

namespace {

// Any node may be asked.
constexpr HandshakeAims kAddressesOnly{.filters = false, .blocks = false, .addresses = true};

bool has_several_addresses(const Message& message) {
    if (const auto* old = std::get_if<Addr>(&message)) return old->addresses.size() > 1;
    const auto* modern = std::get_if<AddrV2>(&message);
    return modern != nullptr && modern->addresses.size() > 1;
}

}  // namespace

class AddrFetch {
public:
    AddrFetch(asio::ip::tcp::socket socket, Magic magic, Version ours)
        : connection_(std::move(socket), magic, ReadPace::at_once),
          handshake_(std::move(ours), kAddressesOnly) {}

    asio::awaitable<void> run() {
        (void)connection_.send(handshake_.open());  // the send buffer is still empty
        co_await first_of(read_loop(), connection_.write_loop());
    }

    void close() { connection_.close(); }
    FetchedAddresses result() const {
        if (failure_) return chain::Unexpected{*failure_};
        return collector_;
    }
    bool is_done() const { return is_done_; }

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
        collector_.note(message);
        for (const Message& answer : *answers) {
            if (!connection_.send(answer)) return end(DisconnectReason::timed_out);
        }
        is_done_ = handshake_.complete() && has_several_addresses(message);
        if (!is_done_) collector_.take_gossip();  // bounds the memory
    }

    void end(DisconnectReason why) {
        failure_ = why;
        is_done_ = true;
    }

    Connection connection_;
    Handshake handshake_;
    AddrCollector collector_;
    std::optional<DisconnectReason> failure_;
    bool is_done_ = false;
};

asio::awaitable<FetchedAddresses> run_addr_fetch(asio::ip::tcp::socket socket, Magic magic,
                                                 Version ours, std::chrono::milliseconds limit) {
    AddrFetch fetch{std::move(socket), magic, std::move(ours)};
    const bool in_time = co_await within(limit, fetch.run());
    fetch.close();
    if (!in_time || !fetch.is_done()) co_return chain::Unexpected{DisconnectReason::timed_out};
    co_return fetch.result();
}

}  // namespace petal::net
