/// The list of petal's commands.
#pragma once

#include <span>

#include "cli/options/command_entry.h"

namespace petal::cli {

/// Every command, in the order in which the help lists them.
std::span<const CommandSet> all_command_sets();

}  // namespace petal::cli
