/// The size of a BIP37 filter for a number of elements and a false positive rate.
#pragma once

#include <cstddef>
#include <cstdint>

namespace petal::bloom {

/// Protocol limits (BIP37). A node disconnects a peer that exceeds them.
inline constexpr std::size_t kMaxFilterBytes = 36'000;
inline constexpr std::uint32_t kMaxHashFunctions = 50;

/// The division by which the number of hash functions is computed.
enum class Rounding : std::uint8_t {
    integer_division,  ///< bits per element cut to a whole number first (Bitcoin Core:
                       ///< CBloomFilter)
    real_division,     ///< as in BIP37, bitcoinj and btcd; may give one function more
};

struct FilterSize {
    std::size_t bytes = 1;             ///< 1 to kMaxFilterBytes
    std::uint32_t hash_functions = 1;  ///< 1 to kMaxHashFunctions
    bool capped = false;  ///< a limit of the protocol was met, so the rate will be worse than asked

    friend bool operator==(const FilterSize&, const FilterSize&) = default;
};

/// The size for `elements` (at least 1) at the rate `false_positive_rate` (inside (0, 1)), as
/// Bitcoin Core computes it (bloom.cpp: CBloomFilter), but at least one byte and one function: with
/// fewer, Core makes a filter that matches everything.
FilterSize filter_size(std::size_t elements, double false_positive_rate,
                       Rounding rounding = Rounding::integer_division);

/// The rate to expect of a filter once `elements` are in it: (1 - e^(-k m / bits))^k.
double expected_false_positive_rate(const FilterSize& size, std::size_t elements);

}  // namespace petal::bloom
