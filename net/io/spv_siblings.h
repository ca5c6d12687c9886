/// Notices from one sync of a group to the others.
#pragma once

#include <cstddef>

namespace petal::net {

/// The other syncs of a group, as one of them sees them (see SpvGroup).
class SpvSiblings {
public:
    /// This sync's number in the group, under which a search finds peers for its watcher: nodes
    /// that have got no other's filter (see PeerFinder).
    virtual std::size_t number() const = 0;
    /// This sync may have moved the chain, or ended its download of headers, so that the others
    /// have something to do earlier.
    virtual void note_deadlines() = 0;
    /// This sync has found nodes, has begun to dial one, or is over: the others may dial more.
    virtual void look_again() = 0;
    /// Ends the others: this sync has failed, and its user cannot be notified.
    virtual void stop() = 0;

protected:
    ~SpvSiblings() = default;
};

}  // namespace petal::net
