/// The text of bitcoin.conf.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chain/expected.h"

namespace petal::regtest::front {

/// The maximum size of a config file, in bytes.
inline constexpr std::size_t kMaxConfigBytes = 1'000'000;

/// A line `name=value`.
struct ConfigLine {
    std::string section;  ///< empty above the first section
    std::string name;     ///< without the section
    std::string value;
    std::size_t number = 0;  ///< of the line, from 1
};

struct ConfigText {
    std::vector<ConfigLine> lines;  ///< in the order of the file
    struct Section {
        std::string name;
        std::size_t number = 0;  ///< of the line that names it first
    };
    std::vector<Section> sections;
};

/// Splits the text into lines, like Bitcoin Core (GetConfigOptions). A `#` starts a comment, a line
/// `[NAME]` a section, and a name `SECTION.NAME` is in that section. Returns what is wrong, with
/// the number of the line: a line without `=`, an option with a leading dash, a `#` in an
/// rpcpassword, a NUL byte, or more than kMaxConfigBytes.
chain::Expected<ConfigText, std::string> parse_config(std::string_view text);

}  // namespace petal::regtest::front
