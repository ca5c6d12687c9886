/// Commands that set what a wallet watches, and from which block on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chain/watcher.h"
#include "cli/options/options.h"
#include "cli/terminal/console.h"

namespace petal::cli {

/// The options of `watch` and `import`.
struct WatchOptions {
    std::vector<std::string> descriptors;  ///< or any text for parse_watchable()
    chain::Birthday birthday;
};

struct RescanOptions {
    std::optional<chain::Birthday> from;  ///< empty: the wallet's birthday
    bool yes = false;                     ///< without a question
};

// Each function writes a result to the console's standard output: text, or one JSON object with
// --json. Throws CommandError or wallet::WalletError.

void run_watch(const WatchOptions& options, const GlobalOptions& global, Console& console);
void run_import(const WatchOptions& options, const GlobalOptions& global, Console& console);
void run_rescan(const RescanOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
