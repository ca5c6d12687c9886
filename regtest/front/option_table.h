/// The options of bitcoind.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace petal::regtest::front {

/// What the regtest node does with an option of bitcoind.
enum class OptionUse : std::uint8_t {
    used,      ///< has an effect
    harmless,  ///< accepted without an effect: it tunes what this node does not have
    unserved,  ///< accepted without an effect, and a line in the log says so
    refused,   ///< an error: a test that relies on the option would test something else
};

struct OptionRow {
    std::string_view name;  ///< without dashes
    OptionUse use = OptionUse::harmless;
    std::string_view value;  ///< in the help, such as `<n>`. Empty for an option that is on or off
    std::string_view help;   ///< one line
    /// In a config file, valid for regtest only in the section `[regtest]` (Bitcoin Core:
    /// NETWORK_ONLY).
    bool needs_section = false;
    bool can_be_negated = true;  ///< whether `-noNAME` is accepted
};

/// All options, by name.
std::span<const OptionRow> all_options();
/// Null if there is no such option.
const OptionRow* find_option(std::string_view name);

}  // namespace petal::regtest::front
