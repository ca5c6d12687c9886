/// The data folder that the options name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "cli/text/command_error.h"
#include "client/data/data_folder.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// The folder of all data unless the user names one. Empty if there is no home.
std::filesystem::path default_data_dir();

/// Throws CommandError (usage) if there is no folder of all data.
client::DataFolder data_of(const GlobalOptions& global);

/// The file of the wallet that the options name.
std::filesystem::path wallet_file(const GlobalOptions& global);

/// The failure with the exit status, the word for programs, and advice.
CommandError command_error(const client::DataFolderError& error);

struct NetworkWallets {
    std::string network;
    std::vector<std::string> names;
};

/// All networks but the selected network that have wallets in the same folder of all data. A
/// network with an unreadable folder is left out.
std::vector<NetworkWallets> wallets_of_other_networks(const GlobalOptions& global);

/// Creates the folder of the network's files, accessible to the owner only. Throws
/// client::DataFolderError, and CommandError as refuse_unsafe_folders().
void make_network_folder(const GlobalOptions& global);

/// Throws CommandError if there is no wallet with the name in the options, and
/// client::DataFolderError.
void check_wallet_exists(const GlobalOptions& global);

/// client::DataFolder::open_wallet() of the wallet that the options name. If there is no wallet,
/// throws a CommandError that says how to create the wallet.
wallet::Wallet open_wallet(const GlobalOptions& global, wallet::Access access);

}  // namespace petal::cli
