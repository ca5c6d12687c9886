/// Which commands there are and which options each takes, told to CLI11.
#pragma once

#include <vector>

#include "cli/options/command_entry.h"

namespace petal::cli {

/// Adds every command to `root`, in the order in which the help lists them.
std::vector<CommandEntry> add_commands(CLI::App& root);

}  // namespace petal::cli
