/// Breaks texts into lines that fit a terminal.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace petal::cli {

/// The number of columns if there is no terminal.
inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

/// Breaks the lines that take more than `columns` at blanks. The further lines are indented as the
/// first one or, if the line is a name with a text behind two blanks or more, as the text:
///
///     synced          block 2,000 of 2,100,
///                     41 minutes ago
///
/// A word that does not fit beside the name goes below it. A word that is wider than the terminal
/// is not broken, nor is a number parted from its unit. Neither is a command in backquotes that
/// fits a line, so that it can be copied. Escape sequences of a terminal take no columns.
std::string wrap(std::string_view text, std::size_t columns);

/// The text if it takes at most `columns`. Otherwise its first words that fit, with `…`. The text
/// has no escape sequences.
std::string cut_at_word(std::string_view text, std::size_t columns);

}  // namespace petal::cli
