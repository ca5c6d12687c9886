/// The checksums of output descriptors (BIP380).
#include "wallet/descriptors/descriptor_checksum.h"

#include <array>
#include <cstdint>

namespace petal::wallet {

namespace {

/// Ordered so that common errors change few symbols (BIP380).
constexpr std::string_view kCharacters =
    "0123456789()[],'/*abcdefgh@:$%{}"
    "IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~"
    "ijklmnopqrstuvwxyzABCDEFGH`#\"\\ ";
constexpr std::string_view kChecksumAlphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// The remainder of the code over GF(32) (Bitcoin Core: script/descriptor.cpp, PolyMod).
std::uint64_t add_symbol(std::uint64_t remainder, std::uint64_t symbol) {
    constexpr std::array<std::uint64_t, 5> kGenerator{
        0xf5'dee5'1989, 0xa9'fdca'3312, 0x1b'ab10'e32d, 0x37'06b1'677a, 0x64'4d62'6ffd};
    const std::uint64_t top = remainder >> 35;
    remainder = ((remainder & 0x7'ffff'ffff) << 5) ^ symbol;
    for (std::size_t i = 0; i < kGenerator.size(); ++i) {
        if (((top >> i) & 1) != 0) remainder ^= kGenerator[i];
    }
    return remainder;
}

}  // namespace

std::optional<std::string> descriptor_checksum(std::string_view text) {
    std::uint64_t remainder = 1;
    std::uint64_t groups = 0;
    unsigned in_group = 0;
    for (const char c : text) {
        const std::size_t position = kCharacters.find(c);
        if (position == std::string_view::npos) return std::nullopt;
        remainder = add_symbol(remainder, position & 31);
        groups = groups * 3 + (position >> 5);
        if (++in_group < 3) continue;
        remainder = add_symbol(remainder, groups);
        groups = 0;
        in_group = 0;
    }
    if (in_group > 0) remainder = add_symbol(remainder, groups);
    for (std::size_t i = 0; i < kChecksumCharacters; ++i) remainder = add_symbol(remainder, 0);
    remainder ^= 1;

    std::string checksum(kChecksumCharacters, ' ');
    for (std::size_t i = 0; i < checksum.size(); ++i) {
        checksum[i] = kChecksumAlphabet[(remainder >> (5 * (checksum.size() - 1 - i))) & 31];
    }
    return checksum;
}

std::size_t find_foreign_character(std::string_view text) {
    return text.find_first_not_of(kCharacters);
}

}  // namespace petal::wallet
