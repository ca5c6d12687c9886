/// Breaks texts into lines that fit a terminal.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace petal::cli {

/// The number of columns if there is no terminal.
inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

/// Breaks the lines that take more than `columns` at blanks. Further lines have the indentation of
/// the first line. After a name and at least two blanks, further lines have the indentation of the
/// text behind the blanks:
///
///     synced          block 2,000 of 2,100,
///                     41 minutes ago
///
/// A word that does not fit beside the name goes below the name. Escape sequences of a terminal
/// take no columns. Never broken:
/// - a word, even if the word is wider than the terminal
/// - a number and the unit behind
/// - a command in backquotes that fits a line, so that the user can copy the command
std::string wrap(std::string_view text, std::size_t columns);

/// The text if it takes at most `columns`. Otherwise the first words that fit, with `…`. The text
/// must have no escape sequences.
std::string cut_at_word(std::string_view text, std::size_t columns);

}  // namespace petal::cli
