/// Comparison of filters.
#pragma once

#include <algorithm>

#include "bloom/bloom_filter.h"

namespace petal::test {

/// Whether `larger` has all bits of `smaller` and the same hashes, and so matches everything that
/// `smaller` matches.
inline bool holds_all_bits_of(const bloom::BloomFilter& larger, const bloom::BloomFilter& smaller) {
    return larger.tweak() == smaller.tweak() &&
           std::ranges::equal(larger.bytes(), smaller.bytes(),
                              [](auto a, auto b) { return (a & b) == b; });
}

}  // namespace petal::test
