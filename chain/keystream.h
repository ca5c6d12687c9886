/// Pseudorandom numbers derived from a key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "chain/bytes.h"

namespace petal::chain {

/// The number of words in a block of ChaCha20.
inline constexpr std::size_t kKeystreamBlockWords = 16;

/// Writes the ChaCha20 blocks of the key, a nonce of zeros and the counters from `first_block` on
/// (RFC 8439, 2.3).
/// words   a whole number of blocks
void write_keystream(const std::array<Byte, 32>& key, std::uint32_t first_block,
                     std::span<std::uint32_t> words);

}  // namespace petal::chain
