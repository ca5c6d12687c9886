/// Byte strings, and texts of bytes and of numbers.
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

/// Lower-case hexadecimal, two digits a byte, in the order of the bytes.
std::string to_hex(ByteView bytes);

/// The bytes of the hexadecimal text `hex`, in either case; empty for an odd length or any other
/// character.
std::optional<Bytes> from_hex(std::string_view hex);

/// Base64 with padding, on one line (RFC 4648).
std::string to_base64(ByteView bytes);

/// The bytes of a base64 text. White space is skipped. Empty for any other character, for wrong
/// padding, and for nonzero bits after the last byte, so that texts with the same bytes differ only
/// in white space.
std::optional<Bytes> from_base64(std::string_view text);

/// Reads the whole text as a number, as std::from_chars does: no white space and no plus sign; for
/// floating point, also "inf" and "nan". Empty for any other text, and for a number out of range.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

/// The bytes of a text, without a terminating zero. The view lives as long as the text does.
inline ByteView as_bytes(std::string_view text) {
    return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

}  // namespace petal::chain
