/// Which peers announced a transaction that no block confirms yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "net/peer/recent_txids.h"

namespace petal::net {

/// Remembers which sources announced which transactions. One can show anything; what several tell
/// of has reached the network. Of each source the latest are remembered, kMaxTxids in equal shares,
/// so that none can have forgotten what others said; of the sources, those that spoke last.
class InvCounter {
public:
    static constexpr std::size_t kMaxSources = 64;

    /// source   whatever peers have in common that may be one: their network group
    void note(const chain::Txid& txid, const chain::Bytes& source);

    /// How many sources have announced it; 0 where none has, or that was long ago.
    std::size_t count(const chain::Txid& txid) const;

private:
    struct Latest {
        RecentTxids txids{kMaxTxids};
        std::uint64_t last_note = 0;
    };

    void forget_the_quietest();

    std::map<chain::Bytes, Latest> sources_;
    std::uint64_t notes_ = 0;
};

}  // namespace petal::net
