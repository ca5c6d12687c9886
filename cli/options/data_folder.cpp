#include "cli/options/data_folder.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "cli/options/access_check.h"
#include "cli/options/advice.h"
#include "cli/options/option_values.h"
#include "cli/text/text.h"

namespace petal::cli {

std::filesystem::path default_data_dir() {
    const auto variable = [](const char* name) -> std::string {
        const char* value = std::getenv(name);
        return value == nullptr ? "" : value;
    };
    const std::filesystem::path data_home = variable("XDG_DATA_HOME");
    // The XDG specification says that relative paths are ignored.
    if (data_home.is_absolute()) return data_home / "petal";
    const std::filesystem::path home = variable("HOME");
    if (home.empty()) return {};
    return home / ".local" / "share" / "petal";
}

client::DataFolder data_of(const GlobalOptions& global) {
    if (global.data_dir.empty()) {
        throw usage_error("there is no home directory; say where with --datadir DIR");
    }
    return {global.data_dir, global.network};
}

std::filesystem::path wallet_file(const GlobalOptions& global) {
    return data_of(global).wallet_file(global.wallet);
}

CommandError command_error(const client::DataFolderError& error) {
    return {ExitStatus::failed, "unusable-data-directory",
            "the data directory can't be used: " + printable(error.folder().string()) + ": " +
                error.reason() + "; choose another with --datadir"};
}

std::vector<NetworkWallets> wallets_of_other_networks(const GlobalOptions& global) {
    std::vector<NetworkWallets> found;
    for (const chain::NetworkParams& network : chain::all_networks()) {
        if (network.name == global.network->name) continue;
        GlobalOptions other = global;
        other.network = table_network(network.name);
        try {
            NetworkWallets wallets{std::string(network.name), data_of(other).wallet_names()};
            if (!wallets.names.empty()) found.push_back(std::move(wallets));
        } catch (const client::DataFolderError&) {
            continue;  // a note on further networks is no reason to fail
        }
    }
    return found;
}

void make_network_folder(const GlobalOptions& global) {
    data_of(global).make();
    // A different user may have made one of the folders meanwhile.
    refuse_unsafe_folders(global);
}

namespace {

/// The further networks with a wallet of this name, as part of a sentence. Empty if there is none.
std::string same_name_elsewhere(const GlobalOptions& global) {
    std::vector<std::string> networks;
    for (const NetworkWallets& other : wallets_of_other_networks(global)) {
        if (std::ranges::count(other.names, global.wallet) > 0) {
            networks.push_back(other.network);
        }
    }
    if (networks.empty()) return {};
    return ", but there is one on " + comma_list(networks) + " (--network " + networks.front() +
           ")";
}

CommandError missing_wallet(const GlobalOptions& global) {
    return {ExitStatus::wallet, "wallet-missing",
            "there is no wallet '" + global.wallet + "' on " + global.network->name +
                same_name_elsewhere(global) + "; " + advised("create", global) + " makes one, " +
                advised("wallets", without_missing_wallet(global)) + " lists those that are there"};
}

}  // namespace

void check_wallet_exists(const GlobalOptions& global) {
    data_of(global).check();
    std::error_code unreadable;
    const bool exists = std::filesystem::exists(wallet_file(global), unreadable);
    if (!exists && !unreadable) throw missing_wallet(global);
}

wallet::Wallet open_wallet(const GlobalOptions& global, wallet::Access access) {
    try {
        return data_of(global).open_wallet(global.wallet, access);
    } catch (const wallet::WalletError& error) {
        if (error.kind() != wallet::WalletError::Kind::missing) throw;
        throw missing_wallet(global);
    }
}

}  // namespace petal::cli
