/// The options of commands that connect to nodes, and the commands about known peers.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/options/options.h"

namespace petal::cli {

/// Adds --connect, --peers, --proxy, --onion-only, --dns-seed and --timeout. What it returns reads
/// them once they were parsed; it throws CommandError where they don't go together.
/// timeout   what happens when the time is over, as the help tells it
std::function<ConnectionOptions(const GlobalOptions&)> add_connection_options(CLI::App* app,
                                                                              const char* timeout);

/// An option that may be given several times, with one value each time.
CLI::Option* repeatable(CLI::Option* option);

/// Adds an option whose value is a time.
CLI::Option* add_seconds(CLI::App* app, const char* name,
                         std::optional<std::chrono::milliseconds>& value, const char* description,
                         bool may_be_zero = false);

/// Adds `peers` and what belongs to it.
std::vector<CommandEntry> add_peers_commands(CLI::App* peers);

}  // namespace petal::cli
