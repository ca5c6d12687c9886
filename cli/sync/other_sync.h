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

/// Why another process's sync makes no progress, as the rest of a sentence about the sync: "has no
/// peer". Empty without trouble.
std::string trouble_sentence(const client::SyncStanding& standing);

/// A state that a command waits for after the last block is searched.
struct AwaitedState {
    std::function<bool(const wallet::Wallet&)> is_reached;
    /// Tells what is missing until the state is reached: "the wallet is synced to block 5 of 7".
    std::function<std::string(const wallet::Wallet&)> missing;
};

/// Opens the wallet for a sync. If another process syncs the wallet, warns of options that have no
/// effect on that process's sync, and waits until:
/// - the process ends. Returns the wallet. The time of waiting is deducted from the timeout in
///   `options`.
/// - the process reaches the goal of client::OtherSync::look() and the state `awaited`. Returns
///   nothing.
/// - --timeout is over, or a signal arrives. Throws CommandError.
/// - the process makes no progress, if there is no timeout and no `awaited`. Throws CommandError.
std::optional<wallet::Wallet> open_or_await_other(SyncCommandOptions& options,
                                                  const GlobalOptions& global,
                                                  const AwaitedState* awaited, Console& console);

}  // namespace petal::cli
