/// The transaction ids that came last, up to a bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <unordered_set>

#include "chain/hash.h"

namespace petal::net {

/// How many transaction ids of one kind are remembered of all peers together, in equal shares, so
/// that none can use up another's. There are four kinds that a peer can fill: what peers have
/// announced (of the connection, of its network group, and to its filter), and what they were asked
/// for. An id takes some 100 bytes in two of them and 65 in the others: 6.5 MB for all kinds and
/// peers (measured with glibc). A reply to `mempool` by a filter of a rate of 2.5e-4 is some
/// hundred at the worst.
inline constexpr std::size_t kMaxTxids = 20'000;

/// Each one's share, as large for eight as for fewer.
inline std::size_t txids_of_each_of(std::size_t peers) {
    return kMaxTxids / std::max<std::size_t>(peers, 8);
}

class RecentTxids {
public:
    explicit RecentTxids(std::size_t max) : max_(max) {}

    /// Returns false for one that is there. The oldest makes room where there is none.
    bool insert(const chain::Txid& txid);
    bool contains(const chain::Txid& txid) const { return txids_.contains(txid); }
    std::size_t size() const { return txids_.size(); }

    /// Forgets the oldest ones beyond so many, now and from now on.
    void limit_to(std::size_t max);

private:
    std::size_t max_;
    std::unordered_set<chain::Txid> txids_;
    std::deque<chain::Txid> order_;  // in which they came
};

}  // namespace petal::net
