/// The outpoints that unconfirmed matches have in filters, and the room that each source takes.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "chain/transaction.h"
#include "net/sync/filters/unconfirmed_match.h"

namespace petal::net {

/// Counts what the matches in filters take, over all and by source. An outpoint that several
/// matches have counts as often in the sums, so that these bound the memory and what is stored of
/// it, but is in filters once.
class OutpointShares {
public:
    /// Outpoints, and the bytes of the transactions that have them.
    struct Room {
        std::size_t outpoints = 0;
        std::size_t bytes = 0;
    };

    void add(const UnconfirmedMatch& match);
    /// Takes out a match that was added.
    void remove(const UnconfirmedMatch& match);

    /// Whether the source may take so much more: one gets half of what the others leave of `most`.
    bool has_room(SourceId source, Room more, Room most) const;
    /// What all of them take.
    const Room& taken() const { return taken_; }

    bool contains(const chain::Outpoint& outpoint) const { return counts_.contains(outpoint); }
    /// Each once.
    std::vector<chain::Outpoint> outpoints() const;
    std::size_t size() const { return counts_.size(); }

private:
    std::map<chain::Outpoint, std::size_t> counts_;  // how many matches have each
    std::map<SourceId, Room> shares_;
    Room taken_;
};

}  // namespace petal::net
