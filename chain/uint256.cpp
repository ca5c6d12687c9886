// 256-bit numbers, their bytes and their text.
#include "chain/uint256.h"

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>

namespace petal::chain {

struct Uint256::Arithmetic {
    using Number = boost::multiprecision::number<
        boost::multiprecision::cpp_int_backend<256, 256, boost::multiprecision::unsigned_magnitude,
                                               boost::multiprecision::unchecked, void>>;

    static Number number(const Uint256& value) {
        Number result;
        boost::multiprecision::import_bits(result, value.limbs_.begin(), value.limbs_.end(), 64,
                                           /*msv_first=*/false);
        return result;
    }

    static Uint256 value(const Number& number) {
        Uint256 result;
        boost::multiprecision::export_bits(number, result.limbs_.begin(), 64, /*msv_first=*/false);
        return result;
    }
};

Uint256 Uint256::operator~() const {
    return Arithmetic::value(~Arithmetic::number(*this));
}

Uint256& Uint256::operator+=(const Uint256& other) {
    // Without Boost, because each header's chainwork is a sum, which must be fast.
    bool carry = false;
    for (std::size_t i = 0; i < kLimbs; ++i) {
        const std::uint64_t sum = limbs_[i] + other.limbs_[i];
        limbs_[i] = sum + (carry ? 1 : 0);
        carry = sum < other.limbs_[i] || limbs_[i] < sum;
    }
    return *this;
}

Uint256& Uint256::operator*=(const Uint256& other) {
    return *this = Arithmetic::value(Arithmetic::number(*this) * Arithmetic::number(other));
}

Uint256& Uint256::operator/=(const Uint256& divisor) {
    return *this = Arithmetic::value(Arithmetic::number(*this) / Arithmetic::number(divisor));
}

Uint256& Uint256::operator<<=(unsigned bits) {
    return *this = Arithmetic::value(Arithmetic::number(*this) << bits);
}

Uint256& Uint256::operator>>=(unsigned bits) {
    return *this = Arithmetic::value(Arithmetic::number(*this) >> bits);
}

unsigned Uint256::bit_length() const {
    for (std::size_t i = kLimbs; i-- > 0;) {
        const auto width = static_cast<unsigned>(std::bit_width(limbs_[i]));
        if (width != 0) return 64 * static_cast<unsigned>(i) + width;
    }
    return 0;
}

Uint256 Uint256::from_little_endian(const std::array<Byte, 32>& bytes) {
    Uint256 value;
    if constexpr (std::endian::native == std::endian::little) {
        value.limbs_ = std::bit_cast<std::array<std::uint64_t, kLimbs>>(bytes);
        return value;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        value.limbs_[i / 8] |= std::uint64_t{bytes[i]} << 8 * (i % 8);
    }
    return value;
}

std::array<Byte, 32> Uint256::to_little_endian() const {
    if constexpr (std::endian::native == std::endian::little) {
        return std::bit_cast<std::array<Byte, 32>>(limbs_);
    }
    std::array<Byte, 32> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<Byte>(limbs_[i / 8] >> 8 * (i % 8));
    }
    return bytes;
}

Uint256 to_uint256(const BlockHash& hash) {
    return Uint256::from_little_endian(hash.bytes);
}

std::string to_hex(const Uint256& value) {
    auto bytes = value.to_little_endian();
    std::reverse(bytes.begin(), bytes.end());
    const std::string hex = to_hex(ByteView(bytes));
    return hex.substr(std::min(hex.find_first_not_of('0'), hex.size() - 1));
}

std::optional<Uint256> uint256_from_hex(std::string_view hex) {
    if (hex.empty() || hex.size() > 64) return std::nullopt;
    auto bytes = from_hex(std::string(64 - hex.size(), '0').append(hex));
    if (!bytes) return std::nullopt;
    std::array<Byte, 32> little_endian;
    std::copy(bytes->rbegin(), bytes->rend(), little_endian.begin());
    return Uint256::from_little_endian(little_endian);
}

}  // namespace petal::chain
