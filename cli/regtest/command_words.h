/// The words of a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petal::cli {

/// Splits a line at its blanks. A word that starts with a quote ends with it, as in a shell: within
/// single quotes all characters are literal, within double ones `\"` and `\\` mean `"` and `\`. A
/// word that starts with a bracket or a brace is JSON, and ends with its closing bracket. Within
/// other words, quotes and brackets are ordinary characters (descriptors have them). Throws
/// CommandError with ExitStatus::usage for an unclosed quote, or one within a word.
std::vector<std::string> split_words(std::string_view line);

}  // namespace petal::cli
