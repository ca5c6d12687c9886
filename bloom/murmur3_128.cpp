#include "bloom/murmur3_128.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace petal::bloom {
namespace {

constexpr std::size_t kBlockBytes = 16;

/// At most eight bytes, little-endian.
std::uint64_t read(chain::ByteView bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) value = value << 8 | bytes[i - 1];
    return value;
}

std::uint64_t mix_low(std::uint64_t part) {
    return std::rotl(part * 0x87c37b91114253d5U, 31) * 0x4cf5ad432745937fU;
}

std::uint64_t mix_high(std::uint64_t part) {
    return std::rotl(part * 0x4cf5ad432745937fU, 33) * 0x87c37b91114253d5U;
}

std::uint64_t finish(std::uint64_t state) {
    state = (state ^ (state >> 33)) * 0xff51afd7ed558ccdU;
    state = (state ^ (state >> 33)) * 0xc4ceb9fe1a85ec53U;
    return state ^ (state >> 33);
}

}  // namespace

Hash128 murmur3_128(std::uint32_t seed, chain::ByteView data) {
    Hash128 state{seed, seed};
    chain::ByteView rest = data;
    for (; rest.size() >= kBlockBytes; rest = rest.subspan(kBlockBytes)) {
        state.low ^= mix_low(read(rest.first(8)));
        state.low = (std::rotl(state.low, 27) + state.high) * 5 + 0x52dce729;
        state.high ^= mix_high(read(rest.subspan(8, 8)));
        state.high = (std::rotl(state.high, 31) + state.low) * 5 + 0x38495ab5;
    }
    const std::size_t low_bytes = std::min<std::size_t>(rest.size(), 8);
    state.high ^= mix_high(read(rest.subspan(low_bytes)));
    state.low ^= mix_low(read(rest.first(low_bytes)));

    state.low ^= data.size();
    state.high ^= data.size();
    state.low += state.high;
    state.high += state.low;
    state.low = finish(state.low);
    state.high = finish(state.high);
    state.low += state.high;
    state.high += state.low;
    return state;
}

}  // namespace petal::bloom
