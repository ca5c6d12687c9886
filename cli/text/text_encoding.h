/// Reads the texts of other programs: UTF-8 with or without a byte order mark, or UTF-16.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chain/expected.h"

namespace petal::cli {

/// Why bytes are no text.
enum class TextFault : std::uint8_t {
    nul,                 ///< a zero byte: a binary file, or UTF-16 without a byte order mark
    unpaired_surrogate,  ///< UTF-16: half of a character
    cut_off,             ///< UTF-16: the text ends within a character
};

/// One line about the text: "it has a NUL character, …".
std::string_view describe(TextFault fault);

/// Whether the bytes begin with a byte order mark of UTF-8 or UTF-16.
bool has_byte_order_mark(std::string_view bytes);

/// Converts a text that arrives in pieces to UTF-8 without a byte order mark. A text that begins
/// with a byte order mark of UTF-16 (RFC 2781) is converted. Any other text counts as UTF-8: all
/// bytes stay unchanged, even invalid bytes. Line ends and blanks stay too.
class TextDecoder {
public:
    /// Appends the decoded piece to `text`. After a fault, no more pieces may follow.
    /// text   std::string or wallet::SecretString
    template <typename Text>
    std::optional<TextFault> take(std::string_view piece, Text& text);

    /// Call this after the last piece.
    template <typename Text>
    std::optional<TextFault> finish(Text& text);

private:
    enum class Encoding : std::uint8_t { unknown, utf8, utf16_big_endian, utf16_little_endian };

    /// Removes bytes from the piece until the encoding is known.
    void take_mark(std::string_view& piece);

    template <typename Text>
    std::optional<TextFault> take_unit(char16_t unit, Text& text);

    Encoding encoding_ = Encoding::unknown;
    std::string mark_;              // the first bytes, which may be the start of a byte order mark
    std::optional<char> half_;      // the first byte of a unit
    std::optional<char16_t> high_;  // the first unit of a surrogate pair
};

/// The text of a whole file, as TextDecoder converts it, with LF line ends instead of CR LF.
chain::Expected<std::string, TextFault> text_of(std::string_view bytes);

/// The text without blanks, tabs and line ends at the start and the end.
std::string_view without_outer_blanks(std::string_view text);

}  // namespace petal::cli
