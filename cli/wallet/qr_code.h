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
    fixed,  ///< black on white by a terminal's colour codes, on every background
    none,   ///< only light modules are drawn. On a light background, the code is inverted, which
            ///< most readers accept
};

/// The text as a QR code of UTF-8 half blocks, with the quiet zone, two rows of modules a line.
/// Empty if the text is too long for a QR code.
std::optional<std::string> qr_code(std::string_view text, QrColours colours);

/// The number of terminal columns that a code of qr_code() takes.
std::size_t qr_code_columns(std::string_view code);

}  // namespace petal::cli
