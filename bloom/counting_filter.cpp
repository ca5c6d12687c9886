#include "bloom/counting_filter.h"

#include <cassert>
#include <utility>

#include "bloom/murmur3.h"

namespace petal::bloom {

CountingFilter::CountingFilter(const FilterSize& size, std::uint32_t tweak)
    : counters_(size.bytes * 8), hash_functions_(size.hash_functions), tweak_(tweak) {
    assert(size.bytes > 0 && size.bytes <= kMaxFilterBytes);
    assert(size.hash_functions > 0 && size.hash_functions <= kMaxHashFunctions);
}

/// Calls `visit` once for each function, also if two functions set the same bit, until `visit`
/// returns false.
template <typename Visit>
bool CountingFilter::for_each_bit(chain::ByteView element, Visit visit) const {
    for (std::uint32_t i = 0; i < hash_functions_; ++i) {
        if (!visit(murmur3(hash_seed(i, tweak_), element) % counters_.size())) return false;
    }
    return true;
}

void CountingFilter::insert(chain::ByteView element) {
    for_each_bit(element, [this](std::size_t bit) {
        if (counters_.add(bit) + 1 == counters_.kMost) ++saturated_;
        return true;
    });
}

void CountingFilter::remove(chain::ByteView element) {
    assert(contains(element));
    for_each_bit(element, [this](std::size_t bit) {
        const std::uint8_t count = counters_.count(bit);
        if (count == counters_.kMost) return true;
        assert(count > 0);
        counters_.set(bit, static_cast<std::uint8_t>(count - 1));
        return true;
    });
}

bool CountingFilter::contains(chain::ByteView element) const {
    return for_each_bit(element, [this](std::size_t bit) { return counters_.count(bit) > 0; });
}

chain::Expected<BloomFilter, FilterError> CountingFilter::project(UpdateMode mode) const {
    chain::Bytes bits(counters_.size() / 8);
    counters_.visit_counted([&bits](std::size_t bit, std::uint8_t) {
        bits[bit / 8] = static_cast<chain::Byte>(bits[bit / 8] | 1U << bit % 8);
    });
    BloomFilter filter(std::move(bits), hash_functions_, tweak_, static_cast<std::uint8_t>(mode));
    if (filter.bits_set() == filter.bit_count()) return chain::Unexpected(FilterError::all_ones);
    return filter;
}

}  // namespace petal::bloom
