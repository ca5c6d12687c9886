#include "client/data/data_folder.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "chain/storage/private_files.h"
#include "client/data/filter_hosts.h"
#include "client/data/relay_node.h"
#include "client/data/sync_standing.h"

namespace petal::client {
namespace {

constexpr std::string_view kWalletSuffix = ".db";

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

DataFolderError refused(const std::filesystem::path& folder, const std::error_code& error) {
    return {DataFolderError::Kind::system, folder, error.message()};
}

}  // namespace

DataFolderError::DataFolderError(Kind kind, std::filesystem::path folder, const std::string& reason)
    : std::runtime_error("the data directory can't be used: " + folder.string() + ": " + reason),
      kind_(kind),
      folder_(std::move(folder)),
      reason_(reason) {}

bool is_wallet_name(std::string_view name) {
    constexpr std::size_t kMaxName = 64;
    if (name.empty() || name.size() > kMaxName || !is_letter_or_digit(name.front())) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
    });
}

DataFolder::DataFolder(std::filesystem::path root,
                       std::shared_ptr<const chain::NetworkParams> network)
    : root_(std::move(root)), network_(std::move(network)) {}

std::filesystem::path DataFolder::folder() const {
    return root_ / network_->name;
}

std::array<std::filesystem::path, 3> DataFolder::folders() const {
    return {root_, folder(), folder() / "wallets"};
}

std::filesystem::path DataFolder::wallet_file(const std::string& wallet) const {
    // Any other name might lead out of the folder.
    if (!is_wallet_name(wallet)) throw std::invalid_argument("not a name of a wallet");
    return folder() / "wallets" / (wallet + std::string(kWalletSuffix));
}

std::filesystem::path DataFolder::header_file() const {
    return folder() / "headers.dat";
}

std::filesystem::path DataFolder::peer_file() const {
    return folder() / "peers.db";
}

std::filesystem::path DataFolder::fee_floor_file() const {
    return folder() / "fee-floor.json";
}

std::vector<std::string> DataFolder::wallet_names() const {
    const std::filesystem::path wallets = folders().back();
    std::error_code error;
    std::filesystem::directory_iterator entry(wallets, error);
    if (error == std::errc::no_such_file_or_directory) return {};
    if (error) throw refused(wallets, error);

    std::vector<std::string> names;
    for (; entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
        std::string name = entry->path().filename().string();
        if (!name.ends_with(kWalletSuffix)) continue;
        name.resize(name.size() - kWalletSuffix.size());
        if (is_wallet_name(name)) names.push_back(std::move(name));
    }
    if (error) throw refused(wallets, error);
    std::sort(names.begin(), names.end());
    return names;
}

void DataFolder::check() const {
    using enum DataFolderError::Kind;
    for (const auto& folder : folders()) {
        std::error_code error;
        const auto status = std::filesystem::status(folder, error);
        if (status.type() == std::filesystem::file_type::not_found) {
            std::error_code ignored;
            // What a link leads to may not be mounted.
            if (std::filesystem::is_symlink(folder, ignored)) {
                throw DataFolderError(dangling_link, folder, "it is a link that leads nowhere");
            }
            if (error == std::errc::not_a_directory) throw refused(folder, error);
            return;
        }
        if (status.type() == std::filesystem::file_type::none) throw refused(folder, error);
        if (!std::filesystem::is_directory(status)) {
            throw DataFolderError(is_file, folder, "it is a file");
        }
    }
}

void DataFolder::make() const {
    try {
        chain::make_private_folders(folder());
    } catch (const std::system_error& error) {
        throw refused(folder(), error.code());
    }
}

wallet::Wallet DataFolder::open_wallet(const std::string& wallet, wallet::Access access) const {
    check();
    const std::filesystem::path file = wallet_file(wallet);
    auto opened = wallet::Wallet::open(file, *network_, access);
    // No other process syncs the wallet now: an existing standing is of a killed sync.
    if (access == wallet::Access::sync) remove_standing(file);
    return opened;
}

void DataFolder::rename_wallet(const std::string& wallet, const std::string& new_name) const {
    const std::filesystem::path file = wallet_file(wallet);
    const std::filesystem::path new_file = wallet_file(new_name);
    wallet::Wallet::rename(file, new_file, [&] {
        copy_filter_hosts(file, new_file);
        copy_relay_node(file, new_file);
    });
    remove_filter_hosts(file);
    remove_relay_node(file);
    remove_standing(file);
}

void DataFolder::remove_wallet(const std::string& wallet) const {
    const std::filesystem::path file = wallet_file(wallet);
    keep_filter_hosts(file);
    wallet::Wallet::remove(file);
    remove_standing(file);
    remove_filter_hosts(file);
    remove_relay_node(file);
}

}  // namespace petal::client
