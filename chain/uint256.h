/// 256-bit unsigned numbers: targets and chainwork.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chain/hash.h"

namespace petal::chain {

/// A number modulo 2^256, like Bitcoin Core's arith_uint256. Implemented with Boost.Multiprecision,
/// which this header does not include, to keep compile times short.
class Uint256 {
public:
    constexpr Uint256() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): implicit, as for built-in integers.
    constexpr Uint256(std::uint64_t value) : limbs_{value, 0, 0, 0} {}

    friend bool operator==(const Uint256&, const Uint256&) = default;
    friend std::strong_ordering operator<=>(const Uint256& a, const Uint256& b) {
        for (std::size_t i = kLimbs; i-- > 0;) {
            if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
        }
        return std::strong_ordering::equal;
    }

    Uint256 operator~() const;
    Uint256& operator+=(const Uint256& other);
    Uint256& operator*=(const Uint256& other);
    /// The divisor must not be 0.
    Uint256& operator/=(const Uint256& divisor);
    Uint256& operator<<=(unsigned bits);
    Uint256& operator>>=(unsigned bits);

    friend Uint256 operator+(Uint256 a, const Uint256& b) { return a += b; }
    friend Uint256 operator*(Uint256 a, const Uint256& b) { return a *= b; }
    friend Uint256 operator/(Uint256 a, const Uint256& b) { return a /= b; }
    friend Uint256 operator<<(Uint256 a, unsigned bits) { return a <<= bits; }
    friend Uint256 operator>>(Uint256 a, unsigned bits) { return a >>= bits; }

    /// 32 bytes, least significant first.
    std::array<Byte, 32> to_little_endian() const;
    static Uint256 from_little_endian(const std::array<Byte, 32>& bytes);

    /// The number of significant bits.
    unsigned bit_length() const;
    /// The least significant 64 bits.
    std::uint64_t low_bits() const { return limbs_[0]; }

private:
    static constexpr std::size_t kLimbs = 4;
    struct Arithmetic;

    std::array<std::uint64_t, kLimbs> limbs_{};  ///< least significant first
};

/// The hash as a number, its first byte the least significant.
Uint256 to_uint256(const BlockHash& hash);

/// Lower-case hexadecimal without leading zeros, "0" for zero.
std::string to_hex(const Uint256& value);
/// Reads at most 64 hexadecimal digits, most significant first. Empty for any other text.
std::optional<Uint256> uint256_from_hex(std::string_view hex);

}  // namespace petal::chain
