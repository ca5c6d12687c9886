/// The help of bitcoind's options.
#pragma once

#include <string_view>

namespace petal::regtest::front {

struct OptionHelp {
    std::string_view name;   ///< without dashes
    std::string_view value;  ///< such as `<n>`. Empty for an option that is on or off
    std::string_view text;   ///< one line
};

/// Null for an unknown option. All options of option_table.h have a help.
const OptionHelp* find_option_help(std::string_view name);

}  // namespace petal::regtest::front
