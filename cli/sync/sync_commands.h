/// The commands that sync: `sync` and `wait`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "cli/options/given_txid.h"
#include "cli/options/options.h"
#include "cli/sync/display/sync_display.h"
#include "cli/sync/text/sync_report.h"
#include "cli/terminal/console.h"
#include "client/sync/wallet_sync.h"

namespace petal::cli {

/// The wallets to sync, if several: all wallets of the network, or the wallets with these names.
struct SeveralWalletNames {
    bool all = false;
    std::vector<std::string> names;
};

struct SyncCommandOptions : client::WalletSyncOptions, DisplayOptions {
    bool explain = false;  ///< see Explanations
    SeveralWalletNames several;
};

/// The display of a sync that does not wait for an event.
SyncDisplay::Mode display_mode(const SyncCommandOptions& options);

/// Exactly one of address, txid and height is given.
struct WaitOptions {
    SyncCommandOptions sync;
    std::string address;
    chain::Satoshis amount = 1;  ///< minimum that the address has received
    std::optional<GivenTxid> txid;
    /// The minimum confirmations of the transaction, or of the payments to the address.
    std::uint32_t confirmations = 0;
    std::optional<std::uint32_t> height;
};

/// Syncs the wallet that the options name, and shows the progress. A failed sync saves everything
/// verified and throws CommandError.
client::SyncReport sync_wallet(const SyncCommandOptions& options, const GlobalOptions& global,
                               Console& console);

/// sync_wallet(), or sync_several() for several wallets, with a report on standard output.
void run_sync(const SyncCommandOptions& options, const GlobalOptions& global, Console& console);

/// Syncs and follows the chain until the event that the options name has happened.
void run_wait(const WaitOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
