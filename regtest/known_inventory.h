/// The transactions that a peer is known to have.
#pragma once

#include <cstddef>
#include <unordered_set>
#include <utility>

#include "chain/hash.h"

namespace petal::regtest {

/// A set of the latest hashes: at least kMaxHashes, and at most twice as many, as in Bitcoin Core's
/// rolling filter (net_processing.cpp: m_tx_inventory_known_filter).
class KnownInventory {
public:
    static constexpr std::size_t kMaxHashes = 50'000;

    void insert(const chain::Hash256& hash) {
        if (latest_.size() >= kMaxHashes) earlier_ = std::exchange(latest_, {});
        latest_.insert(hash);
    }
    bool contains(const chain::Hash256& hash) const {
        return latest_.contains(hash) || earlier_.contains(hash);
    }

private:
    std::unordered_set<chain::Hash256> latest_;
    std::unordered_set<chain::Hash256> earlier_;
};

}  // namespace petal::regtest
