/// The bits of an element, by the fastest way that this processor has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloom/bit_groups.h"
#include "bloom/bit_layout.h"
#include "bloom/mixed_element.h"
#include "bloom/murmur3.h"
#include "chain/bytes.h"

#if defined(__x86_64__)
#include "bloom/bit_groups_avx2.h"
#endif

namespace petal::bloom {

/// visit_bits() for elements that MixedElement<Bytes> holds.
template <std::size_t Bytes, typename Visit>
bool visit_bits_of(const BitLayout& layout, chain::ByteView element, Visit visit) {
#if defined(__x86_64__)
    if (layout.hash_functions >= kAvx2Lanes && has_avx2()) {
        return visit_bits_avx2<Bytes>(layout, element, visit);
    }
#endif
    return visit_bits_portable(layout, MixedElement<Bytes>(element), visit);
}

/// all_bits() for elements that MixedElement<Bytes> holds.
template <std::size_t Bytes>
ElementBits all_bits_of(const BitLayout& layout, chain::ByteView element) {
#if defined(__x86_64__)
    if (has_avx2()) return all_bits_avx2<Bytes>(layout, element);
#endif
    return all_bits_portable(layout, MixedElement<Bytes>(element));
}

/// visit_bits() for an element that is too long for MixedElement: each function reads it anew. No
/// spendable script pushes such an element, but outputs may have any script.
template <typename Visit>
bool visit_bits_of_long(const BitLayout& layout, chain::ByteView element, Visit visit) {
    for (std::uint32_t function = 0; function < layout.hash_functions; ++function) {
        const std::uint32_t hash = murmur3(layout.seed(function), element);
        if (!visit(BitGroup<1>{{layout.byte(hash)}, {BitLayout::mask(hash)}})) return false;
    }
    return true;
}

/// all_bits() for such an element.
inline ElementBits all_bits_of_long(const BitLayout& layout, chain::ByteView element) {
    return collect_bits([&](auto visit) { visit_bits_of_long(layout, element, visit); });
}

/// Calls `use` with the size of an element of at most kMaxMixedBytes, as a compile-time constant
/// for common sizes. Returns its result.
template <typename Use>
auto for_size_of(chain::ByteView element, Use use) {
    switch (element.size()) {
        case 20:  // a key's or a script's hash
            return use.template operator()<20>();
        case 32:  // a txid, a script's hash or an output key
            return use.template operator()<32>();
        case 36:  // an outpoint
            return use.template operator()<36>();
        default:
            return use.template operator()<std::dynamic_extent>();
    }
}

/// Calls `visit` with the element's bits, one BitGroup (of a size that may differ) after the other,
/// until it returns false or all functions are done. Returns whether all were. A bit may be visited
/// twice. For lookups: at the first unset bit, the rest need not be computed.
template <typename Visit>
bool visit_bits(const BitLayout& layout, chain::ByteView element, Visit visit) {
    if (element.size() > kMaxMixedBytes) return visit_bits_of_long(layout, element, visit);
    return for_size_of(
        element, [&]<std::size_t Bytes>() { return visit_bits_of<Bytes>(layout, element, visit); });
}

/// The element's bits, for setting them: computing all before setting the first takes a third less
/// time than alternating.
inline ElementBits all_bits(const BitLayout& layout, chain::ByteView element) {
    if (element.size() > kMaxMixedBytes) return all_bits_of_long(layout, element);
    return for_size_of(element,
                       [&]<std::size_t Bytes>() { return all_bits_of<Bytes>(layout, element); });
}

}  // namespace petal::bloom
