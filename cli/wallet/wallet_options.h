/// The options of the commands that make and change wallets, for CLI11.
#pragma once

#include <vector>

#include "cli/options/command_entry.h"

namespace petal::cli {

/// Adds create, restore, check-words, watch, import, encrypt, wallets, info, rescan, rename and
/// delete.
std::vector<CommandEntry> add_wallet_commands(CLI::App& root);

}  // namespace petal::cli
