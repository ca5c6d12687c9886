/// MurmurHash3 in its 32-bit x86 form, the hash of BIP37's filters.
#pragma once

#include <cstdint>

#include "chain/bytes.h"

namespace petal::bloom {

/// MurmurHash3_x86_32 of any number of bytes (the length counts modulo 2^32).
std::uint32_t murmur3(std::uint32_t seed, chain::ByteView data);

}  // namespace petal::bloom
