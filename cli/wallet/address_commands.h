/// Commands about a wallet's addresses and its labels.
#pragma once

#include <string>

#include "chain/bytes.h"
#include "chain/network_params.h"
#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

/// The scriptPubKey of an address that the user gave. Throws CommandError (bad-address).
chain::Bytes script_of(const std::string& address, const chain::NetworkParams& network);

// Each writes its result to the console's standard output: text, or one JSON object with --json.
// They throw CommandError or wallet::WalletError.

void run_addresses(const AddressesOptions& options, const GlobalOptions& global, Console& console);
void run_receive(const ReceiveOptions& options, const GlobalOptions& global, Console& console);
void run_label(const LabelOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
