/// Commands that make, change and list wallets.
#pragma once

#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

// Each writes its result to the console's standard output: text, or one JSON object with --json.
// They throw CommandError or wallet::WalletError.

void run_create(const CreateOptions& options, const GlobalOptions& global, Console& console);
void run_restore(const RestoreOptions& options, const GlobalOptions& global, Console& console);
void run_encrypt(const EncryptOptions& options, const GlobalOptions& global, Console& console);
void run_wallets(const GlobalOptions& global, Console& console);
void run_rescan(const RescanOptions& options, const GlobalOptions& global, Console& console);
void run_rename(const RenameOptions& options, const GlobalOptions& global, Console& console);
void run_delete(const DeleteOptions& options, const GlobalOptions& global, Console& console);
void run_info(const GlobalOptions& global, Console& console);

}  // namespace petal::cli
