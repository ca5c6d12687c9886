/// The loaded wallets of a node.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "chain/transaction.h"
#include "regtest/wallets/named_wallet.h"
#include "regtest/wallets/wallet_chain.h"
#include "wallet/keys/key_path.h"

namespace petal::regtest::wallets {

/// Why a wallet can't be created or loaded. what() is Bitcoin Core's message where it has the same
/// check.
class WalletSetError : public std::runtime_error {
public:
    enum class Kind : std::uint8_t {
        empty_name,
        wrong_name,      ///< see find_name_fault()
        already_exists,  ///< of a wallet to restore
        already_loaded,
        not_found,
        wrong_backup,  ///< the backup can't be read
        failed,        ///< the files are damaged, in use, or can't be written
    };

    WalletSetError(Kind kind, const std::string& message)
        : std::runtime_error(message), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

struct WalletOptions {
    std::filesystem::path folder;  ///< of all wallets, each in its own folder below
    wallet::ScriptKind address_type = wallet::ScriptKind::wpkh;  ///< of new addresses
    /// The fee rate of payments for which none is requested, satoshi per 1,000 vB. Empty: such
    /// payments are refused (Bitcoin Core: -fallbackfee).
    std::optional<chain::Satoshis> fallback_fee_rate;
    /// Called when a wallet shall be loaded at each start, or no longer. Throws std::system_error.
    std::function<void(const std::string& name, bool is_loaded_at_start)> set_startup =
        [](const std::string&, bool) {};
    /// Called for each transaction of a wallet that is new or whose block has changed.
    std::function<void(const std::string& wallet, const chain::Txid&)> on_transaction = {};
};

/// Wallets by name, in the order in which they were loaded. Without wallets, a change of the chain
/// takes no time here. Not thread-safe.
class WalletSet {
public:
    /// The chain must outlive the wallets.
    WalletSet(WalletOptions options, WalletChain& chain);

    const WalletOptions& options() const { return options_; }
    WalletChain& chain() const { return chain_; }

    const std::vector<std::unique_ptr<NamedWallet>>& loaded() const { return loaded_; }
    /// Null if no such wallet is loaded.
    NamedWallet* find(const std::string& name) const;

    /// Creates and loads a wallet. Throws WalletSetError.
    /// at_start   see WalletOptions::set_startup. Empty: no change
    NamedWallet& create(const std::string& name, const WalletFlags& flags,
                        std::string_view passphrase, std::optional<bool> at_start);
    /// Throws WalletSetError.
    NamedWallet& load(const std::string& name, std::optional<bool> at_start);
    /// Makes a wallet from a backup and loads it. Throws WalletSetError.
    NamedWallet& restore(const std::string& name, const std::filesystem::path& backup,
                         std::optional<bool> at_start);
    /// The wallet must be loaded.
    void unload(const std::string& name, std::optional<bool> at_start);

    /// Passes on what has changed on the chain.
    void follow();

private:
    std::filesystem::path folder_of(const std::string& name) const;
    NamedWallet& add(std::unique_ptr<NamedWallet> wallet, std::optional<bool> at_start);

    WalletOptions options_;
    WalletChain& chain_;
    std::vector<std::unique_ptr<NamedWallet>> loaded_;
};

}  // namespace petal::regtest::wallets
