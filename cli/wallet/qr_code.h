/// QR codes on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace petal::cli {

/// How light and dark modules differ.
enum class QrColours : std::uint8_t {
    fixed,  ///< black on white by a terminal's colour codes: the same on every background
    none,   ///< only light modules are drawn: right on a dark background, and inverted on a light
            ///< one, which most readers accept, too
};

/// The text as a QR code of UTF-8 half blocks with its quiet zone, two rows of modules a line;
/// empty if the text is too long for one.
std::optional<std::string> qr_code(std::string_view text, QrColours colours);

/// How many columns of a terminal a code of qr_code() takes.
std::size_t qr_code_columns(std::string_view code);

}  // namespace petal::cli
