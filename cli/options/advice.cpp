#include "cli/options/advice.h"

namespace petal::cli {
namespace {

/// As one word of a POSIX shell.
std::string quoted_for_shell(const std::string& word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

}  // namespace

std::string advised(std::string_view command, const GlobalOptions& global) {
    std::string line = "`petal ";
    for (const std::string& word : global.given) line += quoted_for_shell(word) + " ";
    return line + std::string(command) + "`";
}

}  // namespace petal::cli
