/// The options of commands that connect to nodes, and the commands that sync, for CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

#include "cli/options/command_entry.h"
#include "client/sync/peer_source.h"

namespace petal::cli {

/// Adds --connect, --peers, --proxy, --onion-only, --dns-seed and --timeout. The returned function
/// reads them after parsing; it throws CommandError if they contradict each other.
/// timeout   what happens after the time, for the help
std::function<client::ConnectionOptions(const GlobalOptions&)> add_connection_options(
    CLI::App* app, const char* timeout);

/// Adds --proxy, --onion-only, --dns-seed and --timeout, for a command that connects to found nodes
/// alone. Otherwise like add_connection_options().
std::function<client::ConnectionOptions(const GlobalOptions&)> add_search_options(
    CLI::App* app, const char* timeout);

/// Adds sync and wait.
std::vector<CommandEntry> add_sync_commands(CLI::App& root);

}  // namespace petal::cli
