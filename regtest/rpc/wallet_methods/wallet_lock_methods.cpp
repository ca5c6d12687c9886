#include <limits>
#include <set>

#include "regtest/rpc/coin_choice.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/own_coins.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"

namespace petal::regtest::rpc {
namespace {

/// A member of an object that must be there with this type.
const Json& required_member(const Json& object, const char* name, std::string_view type) {
    if (!object.contains(name)) throw RpcError(RpcCode::wrong_type, "Missing " + std::string(name));
    check_option(object, name, type);
    return object[name];
}

/// An output of the wallet to lock or to unlock.
chain::Outpoint lockable_output(const wallets::NamedWallet& wallet, const Json& given,
                                bool unlocks) {
    if (!given.is_object()) {
        throw RpcError(RpcCode::wrong_type, "JSON value of type " + std::string(type_name(given)) +
                                                " is not of expected type object");
    }
    const Json& hash = required_member(given, "txid", "string");
    const auto txid = Arguments::parse_hash<chain::Txid>(hash, "txid");
    const std::int64_t index = Arguments::whole_number(required_member(given, "vout", "number"));
    const auto refusal = [](const std::string& reason) {
        return RpcError(RpcCode::invalid_parameter, "Invalid parameter, " + reason);
    };
    if (index < 0) throw refusal("vout cannot be negative");
    const wallet::Wallet* const keys = wallet.keys();
    if (keys == nullptr || !keys->has_transaction(txid)) throw refusal("unknown transaction");
    const auto outputs = keys->known_transaction(txid)->transaction.outputs.size();
    if (index >= static_cast<std::int64_t>(outputs)) throw refusal("vout index out of bounds");
    const chain::Outpoint outpoint{txid, static_cast<std::uint32_t>(index)};
    const auto coins = keys->coins();
    const bool is_unspent =
        std::ranges::find(coins, outpoint, &wallet::Coin::outpoint) != coins.end();
    if (!is_unspent) throw refusal("expected unspent output");
    const bool is_locked = wallet.locked_coins().contains(outpoint);
    if (unlocks && !is_locked) throw refusal("expected locked output");
    if (!unlocks && is_locked) throw refusal("output already locked");
    return outpoint;
}

Json lock_unspent(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    const bool unlocks = arguments.boolean(0, false);
    auto& locked = wallet.locked_coins();
    if (!arguments.has(1)) {
        if (unlocks) locked.clear();
        return true;
    }
    std::set<chain::Outpoint> outputs;
    for (const Json& given : arguments.at(1)) {
        outputs.insert(lockable_output(wallet, given, unlocks));
    }
    for (const chain::Outpoint& outpoint : outputs) {
        if (unlocks) {
            locked.erase(outpoint);
        } else {
            locked.insert(outpoint);
        }
    }
    return true;
}

Json list_lock_unspent(const WalletCall& call, const Arguments& /*arguments*/) {
    Json listed = Json::array();
    for (const chain::Outpoint& outpoint : call.wallet().locked_coins()) {
        listed.push_back({{"txid", outpoint.txid.to_hex()}, {"vout", outpoint.index}});
    }
    return listed;
}

}  // namespace

std::vector<WalletMethod> wallet_lock_methods() {
    using enum ArgumentKind;
    return {
        {"lockunspent",
         {{"unlock", boolean}, {"transactions", array, false}, {"persistent", boolean, false}},
         lock_unspent,
         "keeps coins from being spent, until the wallet is unloaded"},
        {"listlockunspent", {}, list_lock_unspent, "the coins that lockunspent keeps"},
    };
}

}  // namespace petal::regtest::rpc
