/// The words of a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petal::cli {

/// Splits a line at its blanks. A word that starts with a quote ends with it, as in a shell: within
/// single quotes all is literal, within double ones `\"` and `\\` stand for `"` and `\`. A word
/// that starts with a bracket or a brace is JSON, and goes on until it is closed. In other words,
/// quotes and brackets are characters as others are (descriptors have them). Throws CommandError
/// with ExitStatus::usage for a quote that isn't closed, or is within a word.
std::vector<std::string> split_words(std::string_view line);

}  // namespace petal::cli
