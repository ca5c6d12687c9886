/// The handshake and the keep-alive of a connection, on the node's side.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "net/wire/messages.h"
#include "regtest/message_queue.h"
#include "regtest/node_behaviour.h"

namespace petal::regtest {

/// Ping times of a peer.
struct PingTimes {
    std::optional<std::chrono::milliseconds> last{};   ///< empty before the first pong
    std::optional<std::chrono::milliseconds> least{};  ///< empty before the first pong
    std::optional<std::chrono::milliseconds> wait{};   ///< since the unanswered ping, or empty
};

/// Answers version and verack like Bitcoin Core, sends pings, and reports when Bitcoin Core would
/// disconnect the peer.
class ConnectedPeer {
public:
    using Milliseconds = std::chrono::milliseconds;
    /// Why the node disconnects. Empty if it does not.
    using Complaint = std::optional<std::string>;

    /// nonce   the nonce of the node's version messages, which detects connections to itself
    explicit ConnectedPeer(std::uint64_t nonce) : nonce_(nonce) {}

    /// Whether the message is handled. Before the handshake is complete, only handshake messages
    /// are.
    bool accepts(const net::Message& message) const;
    /// Whether the handshake is complete.
    bool is_connected() const { return is_connected_; }
    /// The peer's version message. Empty until it arrives.
    const std::optional<net::Version>& version() const { return version_; }

    /// Sends the version message first, on a connection that the node opened.
    void greet(net::Version own, MessageQueue& outbox);
    /// Handles the first version message.
    /// own   the node's version message, to which the nonce is added. Not sent again after greet()
    Complaint on(const net::Version& message, net::Version own, MessageQueue& outbox);
    /// Handles the first verack.
    void on_verack(const NodeBehaviour& behaviour, Milliseconds now, MessageQueue& outbox);
    Complaint on(const net::SendAddrV2& message);
    Complaint on(const net::WtxidRelay& message);
    /// Whether transactions are announced and requested by wtxid (BIP339).
    bool uses_wtxids() const { return uses_wtxids_; }
    void on(const net::Pong& message, Milliseconds now);
    PingTimes pings(Milliseconds now) const;
    /// Sends addresses, once per connection.
    void on_getaddr(const NodeBehaviour& behaviour, MessageQueue& outbox);

    /// Sends a ping after the handshake, unless a pong is awaited.
    void ping(Milliseconds now, MessageQueue& outbox);
    /// Sends a ping if it is time for one, unless a pong is awaited.
    Complaint keep_alive(Milliseconds now, MessageQueue& outbox);
    /// The connection was opened.
    void begin(Milliseconds now) {
        if (!started_) started_ = now;
    }
    /// Whether the handshake takes too long.
    bool is_late(Milliseconds now) const;

private:
    void send_ping(Milliseconds now, MessageQueue& outbox);

    std::uint64_t nonce_;
    std::optional<Milliseconds> started_;
    std::optional<net::Version> version_;
    bool has_greeted_ = false;
    bool is_connected_ = false;
    bool takes_addrv2_ = false;
    bool uses_wtxids_ = false;
    bool told_addresses_ = false;
    Milliseconds ping_sent_{0};
    std::optional<std::uint64_t> awaited_pong_;
    PingTimes answered_;
    std::uint64_t pings_sent_ = 0;
};

}  // namespace petal::regtest
