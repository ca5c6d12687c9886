/// Randomness of the system, for seeds and keys.
#pragma once

#include <cstdint>
#include <span>

#include "chain/bytes.h"

namespace petal::net {

/// Fills `bytes`, at most 256 of them, by the system's generator. Throws std::system_error where it
/// has none.
void fill_random(std::span<chain::Byte> bytes);

/// 64 bits of it.
std::uint64_t random_seed();

/// Salts chain::table_hash() with it. For the first lines of a program that meets peers.
void salt_tables();

}  // namespace petal::net
