/// Assigns nodes to watchers.
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

/// Records which watcher's filter each host received, and counts the nodes that each watcher uses.
/// A host with the filters of two watchers would learn that one user has both. Ports are ignored,
/// because all nodes of a host have one operator.
class HostOwners {
public:
    /// A sync of this watcher begins or ends. While no sync runs, share() is unlimited.
    void begin(std::size_t watcher) { watchers_.insert(watcher); }
    void end(std::size_t watcher) { watchers_.erase(watcher); }

    /// How many more nodes the watcher may dial now. No watcher gets two more nodes than another,
    /// so that a small number of nodes serves all watchers.
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
    /// The dial failed, or the connection ended.
    void on_ended(const PeerAddress& address) { dialled_.erase(address); }

    /// Whether the node may receive this watcher's filter.
    bool may_serve(const PeerAddress& address, std::size_t watcher) const {
        const auto owner = owners_.find(host_key(address));
        return owner == owners_.end() || owner->second == watcher;
    }
    /// The node is about to receive this watcher's filter. A host without a watcher is assigned to
    /// this watcher.
    void on_version(const PeerAddress& address, std::size_t watcher) {
        owners_.try_emplace(host_key(address), watcher);
    }
    /// Whether any host is assigned to another watcher.
    bool any_is_of_others(std::size_t watcher) const {
        return std::ranges::any_of(
            owners_, [watcher](const auto& owned) { return owned.second != watcher; });
    }

private:
    std::size_t count_dialled(std::size_t watcher) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            dialled_, [watcher](const auto& dialled) { return dialled.second == watcher; }));
    }

    std::map<chain::Bytes, std::size_t> owners_;  // host_key() to number of the watcher
    std::set<std::size_t> watchers_;              // watchers with a sync in progress
    std::map<PeerAddress, std::size_t> dialled_;  // nodes in use, with their watcher
};

}  // namespace petal::net
