#include "regtest/wallets/named_wallet.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "chain/network_params.h"
#include "regtest/wallets/new_keys.h"
#include "regtest/wallets/wallet_names.h"
#include "wallet/store/wallet_error.h"
#include "wallet/wallet_backup.h"

namespace petal::regtest::wallets {
namespace {

namespace fs = std::filesystem;
using wallet::WalletError;

constexpr const char* kNoPrivateKeys = "disable_private_keys";
constexpr const char* kBlank = "blank";
constexpr const char* kAvoidReuse = "avoid_reuse";

/// Few scripts are watched, so that a wallet is made within milliseconds. The range grows with the
/// addresses that are handed out.
constexpr wallet::LookAhead kLookAhead{20, 20};

/// The work for each guess of a passphrase: about a millisecond.
constexpr wallet::ScryptCost kScryptCost{10, 8, 1};

const chain::NetworkParams& network() {
    static const chain::NetworkParams& regtest = *chain::find_network("regtest");
    return regtest;
}

/// The names of all flags take less.
constexpr std::uintmax_t kMaxFlagsBytes = 1'000;

/// Words separated by white space. Empty without a file.
WalletFlags read_flags(const fs::path& file) {
    WalletFlags flags;
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (!fs::exists(status)) return flags;
    if (!fs::is_regular_file(status) || fs::file_size(file, error) > kMaxFlagsBytes) {
        throw WalletError(WalletError::Kind::damaged,
                          "file '" + file.string() + "' is no list of flags");
    }
    std::ifstream in(file);
    std::string word;
    while (in >> word) {
        if (word == kNoPrivateKeys) {
            flags.has_private_keys = false;
        } else if (word == kBlank) {
            flags.is_blank = true;
        } else if (word == kAvoidReuse) {
            flags.avoids_reuse = true;
        } else {
            throw WalletError(WalletError::Kind::damaged,
                              "file '" + file.string() + "' has an unknown flag");
        }
    }
    return flags;
}

WalletError storage_error(const fs::path& file) {
    return {WalletError::Kind::storage, "file '" + file.string() + "' can't be written: " +
                                            std::generic_category().message(errno)};
}

}  // namespace

NamedWallet::NamedWallet(std::string name, fs::path folder, WalletFlags flags, WalletChain& chain)
    : name_(std::move(name)), folder_(std::move(folder)), flags_(flags), chain_(chain) {}

fs::path NamedWallet::file() const {
    return folder_ / kWalletFile;
}

void NamedWallet::write_flags() const {
    std::string words;
    if (!flags_.has_private_keys) words += std::string(kNoPrivateKeys) + "\n";
    if (flags_.is_blank) words += std::string(kBlank) + "\n";
    if (flags_.avoids_reuse) words += std::string(kAvoidReuse) + "\n";
    const fs::path file = folder_ / kFlagsFile;
    if (words.empty()) {
        fs::remove(file);
        return;
    }
    std::ofstream out(file, std::ios::trunc);
    out << words << std::flush;
    if (!out) throw storage_error(file);
}

std::unique_ptr<NamedWallet> NamedWallet::create(const std::string& name, const fs::path& folder,
                                                 const WalletFlags& flags,
                                                 std::string_view passphrase, WalletChain& chain) {
    std::unique_ptr<NamedWallet> made(new NamedWallet(name, folder, flags, chain));
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw WalletError(WalletError::Kind::storage,
                          "folder '" + folder.string() + "': " + error.message());
    }
    made->write_flags();
    if (flags.has_private_keys && !flags.is_blank) {
        const auto keys = make_new_keys();
        const chain::Birthday birthday{chain.tip().height, chain.now()};
        wallet::NewDescriptorWallet wallet{{keys.descriptors, birthday, kLookAhead},
                                           wallet::SecretString(passphrase),
                                           kScryptCost};
        made->wallet_.emplace(wallet::Wallet::restore(made->file(), network(), wallet));
        made->is_encrypted_ = !passphrase.empty();
        made->feed_.begin_at_tip(*made->wallet_, chain);
        if (!made->is_encrypted_) made->read_secret({});
    }
    return made;
}

std::unique_ptr<NamedWallet> NamedWallet::open(const std::string& name, const fs::path& folder,
                                               WalletChain& chain) {
    const WalletFlags flags = read_flags(folder / kFlagsFile);
    std::unique_ptr<NamedWallet> opened(new NamedWallet(name, folder, flags, chain));
    if (!fs::exists(opened->file())) return opened;
    opened->wallet_.emplace(wallet::Wallet::open(opened->file(), network(), wallet::Access::sync));
    const wallet::WalletInfo info = opened->wallet_->info();
    opened->is_encrypted_ = info.encrypted;
    opened->feed_.begin(*opened->wallet_, chain);
    if (!info.watch_only && !info.encrypted) opened->read_secret({});
    return opened;
}

std::optional<std::string> NamedWallet::import(std::span<const wallet::NewDescriptor> descriptors,
                                               std::uint32_t from) {
    const std::uint32_t first = std::min(from, chain_.tip().height);
    const chain::Birthday birthday{first, chain_.header_at(first).time};
    if (wallet_) {
        wallet::ImportStart start{birthday, wallet_->info().birthday, feed_.searched()};
        if (birthday.height < start.wallet_birthday.height) start.wallet_birthday = birthday;
        const auto imported = wallet_->import(descriptors, start);
        if (!imported) return imported.error().reason;
    } else {
        wallet::NewWatchOnlyWallet watched{
            {descriptors.begin(), descriptors.end()}, birthday, kLookAhead};
        const bool is_private = !descriptors.front().private_text.empty();
        if (is_private) {
            wallet_.emplace(wallet::Wallet::restore(
                file(), network(), {std::move(watched), wallet::SecretString(), kScryptCost}));
            read_secret({});
        } else {
            wallet_.emplace(wallet::Wallet::watch(file(), network(), watched));
        }
        feed_.begin_at_tip(*wallet_, chain_);
        flags_.is_blank = false;
        write_flags();
    }
    if (from <= chain_.tip().height) search_again(from);
    return std::nullopt;
}

void NamedWallet::back_up(const fs::path& file) const {
    wallet::back_up_to(this->file(), network(), file);
}

void NamedWallet::restore(const fs::path& folder, const fs::path& backup) {
    std::ifstream in(backup, std::ios::binary);
    if (!in) throw std::system_error(errno, std::generic_category(), backup.string());
    const auto source = [&in](std::span<chain::Byte> bytes) {
        // The bytes of a file as characters.
        in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return static_cast<std::size_t>(in.gcount());
    };
    bool has_private_keys = true;
    const auto restored = wallet::restore_backup(
        folder / kWalletFile, network(), source,
        [&](const wallet::Wallet& checked) { has_private_keys = !checked.info().watch_only; });
    if (!restored) {
        throw WalletError(WalletError::Kind::damaged, "backup '" + backup.string() + "': it " +
                                                          std::string(describe(restored.error())));
    }
    if (has_private_keys) return;
    std::ofstream(folder / kFlagsFile) << kNoPrivateKeys << std::endl;
}

std::vector<chain::Txid> NamedWallet::follow() {
    if (!wallet_) return {};
    return feed_.follow(*wallet_, chain_);
}

void NamedWallet::search_again(std::uint32_t from) {
    if (wallet_) feed_.search_again(*wallet_, chain_, from);
}

void NamedWallet::read_secret(std::string_view passphrase) {
    secret_ = wallet_->secret(passphrase);
}

void NamedWallet::encrypt(std::string_view passphrase) {
    wallet_->encrypt({}, passphrase, kScryptCost);
    is_encrypted_ = true;
    lock();
}

bool NamedWallet::is_locked() {
    if (!is_encrypted_) return false;
    if (secret_ && chain_.now() >= unlocked_until_) lock();
    return !secret_;
}

const wallet::SecretBytes* NamedWallet::secret() {
    return !is_locked() && secret_ ? &*secret_ : nullptr;
}

bool NamedWallet::unlock(std::string_view passphrase, std::int64_t until) {
    try {
        read_secret(passphrase);
    } catch (const WalletError& error) {
        if (error.kind() == WalletError::Kind::bad_password) return false;
        throw;
    }
    unlocked_until_ = until;
    return true;
}

void NamedWallet::lock() {
    secret_.reset();
    unlocked_until_ = 0;
}

std::int64_t NamedWallet::unlocked_until() {
    return is_locked() ? 0 : unlocked_until_;
}

}  // namespace petal::regtest::wallets
