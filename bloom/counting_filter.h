/// A filter from which elements can be taken out again, and that becomes one of BIP37.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloom/bit_layout.h"
#include "bloom/bloom_filter.h"
#include "chain/bytes.h"
#include "chain/expected.h"

namespace petal::bloom {

/// Counts for each bit of a BIP37 filter how many hashes of its elements fall on it, in four bits
/// (L. Fan, P. Cao, J. Almeida, A. Broder: Summary Cache, 2000). A counter that reached 15 stays
/// there for ever, because its count is no longer known: then removing forgets
/// nothing that is still in, and the filter never denies an element that it holds.
///
/// For sets that change often. In front of the wallet's coins it would not pay: they are a table in
/// memory, which denies a stranger in 4 ns of 10 coins and 22 ns of a million, while this takes 60
/// and denies none of a million any more (benchmarks stranger_*). It is ten times as fast as
/// SQLite, which is not asked.
///
/// Not thread-safe.
class CountingFilter {
public:
    /// size   of the filter that project() makes; this takes four times as many bytes
    CountingFilter(const FilterSize& size, std::uint32_t tweak);

    /// Adds an element of any length; as often as wanted.
    void insert(chain::ByteView element);
    /// Takes one out, once for each time that it was put in. Only what is in it may be taken out:
    /// otherwise elements that share its counters would be denied.
    void remove(chain::ByteView element);
    /// Surely so for what is in it; else with about the rate of a BIP37 filter.
    bool contains(chain::ByteView element) const;

    std::size_t bytes() const { return counters_.size(); }
    /// The number of saturated counters.
    std::size_t saturated() const { return saturated_; }

    /// The BIP37 filter of the elements that are in it: a bit for each counter that is not zero.
    /// The very one that inserting them makes, as long as no counter is saturated. Refused where
    /// it would match everything.
    chain::Expected<BloomFilter, FilterError> project(UpdateMode mode) const;

private:
    static constexpr std::uint8_t kMost = 15;

    std::uint8_t counter(std::size_t bit) const;
    void set_counter(std::size_t bit, std::uint8_t value);
    template <typename Visit>
    bool for_each_bit(chain::ByteView element, Visit visit) const;

    chain::Bytes counters_;  // the even bit's in the low half of a byte
    BitLayout layout_;
    std::size_t saturated_ = 0;
};

}  // namespace petal::bloom
