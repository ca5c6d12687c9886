/// Notifications between the syncs of a group.
#pragma once

#include <cstddef>

namespace petal::net {

/// The other syncs of a group, as seen by one of them (see SpvGroup).
class SpvSiblings {
public:
    /// This sync's number in the group. A search finds peers for its watcher under this number:
    /// nodes that have got no other watcher's filter (see PeerFinder).
    virtual std::size_t number() const = 0;
    /// This sync may have moved the chain, or ended its download of headers, so that the others may
    /// have earlier deadlines.
    virtual void note_deadlines() = 0;
    /// This sync has found nodes, has begun to dial one, or is over: the others may dial more.
    virtual void look_again() = 0;
    /// Ends the others: this sync has failed, and its user cannot be notified.
    virtual void stop() = 0;

protected:
    ~SpvSiblings() = default;
};

}  // namespace petal::net
