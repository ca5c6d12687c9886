/// Numbers on the stack of a script: little-endian with a sign bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "chain/bytes.h"

namespace petal::chain {

/// The maximum size of a number that an operation reads, and of a lock time (Bitcoin Core:
/// script.h, CScriptNum::nDefaultMaxNumSize. BIP65, BIP112).
inline constexpr std::size_t kMaxNumberBytes = 4;
inline constexpr std::size_t kMaxLockTimeBytes = 5;

/// The number of an item. Empty for an item above `max_bytes` (at most 8) and, if `minimal`, for an
/// item with a shorter encoding (BIP62 rule 4).
std::optional<std::int64_t> read_script_number(ByteView item, bool minimal,
                                               std::size_t max_bytes = kMaxNumberBytes);

/// The shortest encoding. Zero is empty.
Bytes write_script_number(std::int64_t number);

/// Whether an item counts as true: it has a byte other than zero, apart from the sign bit.
bool is_true(ByteView item);

}  // namespace petal::chain
