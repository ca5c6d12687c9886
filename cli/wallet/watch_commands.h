/// Commands that say what a wallet watches, and from which block on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chain/watcher.h"
#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

/// Of `watch` and `import`.
struct WatchOptions {
    std::vector<std::string> descriptors;  ///< or what else wallet::parse_watchable() takes
    chain::Birthday birthday;
};

struct RescanOptions {
    std::optional<chain::Birthday> from;  ///< nothing: the wallet's birthday
};

// Each writes its result to the console's standard output: text, or one JSON object with --json.
// They throw CommandError or wallet::WalletError.

void run_watch(const WatchOptions& options, const GlobalOptions& global, Console& console);
void run_import(const WatchOptions& options, const GlobalOptions& global, Console& console);
void run_rescan(const RescanOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
