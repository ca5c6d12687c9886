/// Peers for tests in which addresses don't matter.
#pragma once

#include <cstddef>
#include <string>

#include "net/peer/peer_identity.h"

namespace petal::test {

/// A node of this name, in a network group of its own.
inline net::PeerIdentity named_peer(const std::string& name) {
    return {name, name, {name.begin(), name.end()}};
}

/// The node at this IPv4 address and port. Nodes of one /16 are of one group, as in
/// network_group().
inline net::PeerIdentity peer_at(const std::string& address) {
    const std::size_t second_dot = address.find('.', address.find('.') + 1);
    return {address,
            address,
            {address.begin(), address.begin() + static_cast<std::ptrdiff_t>(second_dot)}};
}

}  // namespace petal::test
