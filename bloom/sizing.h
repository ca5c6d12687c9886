/// The size of a filter for a number of elements and a false positive rate: of BIP37 filters and of
/// general filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace petal::bloom {

/// Protocol limits (BIP37). A node disconnects a peer that exceeds them.
inline constexpr std::size_t kMaxFilterBytes = 36'000;
inline constexpr std::uint32_t kMaxHashFunctions = 50;

/// The division by which the number of hash functions is computed.
enum class Rounding : std::uint8_t {
    integer_division,  ///< bits per element cut to a whole number first (Bitcoin Core:
                       ///< CBloomFilter)
    real_division,     ///< as in BIP37, bitcoinj and btcd, may give one more function
};

struct FilterSize {
    std::size_t bytes = 1;             ///< 1 to kMaxFilterBytes
    std::uint32_t hash_functions = 1;  ///< 1 to kMaxHashFunctions
    bool capped = false;  ///< at a limit of the protocol, so the rate is worse than asked

    friend bool operator==(const FilterSize&, const FilterSize&) = default;
};

/// A size that was computed for a number of elements and a rate.
struct SizedFilter : FilterSize {
    /// expected_false_positive_rate() of this size with the elements. With few elements it is far
    /// above the rate asked for, because bytes and functions are whole numbers: 0.31 instead of 0.1
    /// for 3 elements. smallest_filter() keeps the rate.
    double expected_rate = 0;
};

/// The size for `elements` (at least 1) at the rate `false_positive_rate` (inside (0, 1)), by
/// Bitcoin Core's formula (bloom.cpp: CBloomFilter). At least one byte and one function: the
/// formula can give 0, and a filter of that size would match everything.
SizedFilter filter_size(std::size_t elements, double false_positive_rate,
                        Rounding rounding = Rounding::integer_division);

/// The smallest filter with an expected rate of at most `false_positive_rate` (inside (0, 1)) once
/// `elements` (at least 1) are inserted: chooses a size, takes the best number of functions,
/// computes the rate, and enlarges the filter by a byte while the rate is too high. Nothing if
/// BIP37's limits do not allow the rate.
std::optional<SizedFilter> smallest_filter(std::size_t elements, double false_positive_rate);

/// The number of functions, 1 to kMaxHashFunctions, that gives a filter of this size the lowest
/// expected rate with `elements` elements (at least 1): one of the two whole numbers around bits /
/// elements * ln 2. The smaller number if both give the same rate.
std::uint32_t best_hash_functions(std::size_t bytes, std::size_t elements);

/// The number of functions, 1 to kMaxHashFunctions, that lets filters of any size hold the most
/// elements at this rate (inside (0, 1)): -log2 of the rate, rounded to the better whole number.
std::uint32_t best_hash_functions_at_rate(double false_positive_rate);

/// The expected rate of a filter with `elements` elements: (1 - e^(-k m / bits))^k.
double expected_false_positive_rate(const FilterSize& size, std::size_t elements);

/// How many elements a filter of this size holds until its expected rate is `false_positive_rate`
/// (inside (0, 1)): -bits / k * ln(1 - rate^(1/k)), rounded down, so possibly 0.
std::size_t elements_at_rate(const FilterSize& size, double false_positive_rate);

/// The size of a general filter, without BIP37's limits.
struct GeneralSize {
    std::uint64_t bits = 64;           ///< a multiple of 64
    std::uint32_t hash_functions = 1;  ///< at least 1

    /// The same as a size of BIP37. Nothing if the size exceeds BIP37's limits: no peer accepts the
    /// filter.
    std::optional<FilterSize> for_peers() const;
    /// As expected_false_positive_rate().
    double expected_rate(std::uint64_t elements) const;

    friend bool operator==(const GeneralSize&, const GeneralSize&) = default;
};

/// The default rate of general_size(), as of Guava's BloomFilter.create().
inline constexpr double kGeneralRate = 0.03;

/// The size for a number of insertions (1 to 2^40) at this rate (1e-15 to below 1), as Guava 33
/// computes a size (BloomFilter.java): -n ln p / (ln 2)^2 bits, cut, then rounded up to a multiple
/// of 64 (Guava's LockFreeBitArray), and -log2 p functions, rounded to the nearest. Bitcoin Core's
/// sizes differ: Core cuts to bytes and counts functions by the cut size.
GeneralSize general_size(std::uint64_t expected_insertions,
                         double false_positive_rate = kGeneralRate);

}  // namespace petal::bloom
