/// Collects what the address manager needs from a connection's messages.
#pragma once

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

}  // namespace petal::net
