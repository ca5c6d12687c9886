/// The payload of a filterload message: it is written back as it was, and inserted elements are
/// found.
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "bloom/bloom_filter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using petal::bloom::BloomFilter;
    const petal::chain::ByteView payload(data, size);

    auto filter = BloomFilter::decode(payload);
    if (!filter) {
        assert(!petal::bloom::describe(filter.error()).empty());
        return 0;
    }
    assert(std::ranges::equal(filter->encode(), payload));

    const petal::chain::ByteView element = payload.last(size / 2);
    const std::size_t set_before = filter->bits_set();
    const bool contained = filter->contains(element);
    filter->insert(element);
    assert(filter->contains(element));
    assert(contained == (filter->bits_set() == set_before));
    assert(filter->bits_set() <= set_before + filter->hash_functions());

    std::size_t set = 0;
    for (const auto byte : filter->bytes()) set += static_cast<std::size_t>(std::popcount(byte));
    assert(filter->bits_set() == set);
    return 0;
}
