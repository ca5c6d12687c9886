/// MurmurHash3 in its 128-bit form for 64-bit processors, the hash of large filters.
#pragma once

#include <cstdint>

#include "chain/bytes.h"

namespace petal::bloom {

struct Hash128 {
    std::uint64_t low = 0;   ///< the first eight bytes, little-endian
    std::uint64_t high = 0;  ///< the last eight

    friend bool operator==(const Hash128&, const Hash128&) = default;
};

/// MurmurHash3_x64_128 of any number of bytes (A. Appleby: SMHasher, MurmurHash3.cpp). Not
/// cryptographic: an attacker that chooses the bytes can make collisions.
Hash128 murmur3_128(std::uint32_t seed, chain::ByteView data);

}  // namespace petal::bloom
