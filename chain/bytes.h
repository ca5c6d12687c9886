/// Byte strings, and the text forms of bytes and numbers.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace petal::chain {

using Byte = std::uint8_t;
using Bytes = std::vector<Byte>;
using ByteView = std::span<const Byte>;

/// Lower-case hexadecimal, in the order of the bytes.
std::string to_hex(ByteView bytes);

/// Decodes hexadecimal digits of either case. Empty for an odd length or a character that is not a
/// digit.
std::optional<Bytes> from_hex(std::string_view hex);

/// Base64 with padding, on one line (RFC 4648).
std::string to_base64(ByteView bytes);

/// Decodes base64 and skips white space. Empty for invalid characters, wrong padding, and nonzero
/// bits after the last byte. Texts with equal bytes therefore differ only in white space.
std::optional<Bytes> from_base64(std::string_view text);

/// Reads the whole text as a number in the format of std::from_chars: no white space, no plus sign,
/// and "inf" and "nan" for floating point. Empty if the text is not a number or the number is out
/// of range.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

/// The bytes of a text, without a terminating zero. The view is valid as long as the text.
inline ByteView as_bytes(std::string_view text) {
    return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

}  // namespace petal::chain
