/// Names for places in the chain.
#pragma once

#include <cstdint>

#include "chain/hash.h"

namespace petal::chain {

/// A block of the chain: where it is and what it is called.
struct BlockRef {
    std::uint32_t height = 0;
    BlockHash hash;

    friend bool operator==(const BlockRef&, const BlockRef&) = default;
};

}  // namespace petal::chain
