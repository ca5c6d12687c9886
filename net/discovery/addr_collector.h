/// Collects what the address manager needs from a connection's messages, and says how much of it is
/// taken.
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

/// Collects the services that one peer claims (in its first version message) and the addresses that
/// it gossips (after the handshake).
class AddrCollector {
public:
    /// To be called with every message of the peer, in order.
    void note(const Message& message);

    /// The services that the peer claims; returned once, empty before its version message.
    std::optional<std::uint64_t> take_services() { return std::exchange(new_services_, {}); }
    /// The addresses gossiped since the last call.
    std::vector<GossipedAddress> take_gossip() { return std::exchange(gossip_, {}); }
    /// The number of addresses that take_gossip() has returned.
    std::size_t told() const { return told_ - gossip_.size(); }

private:
    bool has_version_ = false;
    bool greeted_ = false;
    std::optional<std::uint64_t> new_services_;
    std::vector<GossipedAddress> gossip_;
    std::size_t told_ = 0;
};

/// As many as one answer to `getaddr` holds (Bitcoin Core: MAX_ADDR_TO_SEND).
inline constexpr std::size_t kFirstGossip = 1'000;
/// After these, one address in so long (Bitcoin Core: MAX_ADDR_RATE_PER_SECOND).
inline constexpr std::chrono::milliseconds kGossipInterval{10'000};

/// How many more addresses are taken from a connection.
/// told the number that it had gossiped before, including the addresses that were not taken
/// duration   since it was opened
constexpr std::size_t gossip_left(std::size_t told, std::chrono::milliseconds duration) {
    const std::size_t allowed = kFirstGossip + static_cast<std::size_t>(duration / kGossipInterval);
    return allowed - std::min(told, allowed);
}

}  // namespace petal::net
