/// Notifications between the syncs of a group.
#pragma once

#include <cstddef>

namespace petal::net {

/// The other syncs of a group, seen from one sync (see SpvGroup).
class SyncGroupPeers {
public:
    /// The number of this sync in the group. The search uses the number for the sync's watcher, and
    /// finds only nodes that received no other watcher's filter (see PeerFinder).
    virtual std::size_t number() const = 0;
    /// This sync may have changed the chain, or ended its header download. Other syncs may have
    /// earlier deadlines.
    virtual void reschedule_others() = 0;
    /// This sync found nodes, dials a node, or is over. Other syncs may dial more.
    virtual void look_again() = 0;
    /// Ends the other syncs. This sync failed, and its user cannot be told.
    virtual void stop() = 0;

protected:
    ~SyncGroupPeers() = default;
};

}  // namespace petal::net
