/// Commands about the peers that petal knows.
#pragma once

#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

void run_peers_list(const PeersListOptions& options, const GlobalOptions& global, Console& console);

/// Adds nodes that the user names.
void run_peers_add(const PeersAddOptions& options, const GlobalOptions& global, Console& console);

/// Forgets nodes.
void run_peers_remove(const PeersRemoveOptions& options, const GlobalOptions& global,
                      Console& console);

/// Bans hosts, for ever or for some days.
void run_peers_ban(const PeersBanOptions& options, const GlobalOptions& global, Console& console);

/// Lifts bans. Throws CommandError if a host is not banned.
void run_peers_unban(const PeersUnbanOptions& options, const GlobalOptions& global,
                     Console& console);

}  // namespace petal::cli
