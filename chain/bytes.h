/// Byte strings and their hexadecimal text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace petal::chain {

using Byte = std::uint8_t;
using Bytes = std::vector<Byte>;
using ByteView = std::span<const Byte>;

/// Lower-case hexadecimal, two digits a byte, in the order of the bytes.
std::string to_hex(ByteView bytes);

/// The bytes that `hex` spells, in either case; empty for an odd length or any other character.
std::optional<Bytes> from_hex(std::string_view hex);

/// The bytes of a text, without a terminating zero. The view lives as long as the text does.
inline ByteView as_bytes(std::string_view text) {
    return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

}  // namespace petal::chain
