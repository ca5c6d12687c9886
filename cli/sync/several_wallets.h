/// `sync` of several wallets at once.
#pragma once

#include <cstddef>

#include "cli/console.h"
#include "cli/options/options.h"
#include "cli/sync/sync_commands.h"

namespace petal::cli {

/// How many peers each of several wallets may have, found for it alone, of `peers` in all: two at
/// least where there may be two, as a second one shows what the first leaves out.
std::size_t peers_for_each(std::size_t peers, std::size_t wallets);

/// Syncs the wallets that the options name, side by side: headers are fetched once, and no node
/// that the user did not name gets the filters of two wallets. Says of each wallet by its name how
/// it failed, and goes on with the others; throws CommandError at the end with the highest of their
/// exit statuses.
void sync_several(const SyncCommandOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
