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

/// visit_bits() for an element longer than MixedElement holds, read anew for each function. No
/// script that can be spent pushes one, but outputs may have any script.
template <typename Visit>
bool visit_bits_of_long(const BitLayout& layout, chain::ByteView element, Visit visit) {
    for (std::uint32_t function = 0; function < layout.hash_functions; ++function) {
        const std::uint32_t hash = murmur3(layout.seed(function), element);
        if (!visit(BitGroup<1>{{layout.byte(hash)}, {BitLayout::mask(hash)}, 0})) return false;
    }
    return true;
}

/// Calls `visit` with the element's bits, one BitGroup (of a size that may differ) after the other,
/// until it returns false or all functions are done. Returns whether all were. Each function's bit
/// is new once.
template <typename Visit>
bool visit_bits(const BitLayout& layout, chain::ByteView element, Visit visit) {
    if (element.size() > kMaxMixedBytes) return visit_bits_of_long(layout, element, visit);
    switch (element.size()) {
        case 20:  // a key's or a script's hash
            return visit_bits_of<20>(layout, element, visit);
        case 32:  // a txid, a script's hash or an output key
            return visit_bits_of<32>(layout, element, visit);
        case 36:  // an outpoint
            return visit_bits_of<36>(layout, element, visit);
        default:
            return visit_bits_of<std::dynamic_extent>(layout, element, visit);
    }
}

}  // namespace petal::bloom
