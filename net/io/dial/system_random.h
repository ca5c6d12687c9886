/// Randomness from the operating system, for seeds and keys.
#pragma once

#include <cstdint>
#include <span>

#include "chain/bytes.h"

namespace petal::net {

/// Fills `bytes`, at most 256, from the system's generator. Throws std::system_error on failure.
void fill_random(std::span<chain::Byte> bytes);

/// 64 random bits from the system's generator.
std::uint64_t random_seed();

/// Sets the salt of chain::table_hash(). Call this at the start of a program that connects to
/// peers.
void salt_tables();

}  // namespace petal::net
