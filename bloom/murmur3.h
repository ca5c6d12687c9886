/// MurmurHash3 in its 32-bit x86 form, the hash of BIP37's filters.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "chain/bytes.h"

namespace petal::bloom {

/// MurmurHash3_x86_32 of any number of bytes (its length counts modulo 2^32).
std::uint32_t murmur3(std::uint32_t seed, chain::ByteView data);

// The steps of murmur3(), for callers that hash the same data with many seeds: mixing the blocks
// does not depend on the seed and is done once. A hash's state starts as the seed, takes each full
// block by murmur3_advance(), then xors the mixed remaining bytes and the size, and ends by
// murmur3_finish().

/// Mixes four bytes, little-endian, or the one to three remaining bytes.
constexpr std::uint32_t murmur3_mix(std::uint32_t block) {
    return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U;
}

/// The state after the next full block.
constexpr std::uint32_t murmur3_advance(std::uint32_t state, std::uint32_t mixed_block) {
    return std::rotl(state ^ mixed_block, 13) * 5 + 0xe6546b64U;
}

/// The hash that the last state gives.
constexpr std::uint32_t murmur3_finish(std::uint32_t state) {
    state = (state ^ (state >> 16)) * 0x85ebca6bU;
    state = (state ^ (state >> 13)) * 0xc2b2ae35U;
    return state ^ (state >> 16);
}

/// `size` bytes, none to three, little-endian.
inline std::uint32_t murmur3_tail(const chain::Byte* bytes, std::size_t size) {
    std::uint32_t tail = 0;
    for (std::size_t i = size; i > 0; --i) tail = tail << 8 | bytes[i - 1];
    return tail;
}

}  // namespace petal::bloom
