/// A wallet of a node, with a name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain/transaction.h"
#include "regtest/wallets/wallet_chain.h"
#include "regtest/wallets/wallet_feed.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/keys/secret_bytes.h"
#include "wallet/wallet.h"

namespace petal::regtest::wallets {

/// The properties of a wallet that its keys do not tell.
struct WalletFlags {
    bool has_private_keys = true;  ///< whether private keys are allowed
    bool is_blank = false;         ///< made without keys, and nothing was imported since
    bool avoids_reuse = false;     ///< tells coins of addresses that were spent from

    friend bool operator==(const WalletFlags&, const WalletFlags&) = default;
};

/// A wallet in its folder: the file of a petal::wallet, which a wallet without keys does not have
/// yet, and a small file with the flags. Not thread-safe.
class NamedWallet {
public:
    /// Creates the files. Throws wallet::WalletError.
    /// folder      of this wallet
    /// passphrase  encrypts the private keys, if not empty
    static std::unique_ptr<NamedWallet> create(const std::string& name,
                                               const std::filesystem::path& folder,
                                               const WalletFlags& flags,
                                               std::string_view passphrase, WalletChain& chain);
    /// Opens the files. Throws wallet::WalletError.
    static std::unique_ptr<NamedWallet> open(const std::string& name,
                                             const std::filesystem::path& folder,
                                             WalletChain& chain);

    const std::string& name() const { return name_; }
    const WalletFlags& flags() const { return flags_; }
    /// The file of the keys and coins, which need not exist.
    std::filesystem::path file() const;

    /// Null without keys and descriptors.
    wallet::Wallet* keys() { return wallet_ ? &*wallet_ : nullptr; }
    const wallet::Wallet* keys() const { return wallet_ ? &*wallet_ : nullptr; }

    /// Adds descriptors, and searches the blocks from this height on. Private descriptors need a
    /// wallet without keys. Returns why the descriptors are refused, if so.
    std::optional<std::string> import(std::span<const wallet::NewDescriptor> descriptors,
                                      std::uint32_t from);
    /// Writes a backup to a new file. The wallet must have keys. Throws std::system_error, and
    /// wallet::WalletError.
    void back_up(const std::filesystem::path& file) const;
    /// Makes a wallet's files from a backup. Throws std::system_error and wallet::WalletError.
    /// folder   of the new wallet
    static void restore(const std::filesystem::path& folder, const std::filesystem::path& backup);

    /// Passes on what has changed on the chain. Returns the transactions that are new or whose
    /// block has changed.
    std::vector<chain::Txid> follow();
    /// Searches the blocks from this height on again.
    void search_again(std::uint32_t from);

    /// Whether the private keys are encrypted.
    bool is_encrypted() const { return is_encrypted_; }
    /// Encrypts the private keys, which must exist and not be encrypted, and locks the wallet.
    void encrypt(std::string_view passphrase);
    /// Whether the private keys cannot be used now.
    bool is_locked();
    /// The source of the private keys. Null if the wallet has none or is locked.
    const wallet::SecretBytes* secret();
    /// Unlocks the private keys until then (Unix seconds). Returns whether the passphrase is right.
    bool unlock(std::string_view passphrase, std::int64_t until);
    void lock();
    /// Until when the wallet is unlocked, Unix seconds. 0 if it is locked.
    std::int64_t unlocked_until();

    /// The coins that no payment spends (lockunspent).
    std::set<chain::Outpoint>& locked_coins() { return locked_coins_; }
    const std::set<chain::Outpoint>& locked_coins() const { return locked_coins_; }

    WalletChain& chain() const { return chain_; }

private:
    NamedWallet(std::string name, std::filesystem::path folder, WalletFlags flags,
                WalletChain& chain);

    void write_flags() const;
    void read_secret(std::string_view passphrase);

    std::string name_;
    std::filesystem::path folder_;
    WalletFlags flags_;
    WalletChain& chain_;
    std::optional<wallet::Wallet> wallet_;
    WalletFeed feed_;
    bool is_encrypted_ = false;
    std::optional<wallet::SecretBytes> secret_;  // of a wallet that is not locked
    std::int64_t unlocked_until_ = 0;
    std::set<chain::Outpoint> locked_coins_;
};

}  // namespace petal::regtest::wallets
