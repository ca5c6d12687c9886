/// Golomb-coded sets (BIP158): a set of byte strings in about 21 bits an element. It may claim an
/// element that it does not have, but never denies one that it has.
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

/// The parameters of a set, which its encoding does not contain.
struct GolombParameters {
    SipHashKey key{};                ///< of the hash of each element
    unsigned remainder_bits = 0;     ///< P of BIP158: the low bits of a difference; 1 to 32
    std::uint64_t inverse_rate = 0;  ///< M of BIP158: one false positive in this many look-ups

    friend bool operator==(const GolombParameters&, const GolombParameters&) = default;
};

/// The hashes of a set's elements. Several threads may use a const set.
class GolombSet {
public:
    /// The set of `elements`, which may repeat; at most 2^32 - 1 different ones.
    GolombSet(const GolombParameters& parameters, std::span<const Bytes> elements);

    /// Reads the encoding of BIP158, which may come from anyone: the number of elements, and the
    /// differences of the sorted hashes. `truncated` if bits are missing, also where the number of
    /// elements alone requires more of them, so that the bytes bound the memory. `trailing_bytes`
    /// if bytes or bits other than the padding follow. `invalid_value` if a hash is too large.
    static Expected<GolombSet, DecodeError> decode(const GolombParameters& parameters,
                                                   ByteView bytes);

    /// The encoding that decode() reads.
    Bytes encode() const;

    /// How many different elements the set was made of.
    std::size_t size() const { return hashes_.size(); }

    /// Whether the set has one of the elements; for each that it has not, the chance of a false
    /// match is about 1 in `inverse_rate`. Takes one pass over the set, however many elements are
    /// looked up.
    bool has_any_of(std::span<const Bytes> elements) const;

private:
    explicit GolombSet(const GolombParameters& parameters) : parameters_(parameters) {}

    std::uint64_t hash_of(ByteView element) const;
    std::uint64_t range() const { return hashes_.size() * parameters_.inverse_rate; }

    GolombParameters parameters_;
    std::vector<std::uint64_t> hashes_;  ///< sorted, each below range(); equal ones are possible
};

}  // namespace petal::chain
