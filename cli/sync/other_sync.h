/// A wallet that another process syncs.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "cli/console.h"
#include "cli/options/options.h"
#include "cli/sync/sync_report.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// How long to wait for another process.
struct OtherSyncPatience {
    std::optional<std::chrono::milliseconds> timeout;  ///< of `--timeout`
    /// Without a timeout: how long the other process may make no progress; nothing for any time.
    std::optional<std::chrono::milliseconds> without_progress;
};

/// Opens the wallet for a sync. While another process syncs it, waits, and returns nothing once
/// that has reached what is wanted: the wallet is synced to the last stored header, and
/// `is_reached` says so of it. Throws CommandError where that takes too long, or a signal comes.
std::optional<wallet::Wallet> open_or_await_other(
    const GlobalOptions& global, const OtherSyncPatience& patience, Console& console,
    const std::function<bool(const wallet::Wallet&)>& is_reached);

/// What another process has reached, as it is stored: without peers or numbers of its run.
SyncReport report_of_other(const GlobalOptions& global, double seconds);

}  // namespace petal::cli
