/// The command that announces a transaction.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/sync/peer_source.h"

namespace petal::cli {

struct BroadcastCommandOptions {
    std::string transaction;  ///< hexadecimal, the name of a file, or `-`
    ConnectionOptions connection;
};

/// Adds broadcast.
std::vector<CommandEntry> add_broadcast_commands(CLI::App& root);

}  // namespace petal::cli
