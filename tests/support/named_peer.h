/// Peers for tests in which addresses don't matter.
#pragma once

#include <string>

#include "net/peer/peer_identity.h"

namespace petal::test {

/// A node of this name, in a group of its own.
inline net::PeerIdentity named_peer(const std::string& name) {
    return {name, name, {name.begin(), name.end()}};
}

}  // namespace petal::test
