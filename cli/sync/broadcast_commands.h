/// The command that announces a transaction.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/sync/peer_source.h"
#include "net/io/broadcast_client.h"

namespace petal::cli {

struct BroadcastCommandOptions {
    std::string transaction;  ///< hexadecimal, the name of a file, or `-`
    ConnectionOptions connection;
};

/// Announces a transaction, as `broadcast` does, with its progress on standard error.
/// ancestors   see net::BroadcastOptions
net::BroadcastResult announce(chain::OwnTransaction own,
                              std::vector<chain::OwnTransaction> ancestors,
                              const ConnectionOptions& connection, const GlobalOptions& global,
                              Console& console);

/// Adds broadcast.
std::vector<CommandEntry> add_broadcast_commands(CLI::App& root);

}  // namespace petal::cli
