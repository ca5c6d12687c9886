/// Which headers are followed, and when they are stored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "chain/headers/header_chain.h"
#include "chain/network_params.h"
#include "chain/uint256.h"
#include "net/wire/messages.h"

namespace petal::net {

/// The work that a chain must have before it is followed. Applies to every peer, even one that the
/// user named: on a plain TCP connection, an attacker may answer instead of an honest node.
struct WorkThreshold {
    /// A chain with less work is ignored (Bitcoin Core: -minimumchainwork). Empty: the network's
    /// minimum.
    std::optional<chain::Uint256> minimum_chainwork{};
    /// The work of a stored chain that is not in the current HeaderChain, for example because it
    /// starts at a higher block. A chain with less work is not followed.
    chain::Uint256 stored_chainwork{};

    chain::Uint256 minimum_of(const chain::NetworkParams& network) const {
        return minimum_chainwork.value_or(network.minimum_chainwork);
    }
    /// The greater of the two, counted from the genesis block.
    chain::Uint256 of(const chain::NetworkParams& network) const {
        return std::max(minimum_of(network), stored_chainwork);
    }
    bool is_reached_by(const chain::HeaderChain& chain) const {
        return chain.chainwork() >= of(chain.network());
    }
};

/// Limits of the protocol and of Bitcoin Core. Others are for tests with short chains.
struct HeaderLimits {
    /// Whether a message with this number of headers is followed by another one.
    bool is_full(std::size_t headers) const { return headers == per_message; }

    /// The maximum number of headers in a message.
    std::size_t per_message = kMaxHeadersPerMessage;
    /// A branch is stored once it has the work that the best chain had this number of blocks ago
    /// (Bitcoin Core: GetAntiDoSWorkThreshold).
    std::uint32_t worthy_depth = 144;
};

struct HeaderSyncOptions {
    WorkThreshold threshold{};
    HeaderLimits limits{};
    /// Drawn at random, and secret from all peers.
    std::uint64_t salt = 0;
};

}  // namespace petal::net
