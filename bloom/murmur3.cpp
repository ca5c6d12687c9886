#include "bloom/murmur3.h"

#include <bit>
#include <cstddef>

#include "chain/byte_reader.h"

namespace petal::bloom {
namespace {

/// Mixes four bytes, little-endian, or the one to three remaining bytes.
constexpr std::uint32_t mix(std::uint32_t block) {
    return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U;
}

}  // namespace

std::uint32_t murmur3(std::uint32_t seed, chain::ByteView data) {
    const std::size_t whole = data.size() / 4 * 4;
    std::uint32_t state = seed;
    for (std::size_t i = 0; i < whole; i += 4) {
        state = std::rotl(state ^ mix(chain::get_u32(data.data() + i)), 13) * 5 + 0xe6546b64U;
    }
    std::uint32_t tail = 0;
    for (std::size_t i = data.size(); i > whole; --i) tail = tail << 8 | data[i - 1];
    if (whole < data.size()) state ^= mix(tail);
    state ^= static_cast<std::uint32_t>(data.size());

    state = (state ^ state >> 16) * 0x85ebca6bU;
    state = (state ^ state >> 13) * 0xc2b2ae35U;
    return state ^ state >> 16;
}

}  // namespace petal::bloom
