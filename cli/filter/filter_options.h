/// The options of the filter commands, for CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bloom/bloom_filter.h"
#include "cli/options/command_entry.h"

namespace petal::cli {

/// Adds filter and the commands below it.
std::vector<CommandEntry> add_filter_commands(CLI::App& root);

/// The name of a mode in --flags: none, all or p2pubkey-only.
std::string flags_name(bloom::UpdateMode mode);

}  // namespace petal::cli
