/// `petal demo`: everything at once, in one process.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/options/command_entry.h"

namespace petal::cli {

struct DemoOptions {
    std::uint32_t blocks = 0;
};

/// Adds demo.
std::vector<CommandEntry> add_demo_commands(CLI::App& root);

}  // namespace petal::cli
