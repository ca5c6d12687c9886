/// Golomb-coded sets (BIP158): sets of byte strings in about 21 bits per element, with false
/// positives but no false negatives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"

namespace petal::chain {

/// The parameters of a set, which are not part of the encoding.
struct GolombParameters {
    SipHashKey key{};                ///< of the hash of each element
    unsigned remainder_bits = 0;     ///< P of BIP158: the low bits of a difference, 1 to 32
    std::uint64_t inverse_rate = 0;  ///< M of BIP158: one false positive in this many look-ups

    friend bool operator==(const GolombParameters&, const GolombParameters&) = default;
};

/// The hashes of a set's elements. Thread-safe while the set is const.
class GolombSet {
public:
    /// The set of `elements`, of which at most 2^32 - 1 may be distinct.
    GolombSet(const GolombParameters& parameters, std::span<const Bytes> elements);

    /// Decodes the untrusted encoding of BIP158: the number of elements, and the differences of the
    /// sorted hashes. Errors:
    /// - `truncated`: bits are missing. The number of elements is checked first, so that the size
    ///   of the encoding bounds the memory.
    /// - `trailing_bytes`: bytes, or bits that are not padding, follow the last element.
    /// - `invalid_value`: a hash is too large.
    static Expected<GolombSet, DecodeError> decode(const GolombParameters& parameters,
                                                   ByteView bytes);

    /// The encoding that decode() reads.
    Bytes encode() const;

    /// The number of distinct elements.
    std::size_t size() const { return hashes_.size(); }

    /// Whether the set contains any of the elements. Each element that is not in the set matches
    /// falsely with a chance of about 1 in `inverse_rate`. Takes one pass over the set for any
    /// number of elements.
    bool has_any_of(std::span<const Bytes> elements) const;
    /// Whether the set contains all of the elements, with the same false matches. Takes one pass
    /// over the set.
    bool has_all_of(std::span<const Bytes> elements) const;

private:
    explicit GolombSet(const GolombParameters& parameters) : parameters_(parameters) {}

    std::uint64_t hash_of(ByteView element) const;
    std::vector<std::uint64_t> sorted_hashes_of(std::span<const Bytes> elements) const;
    std::uint64_t range() const { return hashes_.size() * parameters_.inverse_rate; }

    GolombParameters parameters_;
    std::vector<std::uint64_t> hashes_;  ///< sorted, each below range(), possibly with duplicates
};

}  // namespace petal::chain
