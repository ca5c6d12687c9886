/// Bytes that users write in hexadecimal.
#pragma once

#include <cstdint>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"

namespace petal::cli {

enum class HexError : std::uint8_t {
    empty,
    prefix,  ///< begins with 0x
    not_hex,
    odd_digits,
};

std::string_view describe(HexError error);

/// Reads hexadecimal digits, with spaces and line ends anywhere.
chain::Expected<chain::Bytes, HexError> parse_hex_text(std::string_view text);

/// Whether a file's content is only hexadecimal digits, spaces and line ends.
bool is_hex_text(std::string_view content);

}  // namespace petal::cli
