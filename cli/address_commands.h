/// Commands about a wallet's addresses and its labels.
#pragma once

#include "cli/console.h"
#include "cli/options.h"

namespace petal::cli {

// Each writes its result to the console's standard output: text, or one JSON object with --json.
// They throw CommandError or wallet::WalletError.

void run_addresses(const AddressesOptions& options, const GlobalOptions& global, Console& console);
void run_receive(const ReceiveOptions& options, const GlobalOptions& global, Console& console);
void run_label(const LabelOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
