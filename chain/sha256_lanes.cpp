// The instructions are those of x86 (Intel: SHA extensions). On other processors, OpenSSL hashes.
#include "chain/sha256_lanes.h"

#include <cassert>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#include <utility>
#endif

namespace petal::chain {

#if defined(__x86_64__)

namespace {

#define PETAL_SHA __attribute__((target("sha,sse4.1"), always_inline)) inline

alignas(16) constexpr std::array<std::uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// One message: its state as the instructions order the words, and the last 16 words of its message
// schedule.
struct Lane {
    __m128i abef;
    __m128i cdgh;
    __m128i words[4];
};

PETAL_SHA __m128i load(const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

PETAL_SHA Lane open(const Sha256State& state) {
    const __m128i cdab = _mm_shuffle_epi32(load(&state[0]), 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(load(&state[4]), 0x1b);
    return {_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0), {}};
}

PETAL_SHA void close(const Lane& lane, Sha256State& state) {
    const __m128i feba = _mm_shuffle_epi32(lane.abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(lane.cdgh, 0xb1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[0]), _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[4]), _mm_alignr_epi8(dchg, feba, 8));
}

// The next four words of the message schedule: those of the block, or made of earlier words.
template <std::size_t Quad>
PETAL_SHA __m128i next_words(Lane& lane, const Byte* block) {
    __m128i& words = lane.words[Quad % 4];
    if constexpr (Quad < 4) {
        const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
        words = _mm_shuffle_epi8(load(block + 16 * Quad), big_endian);
    } else {
        const __m128i& last = lane.words[(Quad + 3) % 4];
        const __m128i seventh = _mm_alignr_epi8(last, lane.words[(Quad + 2) % 4], 4);
        words = _mm_sha256msg1_epu32(words, lane.words[(Quad + 1) % 4]);
        words = _mm_sha256msg2_epu32(_mm_add_epi32(words, seventh), last);
    }
    return words;
}

template <std::size_t Quad>
PETAL_SHA void four_rounds(Lane& lane, const Byte* block) {
    __m128i sums = _mm_add_epi32(next_words<Quad>(lane, block), load(&kRoundConstants[4 * Quad]));
    lane.cdgh = _mm_sha256rnds2_epu32(lane.cdgh, lane.abef, sums);
    sums = _mm_shuffle_epi32(sums, 0x0e);
    lane.abef = _mm_sha256rnds2_epu32(lane.abef, lane.cdgh, sums);
}

PETAL_SHA void add_state(Lane& lane, __m128i abef, __m128i cdgh) {
    lane.abef = _mm_add_epi32(lane.abef, abef);
    lane.cdgh = _mm_add_epi32(lane.cdgh, cdgh);
}

template <std::size_t... Quads>
PETAL_SHA void add_block(Lane& lane, const Byte* block, std::index_sequence<Quads...> /*all*/) {
    const __m128i abef = lane.abef;
    const __m128i cdgh = lane.cdgh;
    (four_rounds<Quads>(lane, block), ...);
    add_state(lane, abef, cdgh);
}

template <std::size_t... Quads>
PETAL_SHA void add_two_blocks(Lane& left, const Byte* left_block, Lane& right,
                              const Byte* right_block, std::index_sequence<Quads...> /*all*/) {
    const __m128i abefs[] = {left.abef, right.abef};
    const __m128i cdghs[] = {left.cdgh, right.cdgh};
    ((four_rounds<Quads>(left, left_block), four_rounds<Quads>(right, right_block)), ...);
    add_state(left, abefs[0], cdghs[0]);
    add_state(right, abefs[1], cdghs[1]);
}

using Quads = std::make_index_sequence<16>;

bool find_instructions() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSE4_1) == 0) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

}  // namespace

bool has_sha256_instructions() {
    static const bool found = find_instructions();
    return found;
}

__attribute__((target("sha,sse4.1"))) void add_sha256_blocks(Sha256State& state, const Byte* blocks,
                                                             std::size_t count) {
    Lane lane = open(state);
    for (; count > 0; --count, blocks += kSha256BlockBytes) add_block(lane, blocks, Quads{});
    close(lane, state);
}

__attribute__((target("sha,sse4.1"))) void add_sha256_blocks(Sha256State& left,
                                                             const Byte* left_blocks,
                                                             Sha256State& right,
                                                             const Byte* right_blocks,
                                                             std::size_t count) {
    Lane first = open(left);
    Lane second = open(right);
    for (; count > 0; --count) {
        add_two_blocks(first, left_blocks, second, right_blocks, Quads{});
        left_blocks += kSha256BlockBytes;
        right_blocks += kSha256BlockBytes;
    }
    close(first, left);
    close(second, right);
}

#undef PETAL_SHA

#else

bool has_sha256_instructions() {
    return false;
}
void add_sha256_blocks(Sha256State&, const Byte*, std::size_t) {
    assert(false);
}
void add_sha256_blocks(Sha256State&, const Byte*, Sha256State&, const Byte*, std::size_t) {
    assert(false);
}

#endif

}  // namespace petal::chain
