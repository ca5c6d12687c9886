/// The list of petal's commands.
#pragma once

#include <vector>

#include "cli/options/command_entry.h"

namespace petal::cli {

/// Adds every command to `root`, in the order in which the help lists them.
std::vector<CommandEntry> add_commands(CLI::App& root);

}  // namespace petal::cli
