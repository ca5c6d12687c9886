/// Collects the services and addresses that a peer sends, for the address manager.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "net/wire/messages.h"

namespace petal::net {

/// Collects the services in a peer's first version message, and the addresses that the peer gossips
/// after the handshake.
class AddrCollector {
public:
    /// Call this with every message of the peer, in order.
    void on_message(const Message& message);

    /// The services that the peer claims. Returned once. Empty before the version message.
    std::optional<std::uint64_t> take_services() { return std::exchange(new_services_, {}); }
    /// The addresses gossiped since the last call.
    std::vector<GossipedAddress> take_gossip() { return std::exchange(gossip_, {}); }
    /// The number of addresses that take_gossip() has returned.
    std::size_t gossip_count() const { return gossip_count_ - gossip_.size(); }

private:
    bool has_version_ = false;
    bool handshake_complete_ = false;
    std::optional<std::uint64_t> new_services_;
    std::vector<GossipedAddress> gossip_;
    std::size_t gossip_count_ = 0;
};

/// The number of addresses in one answer to `getaddr` (Bitcoin Core: MAX_ADDR_TO_SEND).
inline constexpr std::size_t kFirstGossip = 1'000;
/// The interval at which one more address is accepted after the first kFirstGossip (Bitcoin Core:
/// MAX_ADDR_RATE_PER_SECOND).
inline constexpr std::chrono::milliseconds kGossipInterval{10'000};

/// The number of addresses that are still accepted from a connection.
/// gossip_count       addresses gossiped before, including addresses that were not accepted
/// duration   time since the connection was opened
constexpr std::size_t gossip_left(std::size_t gossip_count, std::chrono::milliseconds duration) {
    const std::size_t allowed = kFirstGossip + static_cast<std::size_t>(duration / kGossipInterval);
    return allowed - std::min(gossip_count, allowed);
}

}  // namespace petal::net
