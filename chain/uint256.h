/// 256-bit unsigned numbers: targets and chainwork.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "chain/hash.h"

namespace petal::chain {

/// Wraps around at 2^256, as Bitcoin Core's arith_uint256 does.
using Uint256 = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    256, 256, boost::multiprecision::unsigned_magnitude, boost::multiprecision::unchecked, void>>;

/// The number that a hash's 32 bytes spell, least significant byte first.
Uint256 to_uint256(const BlockHash& hash);

/// 32 bytes, least significant first, and back.
std::array<Byte, 32> to_little_endian(const Uint256& value);
Uint256 from_little_endian(const std::array<Byte, 32>& bytes);

/// Lower-case hexadecimal without leading zeros; "0" for zero.
std::string to_hex(const Uint256& value);
/// At most 64 hexadecimal digits, most significant first; nothing for other text.
std::optional<Uint256> uint256_from_hex(std::string_view hex);

}  // namespace petal::chain
