/// The locations of a network's data on disk.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/options/options.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// The folder of all data unless the user names one; empty if there is no home.
std::filesystem::path default_data_dir();

/// The folder of all data, in it the network's, and in that the wallets'. This and the functions
/// below throw CommandError (usage) if there is no folder of all data.
std::array<std::filesystem::path, 3> data_folders(const GlobalOptions& global);

std::filesystem::path wallet_file(const GlobalOptions& global, const std::string& wallet);
std::filesystem::path header_file(const GlobalOptions& global);
std::filesystem::path peer_file(const GlobalOptions& global);
std::filesystem::path fee_floor_file(const GlobalOptions& global);

/// The names of the network's wallets, in alphabetical order; none if there is no folder yet.
std::vector<std::string> wallet_names(const GlobalOptions& global);

/// A network with its wallets.
struct NetworkWallets {
    std::string network;
    std::vector<std::string> names;
};

/// The other networks that have wallets in the same folder of all data. Networks whose folder can't
/// be read are left out.
std::vector<NetworkWallets> wallets_of_other_networks(const GlobalOptions& global);

/// Throws CommandError if the data directory can't be used, before other code fails because of it.
void check_data_folder(const GlobalOptions& global);

/// Creates the folder of the network's files, for their owner only. Throws CommandError, also as
/// refuse_unsafe_folders().
void make_network_folder(const GlobalOptions& global);

/// Throws CommandError if there is no wallet with the name in the options.
void check_wallet_exists(const GlobalOptions& global);

/// Opens the wallet that the options name. If there is none, the error says how to create it.
wallet::Wallet open_wallet(const GlobalOptions& global, wallet::Access access);

}  // namespace petal::cli
