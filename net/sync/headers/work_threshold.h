/// The work that a chain must have before it is followed.
#pragma once

#include <algorithm>
#include <optional>

#include "chain/headers/header_chain.h"
#include "chain/network_params.h"
#include "chain/uint256.h"

namespace petal::net {

/// Applies to every peer, even one that the user named: on a plain TCP connection, an attacker may
/// answer instead of an honest node.
struct WorkThreshold {
    /// A chain with less work is ignored (Bitcoin Core: -minimumchainwork). Empty: the network's
    /// minimum.
    std::optional<chain::Uint256> minimum_chainwork{};
    /// The work of a stored chain that the HeaderChain in use does not hold, e.g. one that starts
    /// at a higher block. A chain with less work is not followed.
    chain::Uint256 stored_chainwork{};

    chain::Uint256 minimum_of(const chain::NetworkParams& network) const {
        return minimum_chainwork.value_or(network.minimum_chainwork);
    }
    /// The greater of both, counted from the genesis block.
    chain::Uint256 of(const chain::NetworkParams& network) const {
        return std::max(minimum_of(network), stored_chainwork);
    }
    bool is_reached_by(const chain::HeaderChain& chain) const {
        return chain.chainwork() >= of(chain.network());
    }
};

}  // namespace petal::net
