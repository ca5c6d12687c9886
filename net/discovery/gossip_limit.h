/// How many addresses one connection may gossip.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace petal::net {

/// As many as one answer to `getaddr` holds (Bitcoin Core: MAX_ADDR_TO_SEND).
inline constexpr std::size_t kFirstGossip = 1'000;
/// After these, one address in so long (Bitcoin Core: MAX_ADDR_RATE_PER_SECOND).
inline constexpr std::chrono::milliseconds kGossipInterval{10'000};

/// How many more addresses are taken from a connection.
/// told       how many it had gossiped before, those that were not taken too
/// duration   since it was opened
constexpr std::size_t gossip_left(std::size_t told, std::chrono::milliseconds duration) {
    const std::size_t allowed = kFirstGossip + static_cast<std::size_t>(duration / kGossipInterval);
    return allowed - std::min(told, allowed);
}

}  // namespace petal::net
