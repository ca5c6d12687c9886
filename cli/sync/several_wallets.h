/// `sync` of several wallets at once.
#pragma once

#include "cli/options/options.h"
#include "cli/sync/sync_commands.h"
#include "cli/terminal/console.h"

namespace petal::cli {

/// Syncs the wallets that the options name at the same time (client::SyncGroup). Reports the
/// failure of a wallet with the wallet's name, and continues with the remaining wallets. If wallets
/// failed, finally throws CommandError with the highest exit status of the failures.
void sync_several(const SyncCommandOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
