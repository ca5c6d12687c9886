/// The bits of an element, computed several at a time. For bloom_filter.cpp and the tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bloom/bit_layout.h"
#include "bloom/mixed_element.h"
#include "bloom/murmur3.h"
#include "bloom/sizing.h"

namespace petal::bloom {

/// The bits of `Lanes` consecutive functions: for each bit the index of its byte, and its value in
/// that byte. Aligned so that data stored in one piece does not straddle two cache lines, which
/// would make reading it back slow.
template <std::size_t Lanes>
struct BitGroup {
    alignas(4 * Lanes) std::array<std::uint32_t, Lanes> bytes;
    alignas(4 * Lanes) std::array<std::uint32_t, Lanes> masks;
};

/// All bits of an element, in the functions' order; the filter's number of functions says how many
/// are set. There is room to write the last ones in one piece together with unused ones.
struct ElementBits {
    static constexpr std::size_t kRoom = (std::size_t{kMaxHashFunctions} + 7) / 8 * 8;

    alignas(32) std::array<std::uint32_t, kRoom> bytes;
    alignas(32) std::array<std::uint32_t, kRoom> masks;
};

/// The bits of the functions from `first` on.
template <std::size_t Lanes, std::size_t Bytes>
BitGroup<Lanes> bit_group(const BitLayout& layout, const MixedElement<Bytes>& element,
                          std::uint32_t first) {
    std::array<std::uint32_t, Lanes> states;
    for (std::uint32_t i = 0; i < Lanes; ++i) states[i] = layout.seed(first + i);
    for (std::size_t i = 0; i < element.block_count(); ++i) {
        for (auto& state : states) state = murmur3_advance(state, element.mixed_block(i));
    }

    BitGroup<Lanes> group;
    for (std::size_t i = 0; i < Lanes; ++i) {
        const std::uint32_t hash = murmur3_finish(states[i] ^ element.mixed_end());
        group.bytes[i] = layout.byte(hash);
        group.masks[i] = BitLayout::mask(hash);
    }
    return group;
}

/// How many functions plain code computes at once: enough to keep the processor's units busy, and
/// little enough to waste few on an element that the first bits already rule out.
inline constexpr std::uint32_t kPortableLanes = 4;

/// Calls `visit` with the element's bits, one BitGroup after the other, until it returns false or
/// all functions are done. Returns whether all were. The version of visit_bits() for every
/// processor. Visits each bit once, in the functions' order.
template <std::size_t Bytes, typename Visit>
bool visit_bits_portable(const BitLayout& layout, const MixedElement<Bytes>& element, Visit visit) {
    std::uint32_t first = 0;
    for (; first + kPortableLanes <= layout.hash_functions; first += kPortableLanes) {
        if (!visit(bit_group<kPortableLanes>(layout, element, first))) return false;
    }
    for (; first < layout.hash_functions; ++first) {
        if (!visit(bit_group<1>(layout, element, first))) return false;
    }
    return true;
}

/// The bits that `visit_all` passes to its visitor: each function's bit once, in order.
template <typename VisitAll>
ElementBits collect_bits(VisitAll visit_all) {
    ElementBits bits;
    std::size_t count = 0;
    visit_all([&bits, &count](const auto& group) {
        for (std::size_t i = 0; i < group.bytes.size(); ++i, ++count) {
            bits.bytes[count] = group.bytes[i];
            bits.masks[count] = group.masks[i];
        }
        return true;
    });
    return bits;
}

/// all_bits() for every processor.
template <std::size_t Bytes>
ElementBits all_bits_portable(const BitLayout& layout, const MixedElement<Bytes>& element) {
    return collect_bits([&](auto visit) { visit_bits_portable(layout, element, visit); });
}

}  // namespace petal::bloom
