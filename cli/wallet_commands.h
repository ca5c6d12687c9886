/// Commands that need a wallet and no network.
#pragma once

#include "cli/console.h"
#include "cli/options.h"

namespace petal::cli {

// Each writes its result to the console's standard output: text, or one JSON object with --json.
// They throw CommandError or wallet::WalletError.

void run_create(const CreateOptions& options, const GlobalOptions& global, Console& console);
void run_restore(const RestoreOptions& options, const GlobalOptions& global, Console& console);
void run_encrypt(const EncryptOptions& options, const GlobalOptions& global, Console& console);
void run_wallets(const GlobalOptions& global, Console& console);
void run_info(const GlobalOptions& global, Console& console);
void run_balance(const GlobalOptions& global, Console& console);
void run_utxos(const UtxosOptions& options, const GlobalOptions& global, Console& console);
void run_history(const HistoryOptions& options, const GlobalOptions& global, Console& console);
void run_addresses(const AddressesOptions& options, const GlobalOptions& global, Console& console);
void run_abandon(const AbandonOptions& options, const GlobalOptions& global, Console& console);
void run_receive(const ReceiveOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
