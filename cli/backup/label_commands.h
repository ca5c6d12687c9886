/// Commands that exchange labels with other wallets (BIP329).
#pragma once

#include <vector>

#include "cli/options/command_entry.h"

namespace petal::cli {

/// Adds labels and the commands below it.
std::vector<CommandEntry> add_label_commands(CLI::App& root);

}  // namespace petal::cli
