/// SHA-256 of two messages at a time, by the processor's instructions for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "chain/bytes.h"

namespace petal::chain {

/// The state of one message: the eight words a to h (FIPS 180-4).
using Sha256State = std::array<std::uint32_t, 8>;

inline constexpr std::size_t kSha256BlockBytes = 64;

/// The state before the first block.
inline constexpr Sha256State kSha256Start = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/// Whether the processor has the instructions. Only then may the functions below be called.
bool has_sha256_instructions();

/// Adds `count` blocks to one message.
void add_sha256_blocks(Sha256State& state, const Byte* blocks, std::size_t count);

/// Adds `count` blocks to each of two messages. Takes about as long as for one message: an
/// instruction for one message runs while that for the other message waits for its result.
void add_sha256_blocks(Sha256State& left, const Byte* left_blocks, Sha256State& right,
                       const Byte* right_blocks, std::size_t count);

}  // namespace petal::chain
