#include <algorithm>

#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"

namespace petal::regtest::rpc {
namespace {

void require_encryption(const wallets::NamedWallet& wallet, const std::string& method) {
    if (wallet.is_encrypted()) return;
    throw RpcError(RpcCode::wrong_encryption_state,
                   "Error: running with an unencrypted wallet, but " + method + " was called.");
}

Json encrypt_wallet(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    if (!wallet.flags().has_private_keys) {
        throw RpcError(RpcCode::encryption_failed,
                       "Error: wallet does not contain private keys, nothing to encrypt.");
    }
    if (wallet.is_encrypted()) {
        throw RpcError(RpcCode::wrong_encryption_state,
                       "Error: running with an encrypted wallet, but encryptwallet was called.");
    }
    if (arguments.text(0).empty()) {
        throw RpcError(RpcCode::invalid_parameter, "passphrase cannot be empty");
    }
    if (wallet.keys() == nullptr) {
        throw RpcError(RpcCode::encryption_failed, "Error: Failed to encrypt the wallet.");
    }
    wallet.encrypt(arguments.text(0));
    return "wallet encrypted; The keys stay the same. You need to make a new backup with the "
           "backupwallet RPC.";
}

Json unlock_wallet(const WalletCall& call, const Arguments& arguments) {
    constexpr std::int64_t kMaxTimeout = 100'000'000;  // Bitcoin Core: MAX_SLEEP_TIME
    wallets::NamedWallet& wallet = call.wallet();
    require_encryption(wallet, "walletpassphrase");
    const auto timeout = arguments.number<std::int64_t>(1);
    if (timeout < 0) throw RpcError(RpcCode::invalid_parameter, "Timeout cannot be negative.");
    if (arguments.text(0).empty()) {
        throw RpcError(RpcCode::invalid_parameter, "passphrase cannot be empty");
    }
    const std::int64_t until = wallet.chain().now() + std::min(timeout, kMaxTimeout);
    if (wallet.unlock(arguments.text(0), until)) return nullptr;
    throw RpcError(RpcCode::wrong_passphrase,
                   "Error: The wallet passphrase entered was incorrect.");
}

Json lock_wallet(const WalletCall& call, const Arguments& /*arguments*/) {
    wallets::NamedWallet& wallet = call.wallet();
    require_encryption(wallet, "walletlock");
    wallet.lock();
    return nullptr;
}

}  // namespace

std::vector<WalletMethod> wallet_secret_methods() {
    using enum ArgumentKind;
    return {
        {"encryptwallet",
         {{"passphrase", text}},
         encrypt_wallet,
         "encrypts the private keys, and locks the wallet"},
        {"walletpassphrase",
         {{"passphrase", text}, {"timeout", number}},
         unlock_wallet,
         "unlocks the wallet for some seconds"},
        {"walletlock", {}, lock_wallet, "locks the wallet"},
    };
}

}  // namespace petal::regtest::rpc
