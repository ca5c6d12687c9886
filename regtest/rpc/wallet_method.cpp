#include "regtest/rpc/wallet_method.h"

#include <algorithm>
#include <iterator>

#include "wallet/store/wallet_error.h"

namespace petal::regtest::rpc {
namespace {

constexpr std::string_view kWalletPath = "/wallet/";

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::nullopt;
}

}  // namespace

wallets::NamedWallet& WalletCall::wallet() const {
    wallets_.follow();
    if (named_) {
        wallets::NamedWallet* const found = wallets_.find(*named_);
        if (found != nullptr) return *found;
        throw RpcError(RpcCode::wallet_not_found,
                       "Requested wallet does not exist or is not loaded");
    }
    const auto& loaded = wallets_.loaded();
    if (loaded.size() == 1) return *loaded.front();
    if (loaded.empty()) {
        throw RpcError(RpcCode::wallet_not_found,
                       "No wallet is loaded. Load a wallet using loadwallet or create a new one "
                       "with createwallet. (Note: A default wallet is no longer automatically "
                       "created)");
    }
    throw RpcError(RpcCode::wallet_not_specified,
                   "Multiple wallets are loaded. Please select which wallet to use by requesting "
                   "the RPC through the /wallet/<walletname> URI path.");
}

std::span<const WalletMethod> all_wallet_methods() {
    static const std::vector<WalletMethod> methods = [] {
        std::vector<WalletMethod> all;
        for (auto&& part :
             {wallet_set_methods(), wallet_address_methods(), wallet_address_info_methods(),
              wallet_coin_methods(), wallet_payment_methods(), wallet_history_methods(),
              wallet_list_methods(), wallet_received_methods(), wallet_lock_methods(),
              wallet_secret_methods(), wallet_signing_methods(), wallet_funding_methods(),
              wallet_import_methods(), wallet_file_methods()}) {
            std::ranges::copy(part, std::back_inserter(all));
        }
        std::ranges::sort(all, {}, &WalletMethod::name);
        return all;
    }();
    return methods;
}

const WalletMethod* find_wallet_method(std::string_view name) {
    const auto methods = all_wallet_methods();
    const auto found = std::ranges::lower_bound(methods, name, {}, &WalletMethod::name);
    return found != methods.end() && found->name == name ? &*found : nullptr;
}

Json call_wallet_method(const WalletMethod& method, const WalletCall& call, const Json& arguments) {
    try {
        return method.run(call, Arguments(arguments, method.name, method.parameters));
    } catch (const wallets::WalletSetError& error) {
        using enum wallets::WalletSetError::Kind;
        RpcCode code = RpcCode::wallet_error;
        if (error.kind() == empty_name || error.kind() == wrong_backup)
            code = RpcCode::invalid_parameter;
        if (error.kind() == already_exists) code = RpcCode::wallet_already_exists;
        if (error.kind() == already_loaded) code = RpcCode::wallet_already_loaded;
        if (error.kind() == not_found) code = RpcCode::wallet_not_found;
        throw RpcError(code, error.what());
    } catch (const wallet::WalletError& error) {
        throw RpcError(RpcCode::wallet_error, error.what());
    }
}

std::optional<std::string> wallet_name_in(std::string_view path) {
    if (!path.starts_with(kWalletPath)) return std::nullopt;
    path.remove_prefix(kWalletPath.size());
    std::string name;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const bool is_escaped = path[i] == '%' && i + 2 < path.size();
        const auto high = is_escaped ? hex_digit(path[i + 1]) : std::nullopt;
        const auto low = is_escaped ? hex_digit(path[i + 2]) : std::nullopt;
        if (high && low) {
            name += static_cast<char>(*high << 4 | *low);
            i += 2;
        } else {
            name += path[i];
        }
    }
    return name;
}

}  // namespace petal::regtest::rpc
