/// Keeps the filters of two watchers off the same node.
#pragma once

#include <cstddef>
#include <map>

#include "chain/bytes.h"
#include "net/wire/host_key.h"
#include "net/wire/peer_address.h"

namespace petal::net {

/// Which watcher's filter each host has got. A host that saw the filters of two would know that one
/// user has both. Ports are ignored: the nodes of a host have one operator.
class HostOwners {
public:
    /// Whether the node may be sent this watcher's filter.
    bool may_serve(const PeerAddress& address, std::size_t watcher) const {
        const auto owner = owners_.find(host_key(address));
        return owner == owners_.end() || owner->second == watcher;
    }
    /// The node is about to get this watcher's filter; its host is this watcher's from now on,
    /// unless it was another's.
    void on_version(const PeerAddress& address, std::size_t watcher) {
        owners_.try_emplace(host_key(address), watcher);
    }

private:
    std::map<chain::Bytes, std::size_t> owners_;  // numbers of watchers, by host_key()
};

}  // namespace petal::net
