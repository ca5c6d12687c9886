/// Which commands there are and which options each takes, told to CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

#include "cli/options.h"

namespace petal::cli {

/// A command as CLI11 knows it, and how its options are read once they were parsed.
struct CommandEntry {
    CLI::App* app = nullptr;
    /// Throws CommandError with ExitStatus::usage. Options belong to the entry: called once at
    /// most.
    std::function<Command(const GlobalOptions&)> read;
};

/// Adds every command to `root`, in the order in which the help lists them.
std::vector<CommandEntry> add_commands(CLI::App& root);

}  // namespace petal::cli
