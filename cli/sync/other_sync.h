/// A wallet that another process syncs.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/sync/sync_commands.h"
#include "cli/terminal/console.h"
#include "client/data/sync_standing.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// Why another process's sync makes no progress: the rest of a sentence that starts with the sync,
/// such as "has no peer". Empty without trouble.
std::string trouble_sentence(const client::SyncStanding& standing);

/// A state that a command waits for after the last block is searched.
struct AwaitedState {
    std::function<bool(const wallet::Wallet&)> is_reached;
    /// States the missing part while it is not reached: "the wallet is synced to block 5 of 7".
    std::function<std::string(const wallet::Wallet&)> missing;
};

/// Opens the wallet for a sync. While another process syncs the wallet, waits. Returns nothing when
/// the other process has reached the goal of client::OtherSync::look(), with the state `awaited`.
/// Throws CommandError after --timeout, on a signal and, without a timeout and without `awaited`,
/// if the other process makes no progress. Warns of options that only have an effect on an own
/// sync. Deducts the time waited from the timeout in `options`.
std::optional<wallet::Wallet> open_or_await_other(SyncCommandOptions& options,
                                                  const GlobalOptions& global,
                                                  const AwaitedState* awaited, Console& console);

}  // namespace petal::cli
