/// Comparison of filters.
#pragma once

#include <algorithm>

#include "bloom/bloom_filter.h"

namespace petal::test {

/// Whether `larger` matches whatever `smaller` matches, and with the same bits.
inline bool holds_all_bits_of(const bloom::BloomFilter& larger, const bloom::BloomFilter& smaller) {
    return larger.tweak() == smaller.tweak() &&
           std::ranges::equal(larger.bytes(), smaller.bytes(),
                              [](auto a, auto b) { return (a & b) == b; });
}

}  // namespace petal::test
