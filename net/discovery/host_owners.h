/// Divides the nodes among several watchers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>

#include "chain/bytes.h"
#include "net/wire/host_key.h"
#include "net/wire/peer_address.h"

namespace petal::net {

/// Which watcher's filter each host has got, and how many nodes each watcher has in use. A host
/// that saw the filters of two would know that one user has both. Ports are ignored: the nodes of a
/// host have one operator.
class HostOwners {
public:
    /// A sync of this watcher begins or ends. Without any, all share() is unlimited.
    void begin(std::size_t watcher) { in_use_.try_emplace(watcher, 0); }
    void end(std::size_t watcher) { in_use_.erase(watcher); }

    /// How many more nodes the watcher may dial now: none has two more than another, so that few
    /// nodes suffice for all.
    std::size_t share(std::size_t watcher) const {
        std::size_t most = std::numeric_limits<std::size_t>::max();
        for (const auto& [other, count] : in_use_) {
            if (other != watcher) most = std::min(most, count + 1);
        }
        const auto own = in_use_.find(watcher);
        return most - std::min(most, own == in_use_.end() ? 0 : own->second);
    }
    void on_dialled(const PeerAddress& address, std::size_t watcher) {
        const auto own = in_use_.find(watcher);
        if (own != in_use_.end() && dialled_.try_emplace(address, watcher).second) ++own->second;
    }
    /// The dialling has failed, or the connection has ended.
    void on_ended(const PeerAddress& address) {
        const auto dialled = dialled_.find(address);
        if (dialled == dialled_.end()) return;
        const auto own = in_use_.find(dialled->second);
        if (own != in_use_.end()) --own->second;
        dialled_.erase(dialled);
    }

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
    /// Whether any host is another watcher's.
    bool any_is_of_others(std::size_t watcher) const {
        return std::ranges::any_of(
            owners_, [watcher](const auto& owned) { return owned.second != watcher; });
    }

private:
    std::map<chain::Bytes, std::size_t> owners_;  // numbers of watchers, by host_key()
    std::map<std::size_t, std::size_t> in_use_;   // numbers of nodes, by watcher
    std::map<PeerAddress, std::size_t> dialled_;  // numbers of watchers
};

}  // namespace petal::net
