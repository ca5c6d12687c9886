/// A bounded set of the latest txids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <unordered_set>

#include "chain/hash.h"

namespace petal::net {

/// The limit on remembered txids of one kind, for all peers together. Each peer has an equal share,
/// so that no peer can use up the share of another. A peer can fill four kinds: txids announced on
/// the connection, by the peer's network group, and to its filter, and requested txids. A txid
/// takes about 100 bytes in two kinds and 65 bytes in the rest. All kinds and peers take 6.5 MB
/// (measured with glibc). An honest reply to `mempool`, at a false positive rate of 2.5e-4, has a
/// few hundred txids.
inline constexpr std::size_t kMaxTxids = 20'000;

/// Each peer's share of kMaxTxids, for at least 8 peers.
inline std::size_t max_txids_per_peer(std::size_t peers) {
    return kMaxTxids / std::max<std::size_t>(peers, 8);
}

class RecentTxids {
public:
    explicit RecentTxids(std::size_t max) : max_(max) {}

    /// Returns false if the set has the txid. If the set is full, the oldest txid is evicted.
    bool insert(const chain::Txid& txid);
    bool contains(const chain::Txid& txid) const { return txids_.contains(txid); }
    std::size_t size() const { return txids_.size(); }

    /// Changes the limit, and evicts the oldest txids beyond it.
    void limit_to(std::size_t max);

private:
    std::size_t max_;
    std::unordered_set<chain::Txid> txids_;
    std::deque<chain::Txid> order_;  // oldest first
};

}  // namespace petal::net
