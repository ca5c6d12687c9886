/// Commands about the peers that petal knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/command_entry.h"
#include "client/sync/peer_source.h"

namespace petal::cli {

struct PeersListOptions {
    bool all = false;                        ///< also those that were only heard of
    bool census = false;                     ///< take a census instead (run_census())
    client::ConnectionOptions connection{};  ///< of the census
};

/// Peers and hosts in the user's notation.
struct PeersAddOptions {
    std::vector<std::string> peers;
};

struct PeersRemoveOptions {
    std::vector<std::string> peers;
};

struct PeersBanOptions {
    std::vector<std::string> hosts;
    std::uint32_t days = 0;  ///< 0: without end
};

struct PeersUnbanOptions {
    std::vector<std::string> hosts;
};

/// Adds `peers` and its subcommands.
std::vector<CommandEntry> add_peer_commands(CLI::App& root);

}  // namespace petal::cli
