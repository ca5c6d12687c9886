/// Bloom filters as BIP37 defines them. A wallet sends a filter to a peer so that the peer relays
/// the wallet's transactions without learning exactly which transactions are the wallet's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloom/sizing.h"
#include "chain/bytes.h"
#include "chain/expected.h"

namespace petal::bloom {

/// The outpoints that a node inserts into its copy of the filter when an output matches (BIP37,
/// nFlags). A node looks at the low two bits only (Bitcoin Core: BLOOM_UPDATE_MASK). The value 3 is
/// treated as `none`.
enum class UpdateMode : std::uint8_t {
    none = 0,         ///< nothing
    all = 1,          ///< the output's outpoint, so that the transaction that spends it matches too
    pubkey_only = 2,  ///< as `all`, but only for pay-to-pubkey and bare multisig outputs
};

std::string_view describe(UpdateMode mode);

/// The update mode in the low two bits of a filterload message's flags.
UpdateMode update_mode_of(std::uint8_t flags);

/// Why bytes are not a filter that petal loads, serves or keeps.
enum class FilterError : std::uint8_t {
    no_bytes,            ///< matches everything on a server (CVE-2013-5700)
    no_hash_functions,   ///< matches everything
    all_ones,            ///< matches everything
    too_large,           ///< more than kMaxFilterBytes
    too_many_functions,  ///< more than kMaxHashFunctions
    malformed,           ///< not the payload of a filterload message
};

std::string_view describe(FilterError error);

/// The seed of hash function `function`, from 0, in filters with this tweak (BIP37).
constexpr std::uint32_t hash_seed(std::uint32_t function, std::uint32_t tweak) {
    return function * 0xfba4c795U + tweak;
}

/// A set of byte strings. An element that was inserted always matches. An element that was not
/// inserted may match too, by chance.
///
/// Several threads may call const functions at once, while no thread changes the filter.
class BloomFilter {
public:
    /// An empty filter of this size, which is within the protocol limits.
    /// tweak   seeds the hashes. Keep one tweak per wallet: of two filters with different tweaks,
    ///         hardly anything but the wallet's elements matches both
    BloomFilter(const FilterSize& size, std::uint32_t tweak, UpdateMode mode);

    /// A filter with these bits, within the protocol limits. The filter may match everything.
    BloomFilter(chain::Bytes bytes, std::uint32_t hash_functions, std::uint32_t tweak,
                std::uint8_t flags);

    /// Rebuilds a filter from the whole payload of a `filterload` message, which is not trusted.
    /// Degenerate filters are refused with the reason. flags() keeps all eight bits.
    static chain::Expected<BloomFilter, FilterError> decode(chain::ByteView filterload_payload);

    /// The payload of a `filterload` message: CompactSize and bytes, functions, tweak, flags.
    chain::Bytes encode() const;

    /// Adds an element of any length, also an empty one. Allocates nothing.
    void insert(chain::ByteView element);
    void insert_all(std::span<const chain::Bytes> elements);
    /// Sets the bit of each hash, one hash after the other, until `bits` bits are set. Returns how
    /// many hashes were used: all if fewer than `bits` bits are set in the end. The hashes of
    /// random elements are uniform random numbers, so `hashes` may be random numbers instead.
    std::size_t fill(std::span<const std::uint32_t> hashes, std::size_t bits);
    /// Adds all elements of a filter that has the same size, functions and tweak.
    void unite(const BloomFilter& other);
    /// Whether the element matches. Always true for an element that was inserted, else true with
    /// the probability false_positive_rate().
    bool contains(chain::ByteView element) const;

    chain::ByteView bytes() const { return bytes_; }
    std::uint32_t hash_functions() const { return hash_functions_; }
    std::uint32_t tweak() const { return tweak_; }
    /// The seed of one of the hash functions, from 0 (hash_seed()).
    std::uint32_t seed(std::uint32_t function) const { return hash_seed(function, tweak_); }
    std::uint8_t flags() const { return flags_; }
    /// The update mode in the flags' low two bits.
    UpdateMode update_mode() const { return update_mode_of(flags_); }

    std::size_t bit_count() const { return bytes_.size() * 8; }
    /// The number of bits set, in constant time.
    std::size_t bits_set() const { return bits_set_; }
    /// The probability that an element which is not in the filter matches: (bits set / bits)^k,
    /// exactly for this filter, not an expectation over filters.
    double false_positive_rate() const;

    friend bool operator==(const BloomFilter&, const BloomFilter&) = default;

private:
    /// The index of the bit that a hash function gives an element. Bit b is in byte b / 8 and has
    /// the value 2^(b % 8).
    std::size_t bit_of(std::uint32_t function, chain::ByteView element) const;
    bool is_set(std::size_t bit) const;
    void set(std::size_t bit);

    chain::Bytes bytes_;  // never empty: a bit's index is taken modulo the size (CVE-2013-5700)
    std::uint32_t hash_functions_;
    std::uint32_t tweak_;
    std::size_t bits_set_;
    std::uint8_t flags_;
};

}  // namespace petal::bloom
