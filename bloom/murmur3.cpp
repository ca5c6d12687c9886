#include "bloom/murmur3.h"

#include "chain/byte_reader.h"

namespace petal::bloom {

std::uint32_t murmur3(std::uint32_t seed, chain::ByteView data) {
    const std::size_t whole = data.size() / 4 * 4;
    std::uint32_t state = seed;
    for (std::size_t i = 0; i < whole; i += 4) {
        state = murmur3_advance(state, murmur3_mix(chain::get_u32(data.data() + i)));
    }
    state ^= murmur3_mix(murmur3_tail(data.data() + whole, data.size() - whole));
    return murmur3_finish(state ^ static_cast<std::uint32_t>(data.size()));
}

}  // namespace petal::bloom
