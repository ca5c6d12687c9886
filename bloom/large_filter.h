/// A filter of any size, by 64-bit hashes, for any data. Not a filter for peers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloom/sizing.h"
#include "chain/bytes.h"

namespace petal::bloom {

/// Sets and tests bits in bytes that belong to the caller: memory, or a mapped file
/// (LargeFilterFile).
///
/// MurmurHash3_x64_128 of the element (seed 0) gives h1 and h2. Function i, from 0, sets the bit of
/// h1 + i h2 (mod 2^64, without the highest bit) modulo the number of bits (A. Kirsch, M.
/// Mitzenmacher: Less Hashing, Same Performance, 2006). Bit b is in byte b / 8, with the value 2^(b
/// % 8). Guava's BloomFilter of byte arrays (MURMUR128_MITZ_64) sets the same bits. Guava's words
/// are the same bytes in little-endian order.
///
/// Not thread-safe. Insertion sets bits and never clears one. So after an interrupted insertion,
/// the filter holds all elements that were inserted before.
class LargeFilter {
public:
    /// bytes   at least 8, a multiple of 8. The bytes must outlive the filter
    LargeFilter(std::span<chain::Byte> bytes, std::uint32_t hash_functions);

    /// Adds an element of any length. Returns whether the element is surely new: false if the
    /// element was inserted before or matches by chance.
    bool insert(chain::ByteView element);
    /// True for every element that was inserted. True for any further element with the probability
    /// false_positive_rate().
    bool contains(chain::ByteView element) const;

    GeneralSize size() const { return {bytes_.size() * std::uint64_t{8}, hash_functions_}; }
    /// The share of bits that are set. Exact up to 16 MiB. Of a larger filter, 4,096 evenly spread
    /// pieces of 4 KiB are counted. Hashing spreads the set bits evenly, so the share is known to
    /// 0.02 percentage points.
    double fill() const;
    /// The probability that an element which is not in the filter matches: fill()^k.
    double false_positive_rate() const;

private:
    std::span<chain::Byte> bytes_;
    std::uint32_t hash_functions_;
};

}  // namespace petal::bloom
