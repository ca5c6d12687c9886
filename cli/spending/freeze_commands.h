/// Commands that keep payments from spending a coin.
#pragma once

#include <vector>

#include "chain/transaction.h"
#include "cli/options/command_entry.h"
#include "cli/options/given_txid.h"

namespace petal::cli {

struct FreezeOptions {
    std::vector<GivenOutpoint> coins;
    bool is_frozen = true;  ///< the new state of the coin
};

/// Adds freeze and unfreeze.
std::vector<CommandEntry> add_freeze_commands(CLI::App& root);

}  // namespace petal::cli
