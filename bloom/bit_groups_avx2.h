/// The bits of an element, eight at a time by AVX2. Include it only where __x86_64__ is defined.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bloom/bit_groups.h"
#include "bloom/bit_layout.h"
#include "bloom/mixed_element.h"
#include "chain/bytes.h"

// Set on each function instead of the whole file, so that no inline function of another header is
// compiled for instructions that the processor may lack.
#define PETAL_AVX2 __attribute__((target("avx2,bmi,bmi2")))
// For steps of each group: inlined, they keep constants in registers from one group to the next.
#define PETAL_AVX2_INLINE __attribute__((target("avx2,bmi,bmi2"), always_inline))

namespace petal::bloom {

inline constexpr std::uint32_t kAvx2Lanes = 8;

/// Whether this processor and its operating system can run the functions marked PETAL_AVX2.
inline bool has_avx2() {
    static const bool supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                                  __builtin_cpu_supports("bmi2");
    return supported;
}

PETAL_AVX2 inline __m256i avx2_broadcast(std::uint32_t value) {
    return _mm256_set1_epi32(static_cast<int>(value));
}

/// BitLayout::seed() of eight functions in a row.
PETAL_AVX2 inline __m256i avx2_seeds(const BitLayout& layout, std::uint32_t first) {
    const __m256i offsets = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                               avx2_broadcast(BitLayout::kSeedStep));
    return _mm256_add_epi32(offsets, avx2_broadcast(layout.seed(first)));
}

/// murmur3() of the element for eight seeds.
template <std::size_t Bytes>
PETAL_AVX2_INLINE inline __m256i avx2_hashes(__m256i state, const MixedElement<Bytes>& element) {
    for (std::size_t i = 0; i < element.block_count(); ++i) {
        state = _mm256_xor_si256(state, avx2_broadcast(element.mixed_block(i)));
        state = _mm256_or_si256(_mm256_slli_epi32(state, 13), _mm256_srli_epi32(state, 19));
        state = _mm256_add_epi32(_mm256_add_epi32(state, avx2_broadcast(0xe6546b64)),
                                 _mm256_slli_epi32(state, 2));
    }
    state = _mm256_xor_si256(state, avx2_broadcast(element.mixed_end()));
    state = _mm256_xor_si256(state, _mm256_srli_epi32(state, 16));
    state = _mm256_mullo_epi32(state, avx2_broadcast(0x85ebca6b));
    state = _mm256_xor_si256(state, _mm256_srli_epi32(state, 13));
    state = _mm256_mullo_epi32(state, avx2_broadcast(0xc2b2ae35));
    return _mm256_xor_si256(state, _mm256_srli_epi32(state, 16));
}

/// BitLayout::byte() of eight hashes. Lanes of even and of odd number are multiplied apart, since
/// the products have 64 bits.
PETAL_AVX2 inline __m256i avx2_bytes(const BitLayout& layout, __m256i hashes) {
    const __m256i dividends = _mm256_srli_epi32(hashes, 3);
    const __m256i multiplier = avx2_broadcast(layout.by_bytes.multiplier);
    const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(layout.by_bytes.shift));
    const __m256i even = _mm256_srl_epi64(_mm256_mul_epu32(dividends, multiplier), shift);
    const __m256i odd =
        _mm256_srl_epi64(_mm256_mul_epu32(_mm256_srli_epi64(dividends, 32), multiplier), shift);
    const __m256i quotients = _mm256_or_si256(even, _mm256_slli_epi64(odd, 32));
    const __m256i divisor = avx2_broadcast(layout.by_bytes.divisor);
    return _mm256_sub_epi32(dividends, _mm256_mullo_epi32(quotients, divisor));
}

/// BitLayout::mask() of eight hashes.
PETAL_AVX2 inline __m256i avx2_masks(__m256i hashes) {
    return _mm256_sllv_epi32(avx2_broadcast(1), _mm256_and_si256(hashes, avx2_broadcast(7)));
}

/// Writes the bits of eight functions from `first` on, eight numbers to each place.
template <std::size_t Bytes>
PETAL_AVX2_INLINE inline void avx2_write_bits(const BitLayout& layout,
                                              const MixedElement<Bytes>& element,
                                              std::uint32_t first, std::uint32_t* bytes,
                                              std::uint32_t* masks) {
    const __m256i hashes = avx2_hashes(avx2_seeds(layout, first), element);
    _mm256_store_si256(reinterpret_cast<__m256i*>(bytes), avx2_bytes(layout, hashes));
    _mm256_store_si256(reinterpret_cast<__m256i*>(masks), avx2_masks(hashes));
}

/// bit_group() of eight functions.
template <std::size_t Bytes>
PETAL_AVX2_INLINE inline BitGroup<kAvx2Lanes> avx2_bit_group(const BitLayout& layout,
                                                             const MixedElement<Bytes>& element,
                                                             std::uint32_t first) {
    BitGroup<kAvx2Lanes> group;
    avx2_write_bits(layout, element, first, group.bytes.data(), group.masks.data());
    // Forces the compiler to store the group to memory. Otherwise it takes the lanes out of the
    // registers one by one, at two instructions each.
    __asm__("" : "+m"(group));
    return group;
}

/// visit_bits_portable() for processors on which has_avx2() is true, and for at least kAvx2Lanes
/// functions. The last group may repeat bits of the one before. Takes the element unmixed: only a
/// function with the same target attribute can keep the mixed blocks in registers.
template <std::size_t Bytes, typename Visit>
PETAL_AVX2 bool visit_bits_avx2(const BitLayout& layout, chain::ByteView element, Visit visit) {
    const MixedElement<Bytes> mixed(element);
    const std::uint32_t functions = layout.hash_functions;
    std::uint32_t first = 0;
    while (first < functions) {
        first = std::min(first, functions - kAvx2Lanes);
        if (!visit(avx2_bit_group(layout, mixed, first))) return false;
        first += kAvx2Lanes;
    }
    return true;
}

/// all_bits_portable() for processors that has_avx2() affirms.
template <std::size_t Bytes>
PETAL_AVX2 ElementBits all_bits_avx2(BitLayout layout, chain::ByteView element) {
    const MixedElement<Bytes> mixed(element);
    ElementBits bits;
    for (std::uint32_t first = 0; first < layout.hash_functions; first += kAvx2Lanes) {
        avx2_write_bits(layout, mixed, first, bits.bytes.data() + first, bits.masks.data() + first);
    }
    return bits;
}

}  // namespace petal::bloom

#undef PETAL_AVX2
#undef PETAL_AVX2_INLINE
