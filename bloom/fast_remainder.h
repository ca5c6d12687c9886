/// Remainders by a fixed divisor, without dividing.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

namespace petal::bloom {

/// Computes dividend % divisor by two multiplications, exactly, for dividends below 2^29.
///
/// With s = 29 + ceil(log2(divisor)) and m = ceil(2^s / divisor) = (2^s + e) / divisor, e <
/// divisor, dividend * m / 2^s exceeds dividend / divisor by dividend * e / (2^s * divisor). The
/// integer parts of the quotients are equal if that is below 1 / divisor, and dividend * e < 2^29 *
/// divisor <= 2^s (T. Granlund, P. Montgomery: Division by Invariant Integers using Multiplication,
/// 1994). m is at most 2^30, so the product fits into 64 bits, and into 32-bit lanes that multiply
/// to 64.
struct FastRemainder {
    static constexpr unsigned kDividendBits = 29;

    std::uint32_t divisor = 1;
    std::uint32_t multiplier = std::uint32_t{1} << kDividendBits;
    std::uint32_t shift = kDividendBits;

    FastRemainder() = default;
    /// divisor   1 to 65,535
    constexpr explicit FastRemainder(std::uint32_t by)
        : divisor(by),
          multiplier(0),
          shift(kDividendBits + static_cast<std::uint32_t>(std::bit_width(by - 1))) {
        assert(by > 0 && by <= 0xffff);
        multiplier = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + by - 1) / by);
    }

    constexpr std::uint32_t operator()(std::uint32_t dividend) const {
        const std::uint64_t quotient = std::uint64_t{dividend} * multiplier >> shift;
        return dividend - static_cast<std::uint32_t>(quotient) * divisor;
    }

    friend bool operator==(const FastRemainder&, const FastRemainder&) = default;
};

}  // namespace petal::bloom
