/// The embedded regtest node as a command.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/regtest/rpc_access.h"

namespace petal::cli {

struct RegtestNodeOptions {
    std::uint16_t port = 0;
    std::optional<std::uint32_t> blocks;  ///< empty: 120, or more if the payments need more
    std::vector<std::string> pay;
    std::optional<std::chrono::milliseconds> mine_every;
    /// The time of the first block, Unix seconds. Empty: chosen so that the last block has the
    /// current time.
    std::optional<std::int64_t> start_time;
    std::uint32_t block_delay_ms = 0;
    std::vector<std::string> faults;
    std::string bind = "127.0.0.1";
    RpcOptions rpc;
};

/// Adds regtest-node.
std::vector<CommandEntry> add_node_commands(CLI::App& root);

}  // namespace petal::cli
