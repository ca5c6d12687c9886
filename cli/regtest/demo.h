/// `petal demo`: node, chain, wallet and sync in one process.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/options/command_entry.h"

namespace petal::cli {

struct DemoOptions {
    std::uint32_t blocks = 0;
    std::optional<std::uint16_t> serve;  ///< keeps serving the chain at this port
};

std::vector<CommandEntry> add_demo_commands(CLI::App& root);

}  // namespace petal::cli
