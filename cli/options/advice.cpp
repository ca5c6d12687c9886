#include "cli/options/advice.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "cli/options/data_folder.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

/// The word as $'…', with an escape for each byte that is not printable ASCII.
std::string escaped_for_shell(const std::string& word) {
    std::string quoted = "$'";
    for (const char c : word) {
        if (c >= ' ' && c <= '~') {
            if (c == '\'' || c == '\\') quoted += '\\';
            quoted += c;
            continue;
        }
        std::array<char, 8> octal{};
        std::snprintf(octal.data(), octal.size(), "\\%03o", static_cast<unsigned char>(c));
        quoted += octal.data();
    }
    return quoted + "'";
}

/// The text as one word of a POSIX shell.
std::string quoted_for_shell(const std::string& word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    if (printable(word, word.size()) != word) return escaped_for_shell(word);
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

GlobalOptions for_wallet(GlobalOptions global, const std::string& wallet) {
    const auto option = std::ranges::find(global.given, "--wallet");
    if (option != global.given.end()) global.given.erase(option, option + 2);
    global.given.insert(global.given.end(), {"--wallet", wallet});
    global.wallet = wallet;
    return global;
}

std::string advised(std::string_view command, const GlobalOptions& global,
                    const std::string& wallet) {
    return advised(command, for_wallet(global, wallet));
}

GlobalOptions without_missing_wallet(GlobalOptions global) {
    std::error_code ignored;
    const auto option = std::ranges::find(global.given, "--wallet");
    const auto status = std::filesystem::symlink_status(wallet_file(global), ignored);
    const bool is_missing = status.type() == std::filesystem::file_type::not_found;
    if (is_missing && option != global.given.end()) global.given.erase(option, option + 2);
    return global;
}

std::string if_made_anew(const GlobalOptions& global) {
    const bool is_regtest = global.network->name == "regtest";
    return std::string(is_regtest ? "if the node was started anew, with a chain of its own, "
                                  : "if its chain was made anew, ") +
           advised("headers reset", global) + " forgets the stored one";
}

}  // namespace petal::cli
