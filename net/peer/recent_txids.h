/// A bounded set of the latest transaction ids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <unordered_set>

#include "chain/hash.h"

namespace petal::net {

/// The number of txids of one kind that are remembered for all peers together, in equal shares, so
/// that no peer can use up another's share. A peer can fill four kinds: announced txids (of the
/// connection, of its network group, and to its filter), and requested ones. A txid takes about 100
/// bytes in two of them and 65 in the others: 6.5 MB for all kinds and peers (measured with glibc).
/// A reply to `mempool` at a false positive rate of 2.5e-4 has some hundred txids at most.
inline constexpr std::size_t kMaxTxids = 20'000;

/// Each peer's share of kMaxTxids. With fewer than 8 peers, the share for 8.
inline std::size_t max_txids_per_peer(std::size_t peers) {
    return kMaxTxids / std::max<std::size_t>(peers, 8);
}

class RecentTxids {
public:
    explicit RecentTxids(std::size_t max) : max_(max) {}

    /// Returns false if the txid is in the set. If the set is full, the oldest txid is evicted.
    bool insert(const chain::Txid& txid);
    bool contains(const chain::Txid& txid) const { return txids_.contains(txid); }
    std::size_t size() const { return txids_.size(); }

    /// Changes the bound; evicts the oldest txids beyond it.
    void limit_to(std::size_t max);

private:
    std::size_t max_;
    std::unordered_set<chain::Txid> txids_;
    std::deque<chain::Txid> order_;  // in the order of insertion
};

}  // namespace petal::net
