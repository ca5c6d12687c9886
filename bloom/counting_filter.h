/// A filter from which elements can be removed again, and that converts to a BIP37 filter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloom/bloom_filter.h"
#include "bloom/packed_counters.h"
#include "chain/bytes.h"
#include "chain/expected.h"

namespace petal::bloom {

/// A counter of four bits for each bit of a BIP37 filter: the number of hashes of the elements that
/// fall on the bit (L. Fan, P. Cao, J. Almeida, A. Broder: Summary Cache, 2000). A counter that has
/// reached 15 stays at 15, because the true count is unknown from there on. So removing an element
/// never makes the filter deny a remaining element.
///
/// For sets that change often, as examples/remove_elements.cpp shows. petal itself does not use it:
/// the wallet's coins are in a hash table in memory.
///
/// Not thread-safe.
class CountingFilter {
public:
    /// size   of the filter that project() returns. The counters take four times as many bytes
    CountingFilter(const FilterSize& size, std::uint32_t tweak);

    /// Adds an element of any length. The same element may be added several times.
    void insert(chain::ByteView element);
    /// Removes an element, once for each time that it was inserted. The element must have been
    /// inserted: otherwise an assertion fails or, if the element matches by chance, inserted
    /// elements that share a counter with the element no longer match.
    void remove(chain::ByteView element);
    /// True for every element that was inserted. True by chance for an element that was not
    /// inserted, at about the false positive rate of a BIP37 filter.
    bool contains(chain::ByteView element) const;

    std::size_t bytes() const { return counters_.bytes(); }
    /// The number of saturated counters.
    std::size_t saturated() const { return saturated_; }

    /// The BIP37 filter of the inserted elements: a bit for each counter that is not zero.
    /// Identical to a filter into which the elements are inserted directly, unless a counter is
    /// saturated. Fails if the filter would match everything.
    chain::Expected<BloomFilter, FilterError> project(UpdateMode mode) const;

private:
    template <typename Visit>
    bool for_each_bit(chain::ByteView element, Visit visit) const;

    PackedCounters<4> counters_;  // one for each bit
    std::uint32_t hash_functions_;
    std::uint32_t tweak_;
    std::size_t saturated_ = 0;
};

}  // namespace petal::bloom
