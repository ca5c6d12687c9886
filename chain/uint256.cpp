// 256-bit numbers, their bytes and their text.
#include "chain/uint256.h"

#include <algorithm>
#include <ios>

namespace petal::chain {

Uint256 from_little_endian(const std::array<Byte, 32>& bytes) {
    Uint256 value;
    boost::multiprecision::import_bits(value, bytes.begin(), bytes.end(), 8, /*msv_first=*/false);
    return value;
}

std::array<Byte, 32> to_little_endian(const Uint256& value) {
    std::array<Byte, 32> bytes{};
    boost::multiprecision::export_bits(value, bytes.begin(), 8, /*msv_first=*/false);
    return bytes;
}

Uint256 to_uint256(const BlockHash& hash) {
    return from_little_endian(hash.bytes);
}

std::string to_hex(const Uint256& value) {
    std::string hex = value.str(0, std::ios_base::hex);
    std::transform(hex.begin(), hex.end(), hex.begin(), [](char c) {
        return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return hex;
}

std::optional<Uint256> uint256_from_hex(std::string_view hex) {
    if (hex.empty() || hex.size() > 64) return std::nullopt;
    auto bytes = from_hex(std::string(64 - hex.size(), '0').append(hex));
    if (!bytes) return std::nullopt;
    std::array<Byte, 32> little_endian;
    std::copy(bytes->rbegin(), bytes->rend(), little_endian.begin());
    return from_little_endian(little_endian);
}

}  // namespace petal::chain
