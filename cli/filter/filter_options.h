/// The options of the filter commands, for CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/options/command_entry.h"

namespace petal::cli {

/// Adds filter and the commands below it.
std::vector<CommandEntry> add_filter_commands(CLI::App& root);

}  // namespace petal::cli
