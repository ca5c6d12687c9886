/// The outpoints of unconfirmed matches in filters, and the room that each network group uses.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "chain/transaction.h"
#include "net/sync/filters/unconfirmed_match.h"

namespace petal::net {

/// Counts the room that matches in filters use, in total and by network group. An outpoint of
/// several matches counts several times, so that the sums bound the memory and the stored bytes,
/// but is in filters once. Matches that are undone take no room of a group's share.
class OutpointShares {
public:
    /// A number of outpoints, and the bytes of their transactions.
    struct Room {
        std::size_t outpoints = 0;
        std::size_t bytes = 0;
    };

    void add(const UnconfirmedMatch& match);
    /// Removes a match that was added.
    void remove(const UnconfirmedMatch& match);

    /// Whether `more` fits into the group's share. One network group may use half of the room that
    /// the other groups leave of `most`.
    bool has_room(NetGroupId network_group, Room more, Room most) const;
    /// The outpoints of all matches, and of those that are undone.
    std::size_t taken() const { return taken_.outpoints + undone_; }
    std::size_t undone() const { return undone_; }

    bool contains(const chain::Outpoint& outpoint) const { return counts_.contains(outpoint); }
    /// The outpoints, each once.
    std::vector<chain::Outpoint> outpoints() const;
    std::size_t size() const { return counts_.size(); }

private:
    std::map<chain::Outpoint, std::size_t> counts_;  // how many matches have each
    std::map<NetGroupId, Room> shares_;
    Room taken_;  // by groups
    std::size_t undone_ = 0;
};

}  // namespace petal::net
