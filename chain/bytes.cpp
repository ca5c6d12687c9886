#include "chain/bytes.h"

#include <algorithm>

namespace petal::chain {

namespace {

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64Blanks = " \t\r\n\v\f";

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
    return std::nullopt;
}

}  // namespace

std::string to_hex(ByteView bytes) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const Byte byte : bytes) {
        hex.push_back(kDigits[byte >> 4U]);
        hex.push_back(kDigits[byte & 0x0fU]);
    }
    return hex;
}

std::optional<Bytes> from_hex(std::string_view hex) {
    if (hex.size() % 2 != 0) return std::nullopt;
    Bytes bytes;
    bytes.reserve(hex.size() / 2);
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        const auto high = hex_digit(hex[i]);
        const auto low = hex_digit(hex[i + 1]);
        if (!high || !low) return std::nullopt;
        bytes.push_back(static_cast<Byte>(*high << 4U | *low));
    }
    return bytes;
}

std::string to_base64(ByteView bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < count ? bytes[at + i] : 0U);
        for (std::size_t i = 0; i < 4; ++i) {
            text += i <= count ? kBase64Digits[group >> (18 - 6 * i) & 63] : '=';
        }
    }
    return text;
}

std::optional<Bytes> from_base64(std::string_view text) {
    Bytes bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    std::size_t digits = 0;
    std::size_t padding = 0;
    for (const char c : text) {
        if (kBase64Blanks.find(c) != kBase64Blanks.npos) continue;
        if (c == '=') {
            ++padding;
            continue;
        }
        const std::size_t digit = kBase64Digits.find(c);
        if (digit == kBase64Digits.npos || padding > 0) return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        if (++digits % 4 != 1) {
            const auto left = static_cast<unsigned>(6 - 2 * ((digits - 1) % 4));
            bytes.push_back(static_cast<Byte>(bits >> left));
            bits &= (1U << left) - 1;
        }
    }
    const std::size_t wanted = (4 - digits % 4) % 4;
    if (wanted == 3 || padding != wanted || bits != 0) return std::nullopt;
    return bytes;
}

}  // namespace petal::chain
