/// What a connection tells for the address manager.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "net/wire/messages.h"

namespace petal::net {

/// Collects what one peer says of itself and of others, from the messages that it sends. Of itself,
/// its first version message counts; of others, nothing before the handshake is complete.
class AddrCollector {
public:
    /// To be called with every message, in order.
    void note(const Message& message);

    /// The services that the peer says it has; once, and nothing before it did.
    std::optional<std::uint64_t> take_services() { return std::exchange(new_services_, {}); }
    /// The addresses of others that it has told of since the last call.
    std::vector<GossipedAddress> take_gossip() { return std::exchange(gossip_, {}); }
    /// How many of them there were before that.
    std::size_t told() const { return told_ - gossip_.size(); }

private:
    bool has_version_ = false;
    bool greeted_ = false;
    std::optional<std::uint64_t> new_services_;
    std::vector<GossipedAddress> gossip_;
    std::size_t told_ = 0;
};

}  // namespace petal::net
