/// Addresses of nodes.
#pragma once

#include <cstdint>

#include "net/wire/peer_address.h"

namespace petal::test {

/// The n-th of 16,000 public addresses. Each address is in a network group of its own.
inline net::PeerAddress nth_node(std::uint32_t n, std::uint16_t port = 8333) {
    const auto high = static_cast<chain::Byte>(20 + n / 200);
    const auto low = static_cast<chain::Byte>(n % 200);
    return {net::AddressKind::ipv4, {high, low, 1, 1}, port};
}

}  // namespace petal::test
