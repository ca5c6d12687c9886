/// Commands about what a wallet holds and what became of it.
#pragma once

#include "cli/console.h"
#include "cli/json.h"
#include "cli/options/options.h"

namespace petal::cli {

// Each writes its result to the console's standard output: text, or one JSON object with --json.
// They throw CommandError or wallet::WalletError.

void run_balance(const GlobalOptions& global, Console& console);
void run_utxos(const UtxosOptions& options, const GlobalOptions& global, Console& console);
void run_history(const HistoryOptions& options, const GlobalOptions& global, Console& console);
void run_tx(const TransactionOptions& options, const GlobalOptions& global, Console& console);
void run_abandon(const AbandonOptions& options, const GlobalOptions& global, Console& console);

/// Puts a wallet's list out, and says on what chain it rests.
/// text   the same for people
void print_list(const char* key, Json list, const std::string& text, const wallet::Wallet& wallet,
                const GlobalOptions& global, Console& console);

}  // namespace petal::cli
