/// The wallets of petal-bitcoind.
#pragma once

#include <filesystem>
#include <string>

#include "cli/bitcoind/debug_log.h"
#include "cli/bitcoind/shell_commands.h"
#include "cli/bitcoind/startup_wallets.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/front/node_options.h"
#include "regtest/rpc/node_wallet_chain.h"
#include "regtest/rpc/rpc_node.h"
#include "regtest/wallets/wallet_set.h"

namespace petal::cli {

/// Loads the wallets that the options and earlier calls name, and runs -walletnotify. Used on the
/// node's thread only, except for the constructor and the destructor.
class BitcoindWallets {
public:
    /// All arguments must outlive this object. Throws InitError if a wallet is damaged or in use.
    /// folder   of the chain, with `settings.json`
    BitcoindWallets(const regtest::front::NodeOptions& options, const std::filesystem::path& folder,
                    regtest::RegtestChain& chain, regtest::rpc::NodeSettings& settings,
                    DebugLog& log);
    BitcoindWallets(const BitcoindWallets&) = delete;
    BitcoindWallets& operator=(const BitcoindWallets&) = delete;

    regtest::wallets::WalletSet& set() { return set_; }

private:
    regtest::wallets::WalletOptions options_of(const regtest::front::NodeOptions& options);
    void load(const std::string& name, DebugLog& log);

    StartupWallets startup_;
    ShellCommands commands_;
    regtest::rpc::NodeWalletChain chain_;
    regtest::wallets::WalletSet set_;
};

}  // namespace petal::cli
