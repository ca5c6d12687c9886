/// Blocks that a chain of headers may start at.
#pragma once

#include <cstdint>

#include "chain/block_header.h"
#include "chain/network_params.h"
#include "chain/uint256.h"

namespace petal::chain {

/// A block that is taken on trust, with all that stands below it.
struct Anchor {
    std::uint32_t height = 0;
    BlockHeader header;
    Uint256 chainwork;  ///< from the genesis block on, its own included

    friend bool operator==(const Anchor&, const Anchor&) = default;
};

/// The genesis block, which needs no trust.
Anchor genesis_anchor(const NetworkParams& network);

}  // namespace petal::chain
