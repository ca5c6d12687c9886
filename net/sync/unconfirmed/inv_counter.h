/// Counts the network groups that announced an unconfirmed transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "net/peer/recent_txids.h"

namespace petal::net {

/// Counts the network groups that announced a transaction. A single peer can invent a transaction,
/// but several independent peers show that the transaction was relayed. Memory is bounded: at most
/// kMaxGroups groups are remembered (the least recently used is evicted), and each has an equal
/// share of kMaxTxids, so that no group can evict the txids of another.
class InvCounter {
public:
    static constexpr std::size_t kMaxGroups = 64;

    /// Records an announcement by a peer of this network group.
    void add(const chain::Txid& txid, const chain::Bytes& network_group);

    /// The number of remembered groups that announced the transaction.
    std::size_t count(const chain::Txid& txid) const;

private:
    struct Latest {
        RecentTxids txids{kMaxTxids};
        std::uint64_t last_note = 0;
    };

    void evict_least_recent();

    std::map<chain::Bytes, Latest> groups_;
    std::uint64_t notes_ = 0;
};

}  // namespace petal::net
