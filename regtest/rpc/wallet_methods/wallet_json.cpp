#include "regtest/rpc/wallet_methods/wallet_json.h"

namespace petal::regtest::rpc {

void add_last_block(Json& json, const wallets::NamedWallet& wallet) {
    const chain::BlockRef tip = wallet.chain().tip();
    json["lastprocessedblock"] = {{"hash", tip.hash.to_hex()}, {"height", tip.height}};
}

void require_unlocked(wallets::NamedWallet& wallet) {
    if (!wallet.is_locked()) return;
    throw RpcError(RpcCode::wallet_locked,
                   "Error: Please enter the wallet passphrase with walletpassphrase first.");
}

void require_private_keys(wallets::NamedWallet& wallet) {
    if (!wallet.flags().has_private_keys) {
        throw RpcError(RpcCode::wallet_error, "Error: Private keys are disabled for this wallet");
    }
    require_unlocked(wallet);
}

bool avoid_reuse(const wallets::NamedWallet& wallet, const Arguments& arguments,
                 std::size_t position) {
    const bool can_avoid = wallet.flags().avoids_reuse;
    const bool avoids = arguments.boolean(position, can_avoid);
    if (!avoids || can_avoid) return avoids;
    throw RpcError(RpcCode::wallet_error,
                   "wallet does not have the \"avoid reuse\" feature enabled");
}

std::string checked_label(const std::string& label) {
    if (label == "*") throw RpcError(RpcCode::invalid_label, "Invalid label name");
    return label;
}

}  // namespace petal::regtest::rpc
