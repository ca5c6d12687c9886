/// Descriptions of a wallet: the commands `info` and `wallets`, and parts for further commands.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <string>

#include "cli/options/options.h"
#include "cli/secrets/secret_input.h"
#include "cli/terminal/console.h"
#include "cli/text/json.h"
#include "wallet/wallet.h"

namespace petal::cli {

struct InfoOptions {
    bool with_private_keys = false;
    bool yes = false;  ///< without a question
    /// A path below the master key. If set, the extended public key of the path is printed instead.
    std::optional<std::vector<std::uint32_t>> key_path;
    SecretFile password_file;
};

/// The keys, descriptors and birthday of a wallet.
Json wallet_json(const wallet::WalletInfo& info, const GlobalOptions& global);
/// wallet_json() and how far the wallet is synced.
Json info_json(const wallet::WalletInfo& info, const GlobalOptions& global);
/// The lines about keys, birthday and file, without descriptors.
std::string wallet_lines(const wallet::WalletInfo& info, const GlobalOptions& global);
/// A line for each descriptor.
std::string descriptor_lines(const wallet::WalletInfo& info);
std::string wallet_title(const GlobalOptions& global, const Console& console);
/// Warns if a second wallet of the network has the words and account, or a descriptor, of the
/// wallet that the options name. Two wallets with the same keys give the same addresses to
/// different payers. Skips wallets that can't be opened.
void warn_of_shared_keys(const wallet::WalletInfo& info, const GlobalOptions& global,
                         Console& console);

// Each function writes a result to the console's standard output: text, or one JSON object with
// --json. Throws CommandError or wallet::WalletError.

void run_info(const InfoOptions& options, const GlobalOptions& global, Console& console);
void run_wallets(const GlobalOptions& global, Console& console);

}  // namespace petal::cli
