/// Commands about a wallet's addresses and its labels.
#pragma once

#include <string>

#include "chain/bytes.h"
#include "cli/console.h"
#include "cli/options/options.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// The scriptPubKey of an address that the user gave. Throws CommandError: bad-address, and
/// not-in-wallet where the address is not the wallet's.
chain::Bytes own_script(const std::string& address, const wallet::Wallet& wallet,
                        const GlobalOptions& global);

// Each writes its result to the console's standard output: text, or one JSON object with --json.
// They throw CommandError or wallet::WalletError.

void run_addresses(const AddressesOptions& options, const GlobalOptions& global, Console& console);
void run_receive(const ReceiveOptions& options, const GlobalOptions& global, Console& console);
void run_label(const LabelOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
