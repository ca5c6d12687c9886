#include "cli/data_folder.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "chain/storage/private_files.h"
#include "cli/command_error.h"
#include "cli/options/access_check.h"
#include "cli/options/advice.h"
#include "cli/options/option_values.h"
#include "cli/sync/sync_standing.h"
#include "cli/text.h"

namespace petal::cli {
namespace {

constexpr std::string_view kWalletSuffix = ".db";

std::filesystem::path network_folder(const GlobalOptions& global) {
    if (global.data_dir.empty()) {
        throw usage_error("there is no home directory; say where with --datadir DIR");
    }
    return global.data_dir / global.network->name;
}

std::filesystem::path wallets_folder(const GlobalOptions& global) {
    return network_folder(global) / "wallets";
}

CommandError unusable(const std::filesystem::path& folder, const std::string& why) {
    return {ExitStatus::failed, "unusable-data-directory",
            "the data directory can't be used: " + printable(folder.string()) + ": " + why +
                "; choose another with --datadir"};
}

}  // namespace

std::filesystem::path default_data_dir() {
    const auto variable = [](const char* name) -> std::string {
        const char* value = std::getenv(name);
        return value == nullptr ? "" : value;
    };
    const std::filesystem::path data_home = variable("XDG_DATA_HOME");
    // The XDG specification wants relative paths ignored.
    if (data_home.is_absolute()) return data_home / "petal";
    const std::filesystem::path home = variable("HOME");
    if (home.empty()) return {};
    return home / ".local" / "share" / "petal";
}

std::array<std::filesystem::path, 3> data_folders(const GlobalOptions& global) {
    return {global.data_dir, network_folder(global), wallets_folder(global)};
}

std::filesystem::path wallet_file(const GlobalOptions& global, const std::string& wallet) {
    return wallets_folder(global) / (wallet + std::string(kWalletSuffix));
}

std::filesystem::path header_file(const GlobalOptions& global) {
    return network_folder(global) / "headers.dat";
}

std::filesystem::path peer_file(const GlobalOptions& global) {
    return network_folder(global) / "peers.db";
}

std::filesystem::path fee_floor_file(const GlobalOptions& global) {
    return network_folder(global) / "fee-floor.json";
}

std::vector<std::string> wallet_names(const GlobalOptions& global) {
    const std::filesystem::path folder = wallets_folder(global);
    std::error_code error;
    std::filesystem::directory_iterator entry(folder, error);
    if (error == std::errc::no_such_file_or_directory) return {};
    if (error) throw unusable(folder, error.message());

    std::vector<std::string> names;
    for (; entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
        std::string name = entry->path().filename().string();
        if (!name.ends_with(kWalletSuffix)) continue;
        name.resize(name.size() - kWalletSuffix.size());
        if (is_wallet_name(name)) names.push_back(std::move(name));
    }
    if (error) throw unusable(folder, error.message());
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<NetworkWallets> wallets_of_other_networks(const GlobalOptions& global) {
    std::vector<NetworkWallets> found;
    for (const chain::NetworkParams& network : chain::all_networks()) {
        if (network.name == global.network->name) continue;
        GlobalOptions other = global;
        other.network = table_network(network.name);
        try {
            NetworkWallets wallets{std::string(network.name), wallet_names(other)};
            if (!wallets.names.empty()) found.push_back(std::move(wallets));
        } catch (const CommandError&) {
            continue;  // a note on other networks is no reason to fail
        }
    }
    return found;
}

void check_data_folder(const GlobalOptions& global) {
    for (const auto& folder : data_folders(global)) {
        std::error_code error;
        const auto status = std::filesystem::status(folder, error);
        if (status.type() == std::filesystem::file_type::not_found) {
            std::error_code ignored;
            // What a link leads to may not be mounted.
            if (std::filesystem::is_symlink(folder, ignored)) {
                throw unusable(folder, "it is a link that leads nowhere");
            }
            if (error == std::errc::not_a_directory) throw unusable(folder, error.message());
            return;
        }
        if (status.type() == std::filesystem::file_type::none)
            throw unusable(folder, error.message());
        if (!std::filesystem::is_directory(status)) throw unusable(folder, "it is a file");
    }
}

void make_network_folder(const GlobalOptions& global) {
    try {
        chain::make_private_folders(network_folder(global));
    } catch (const std::system_error& error) {
        throw unusable(network_folder(global), error.code().message());
    }
    // Another user may have made one of them meanwhile.
    refuse_unsafe_folders(global);
}

namespace {

/// Where else there is a wallet of this name, as part of a sentence; empty if there is none.
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

}  // namespace

void check_wallet_exists(const GlobalOptions& global) {
    check_data_folder(global);
    const std::filesystem::path file = wallet_file(global, global.wallet);
    std::error_code unreadable;
    if (!std::filesystem::exists(file, unreadable) && !unreadable) {
        throw CommandError(ExitStatus::wallet, "wallet-missing",
                           "there is no wallet '" + global.wallet + "' on " + global.network->name +
                               same_name_elsewhere(global) + "; " + advised("create", global) +
                               " makes one, " + advised("wallets", without_missing_wallet(global)) +
                               " lists those that are there");
    }
}

wallet::Wallet open_wallet(const GlobalOptions& global, wallet::Access access) {
    check_wallet_exists(global);
    const std::filesystem::path file = wallet_file(global, global.wallet);
    auto wallet = wallet::Wallet::open(file, *global.network, access);
    // No other process syncs the wallet now: an existing standing is of a killed sync.
    if (access == wallet::Access::sync) remove_standing(file);
    return wallet;
}

}  // namespace petal::cli
