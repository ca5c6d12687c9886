/// The bits of a filter that an element sets (BIP37).
#pragma once

#include <cstdint>

#include "bloom/fast_remainder.h"

namespace petal::bloom {

/// Everything except the element that determines the bits: function i, counted from 0, hashes the
/// element with the seed i * 0xfba4c795 + tweak, and gives the bit of that hash modulo the filter's
/// bits. Bit b is in byte b / 8, where it has the value 2^(b % 8).
struct BitLayout {
    static constexpr std::uint32_t kSeedStep = 0xfba4c795;

    FastRemainder by_bytes;  ///< divides by the filter's size in bytes
    std::uint32_t hash_functions = 1;
    std::uint32_t tweak = 0;

    std::uint32_t seed(std::uint32_t function) const { return function * kSeedStep + tweak; }
    /// hash % (8 * bytes) / 8, which is hash / 8 % bytes: that leaves 29 bits to divide.
    std::uint32_t byte(std::uint32_t hash) const { return by_bytes(hash >> 3); }
    /// 2^(hash % (8 * bytes) % 8): bytes are eight bits, so their number has no part in it.
    static std::uint32_t mask(std::uint32_t hash) { return std::uint32_t{1} << (hash & 7); }

    friend bool operator==(const BitLayout&, const BitLayout&) = default;
};

}  // namespace petal::bloom
