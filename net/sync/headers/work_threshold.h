/// How much work a chain must carry before it is followed.
#pragma once

#include <algorithm>
#include <optional>

#include "chain/network_params.h"
#include "chain/uint256.h"

namespace petal::net {

/// Holds for every peer, named by the user or found: on a plain TCP connection even an honest
/// node's answers may be someone else's.
struct WorkThreshold {
    /// Below it nothing of a chain counts (Bitcoin Core: -minimumchainwork); nothing for the
    /// network's own.
    std::optional<chain::Uint256> minimum_chainwork{};
    /// The work of a chain that is stored and that the HeaderChain in use does not hold, such as
    /// one that starts at a higher block. A chain with less is not followed.
    chain::Uint256 stored_chainwork{};

    chain::Uint256 minimum_of(const chain::NetworkParams& network) const {
        return minimum_chainwork.value_or(network.minimum_chainwork);
    }
    /// Both in one number, from the genesis block on.
    chain::Uint256 of(const chain::NetworkParams& network) const {
        return std::max(minimum_of(network), stored_chainwork);
    }
};

}  // namespace petal::net
