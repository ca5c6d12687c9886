/// Divides the nodes among several watchers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <set>

#include "chain/bytes.h"
#include "net/wire/host_key.h"
#include "net/wire/peer_address.h"

namespace petal::net {

/// The watcher whose filter each host has got, and the number of nodes that each watcher uses. A
/// host that got the filters of two watchers would know that one user has both. Ports are ignored:
/// the nodes of a host have one operator.
class HostOwners {
public:
    /// A sync of this watcher begins or ends. Without any sync, share() is unlimited.
    void begin(std::size_t watcher) { watchers_.insert(watcher); }
    void end(std::size_t watcher) { watchers_.erase(watcher); }

    /// How many more nodes the watcher may dial now: none has two more than another, so that few
    /// nodes suffice for all.
    std::size_t share(std::size_t watcher) const {
        std::size_t most = std::numeric_limits<std::size_t>::max();
        for (const std::size_t other : watchers_) {
            if (other != watcher) most = std::min(most, count_dialled(other) + 1);
        }
        return most - std::min(most, count_dialled(watcher));
    }
    void on_dialled(const PeerAddress& address, std::size_t watcher) {
        if (watchers_.contains(watcher)) dialled_.emplace(address, watcher);
    }
    /// The dialling has failed, or the connection has ended.
    void on_ended(const PeerAddress& address) { dialled_.erase(address); }

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
    std::size_t count_dialled(std::size_t watcher) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            dialled_, [watcher](const auto& dialled) { return dialled.second == watcher; }));
    }

    std::map<chain::Bytes, std::size_t> owners_;  // numbers of watchers, by host_key()
    std::set<std::size_t> watchers_;              // watchers with a sync in progress
    std::map<PeerAddress, std::size_t> dialled_;  // in use, by the watcher
};

}  // namespace petal::net
