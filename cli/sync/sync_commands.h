/// The commands that sync: `sync` and `wait`.
#pragma once

#include "cli/console.h"
#include "cli/options/options.h"
#include "cli/sync/sync_report.h"

namespace petal::cli {

/// Syncs the wallet that the options name, showing its progress. Throws CommandError where that did
/// not succeed, after everything verified was saved.
SyncReport sync_wallet(const SyncCommandOptions& options, const GlobalOptions& global,
                       Console& console);

/// sync_wallet(), and its report on standard output.
void run_sync(const SyncCommandOptions& options, const GlobalOptions& global, Console& console);

/// Syncs and follows the chain until what the options name has happened.
void run_wait(const WaitOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
