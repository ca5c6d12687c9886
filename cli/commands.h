/// The list of petal's commands.
#pragma once

#include <vector>

#include "cli/options/command_entry.h"

namespace petal::cli {

/// Adds every command, in the order in which the help lists them (AddCommands).
std::vector<CommandEntry> add_all_commands(CLI::App& root);

}  // namespace petal::cli
