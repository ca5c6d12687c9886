#include "regtest/wallets/wallet_set.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "regtest/wallets/wallet_names.h"
#include "wallet/store/wallet_error.h"

namespace petal::regtest::wallets {
namespace {

using Kind = WalletSetError::Kind;

constexpr const char* kUnverified = "Wallet file verification failed. ";

std::string quoted(const std::filesystem::path& path) {
    return "'" + path.string() + "'";
}

/// Calls `open`. Turns an error of the files into a WalletSetError.
template <typename Open>
std::unique_ptr<NamedWallet> open_files(Open open) {
    try {
        return open();
    } catch (const wallet::WalletError& error) {
        throw WalletSetError(Kind::failed, kUnverified + std::string(error.what()));
    } catch (const std::system_error& error) {
        throw WalletSetError(Kind::failed, kUnverified + std::string(error.what()));
    }
}

}  // namespace

WalletSet::WalletSet(WalletOptions options, WalletChain& chain)
    : options_(std::move(options)), chain_(chain) {}

NamedWallet* WalletSet::find(const std::string& name) const {
    const auto found = std::ranges::find(loaded_, name, &NamedWallet::name);
    return found == loaded_.end() ? nullptr : found->get();
}

std::filesystem::path WalletSet::folder_of(const std::string& name) const {
    if (const auto fault = find_name_fault(name)) {
        throw WalletSetError(Kind::wrong_name, kUnverified + *fault);
    }
    return name.empty() ? options_.folder : options_.folder / name;
}

NamedWallet& WalletSet::add(std::unique_ptr<NamedWallet> wallet, std::optional<bool> at_start) {
    loaded_.push_back(std::move(wallet));
    NamedWallet& added = *loaded_.back();
    if (at_start) options_.set_startup(added.name(), *at_start);
    return added;
}

NamedWallet& WalletSet::create(const std::string& name, const WalletFlags& flags,
                               std::string_view passphrase, std::optional<bool> at_start) {
    if (name.empty()) throw WalletSetError(Kind::empty_name, "Wallet name cannot be empty");
    const auto folder = folder_of(name);
    if (is_wallet_folder(folder)) {
        throw WalletSetError(Kind::failed,
                             kUnverified + ("Failed to create database path " + quoted(folder)) +
                                 ". Database already exists.");
    }
    return add(
        open_files([&] { return NamedWallet::create(name, folder, flags, passphrase, chain_); }),
        at_start);
}

NamedWallet& WalletSet::load(const std::string& name, std::optional<bool> at_start) {
    if (find(name) != nullptr) {
        throw WalletSetError(Kind::already_loaded, "Wallet \"" + name + "\" is already loaded.");
    }
    const auto folder = folder_of(name);
    const std::string failed = kUnverified + ("Failed to load database path " + quoted(folder));
    std::error_code ignored;  // what can't be read does not exist here
    if (!std::filesystem::exists(folder, ignored)) {
        throw WalletSetError(Kind::not_found, failed + ". Path does not exist.");
    }
    if (!is_wallet_folder(folder)) {
        throw WalletSetError(Kind::not_found, failed + ". Data is not in recognized format.");
    }
    return add(open_files([&] { return NamedWallet::open(name, folder, chain_); }), at_start);
}

NamedWallet& WalletSet::restore(const std::string& name, const std::filesystem::path& backup,
                                std::optional<bool> at_start) {
    if (name.empty()) throw WalletSetError(Kind::empty_name, "Wallet name cannot be empty");
    const auto folder = folder_of(name);
    std::error_code ignored;  // what can't be read is no backup
    if (!std::filesystem::is_regular_file(backup, ignored)) {
        throw WalletSetError(Kind::wrong_backup, "Backup file does not exist");
    }
    if (std::filesystem::exists(folder, ignored)) {
        throw WalletSetError(
            Kind::already_exists,
            "Failed to restore wallet. Database file exists " + quoted(folder) + ".");
    }
    return add(open_files([&] {
                   NamedWallet::restore(folder, backup);
                   return NamedWallet::open(name, folder, chain_);
               }),
               at_start);
}

void WalletSet::unload(const std::string& name, std::optional<bool> at_start) {
    std::erase_if(loaded_, [&](const auto& wallet) { return wallet->name() == name; });
    if (at_start) options_.set_startup(name, *at_start);
}

void WalletSet::follow() {
    for (const auto& wallet : loaded_) {
        for (const chain::Txid& txid : wallet->follow()) {
            if (options_.on_transaction) options_.on_transaction(wallet->name(), txid);
        }
    }
}

}  // namespace petal::regtest::wallets
