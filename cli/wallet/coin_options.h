/// The options of the commands about a wallet's coins and addresses, told to CLI11.
#pragma once

#include <vector>

#include "cli/options/command_entry.h"

namespace petal::cli {

/// Adds balance, utxos, history, tx, addresses, receive and label.
std::vector<CommandEntry> add_coin_commands(CLI::App& root);

CommandEntry add_abandon(CLI::App& root);

}  // namespace petal::cli
