#include "cli/bitcoind/bitcoind_wallets.h"

#include "cli/bitcoind/init_error.h"

namespace petal::cli {
namespace {

using regtest::wallets::WalletOptions;
using regtest::wallets::WalletSetError;

/// A word of /bin/sh that stands for the text (Bitcoin Core: ShellEscape).
std::string shell_quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'') {
            quoted += "'\"'\"'";
        } else {
            quoted += c;
        }
    }
    return quoted + "'";
}

}  // namespace

BitcoindWallets::BitcoindWallets(const regtest::front::NodeOptions& options,
                                 const std::filesystem::path& folder, regtest::RegtestChain& chain,
                                 regtest::rpc::NodeSettings& settings, DebugLog& log)
    : startup_(folder / "settings.json"),
      chain_(chain, settings),
      set_(options_of(options), chain_) {
    if (!std::filesystem::is_directory(options.wallets.folder)) {
        throw InitError("Specified -walletdir \"" + options.wallets.folder.string() +
                        "\" does not exist");
    }
    for (const std::string& name : options.wallets.names) load(name, log);
    if (!options.wallets.has_startup) return;
    const std::vector<std::string> names = startup_.names();
    for (const std::string& name : names) load(name, log);
}

WalletOptions BitcoindWallets::options_of(const regtest::front::NodeOptions& options) {
    WalletOptions result;
    result.folder = options.wallets.folder;
    result.address_type = options.wallets.address_type;
    result.fallback_fee_rate = options.wallets.fallback_fee_rate;
    result.set_startup = [this](const std::string& name, bool is_loaded) {
        startup_.set(name, is_loaded);
    };
    if (options.notify.wallet.empty()) return result;
    result.on_transaction = [this, command = options.notify.wallet](const std::string& name,
                                                                    const chain::Txid& txid) {
        // Last, so that a name with %s is not filled in.
        commands_.start(fill_in(fill_in(command, "%s", txid.to_hex()), "%w", shell_quoted(name)));
    };
    return result;
}

void BitcoindWallets::load(const std::string& name, DebugLog& log) {
    if (set_.find(name) != nullptr) {
        log.write("[warning] Ignoring duplicate -wallet " + name + ".");
        return;
    }
    try {
        set_.load(name, std::nullopt);
        log.write("[" + name + "] Wallet completed loading");
    } catch (const WalletSetError& error) {
        if (error.kind() != WalletSetError::Kind::not_found) throw InitError(error.what());
        log.write("[warning] Skipping -wallet path that doesn't exist. " +
                  std::string(error.what()));
    }
}

}  // namespace petal::cli
