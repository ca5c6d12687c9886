/// The table of the methods of wallets. The methods know wallets and a WalletChain, but no regtest
/// node. So other servers of wallets can use the table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regtest/rpc/rpc_arguments.h"
#include "regtest/rpc/rpc_json.h"
#include "regtest/wallets/wallet_set.h"

namespace petal::regtest::rpc {

/// The wallets that a call may use.
class WalletCall {
public:
    /// named   the wallet that the path of the request names (`/wallet/NAME`)
    WalletCall(wallets::WalletSet& wallets, std::optional<std::string> named)
        : wallets_(wallets), named_(std::move(named)) {}

    wallets::WalletSet& wallets() const { return wallets_; }
    const std::optional<std::string>& named() const { return named_; }

    /// The named wallet or, without a name, the only wallet, in step with the chain. Throws
    /// `wallet_not_found` and `wallet_not_specified`.
    wallets::NamedWallet& wallet() const;

private:
    wallets::WalletSet& wallets_;
    std::optional<std::string> named_;
};

struct WalletMethod {
    std::string_view name;
    std::vector<Parameter> parameters;
    Json (*run)(const WalletCall& call, const Arguments& arguments);
    std::string_view text;  ///< one line for `help`
};

/// All methods, by name. Names, parameters, results and errors are Bitcoin Core's.
std::span<const WalletMethod> all_wallet_methods();
/// Null if there is no such method.
const WalletMethod* find_wallet_method(std::string_view name);

/// Calls a method. Throws RpcError.
Json call_wallet_method(const WalletMethod& method, const WalletCall& call, const Json& arguments);

/// The name in the path of a request: NAME of `/wallet/NAME`, with %XX decoded. Empty for any other
/// path.
std::optional<std::string> wallet_name_in(std::string_view path);

// The parts of the table.
std::vector<WalletMethod> wallet_set_methods();
std::vector<WalletMethod> wallet_address_methods();
std::vector<WalletMethod> wallet_address_info_methods();
std::vector<WalletMethod> wallet_coin_methods();
std::vector<WalletMethod> wallet_payment_methods();
std::vector<WalletMethod> wallet_history_methods();
std::vector<WalletMethod> wallet_list_methods();
std::vector<WalletMethod> wallet_received_methods();
std::vector<WalletMethod> wallet_lock_methods();
std::vector<WalletMethod> wallet_secret_methods();
std::vector<WalletMethod> wallet_signing_methods();
std::vector<WalletMethod> wallet_funding_methods();
std::vector<WalletMethod> wallet_import_methods();
std::vector<WalletMethod> wallet_file_methods();

}  // namespace petal::regtest::rpc
