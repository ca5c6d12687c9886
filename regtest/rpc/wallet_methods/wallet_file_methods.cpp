#include <filesystem>

#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"

namespace petal::regtest::rpc {
namespace {

Json back_up_wallet(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    try {
        wallet.back_up(arguments.text(0));
    } catch (const std::system_error& error) {
        throw RpcError(RpcCode::wallet_error,
                       std::string("Error: Wallet backup failed! ") + error.what());
    }
    return nullptr;
}

Json restore_wallet(const WalletCall& call, const Arguments& arguments) {
    std::optional<bool> at_start;
    if (arguments.has(2)) at_start = arguments.boolean(2, false);
    const auto& wallet = call.wallets().restore(arguments.text(0), arguments.text(1), at_start);
    return {{"name", wallet.name()}};
}

}  // namespace

std::vector<WalletMethod> wallet_file_methods() {
    using enum ArgumentKind;
    return {
        {"backupwallet",
         {{"destination", text}},
         back_up_wallet,
         "writes a backup, which restorewallet reads, to a new file"},
        {"restorewallet",
         {{"wallet_name", text}, {"backup_file", text}, {"load_on_startup", boolean, false}},
         restore_wallet,
         "makes a wallet from a backup"},
    };
}

}  // namespace petal::regtest::rpc
