#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"
#include "regtest/wallets/wallet_names.h"

namespace petal::regtest::rpc {
namespace {

std::optional<bool> at_start(const Arguments& arguments, std::size_t position) {
    if (!arguments.has(position)) return std::nullopt;
    return arguments.boolean(position, false);
}

Json create_wallet(const WalletCall& call, const Arguments& arguments) {
    wallets::WalletFlags flags;
    flags.has_private_keys = !arguments.boolean(1, false);
    flags.is_blank = arguments.boolean(2, false);
    flags.avoids_reuse = arguments.boolean(4, false);
    const std::string passphrase = arguments.has(3) ? arguments.text(3) : "";
    if (!arguments.boolean(5, true)) {
        throw RpcError(RpcCode::wallet_error,
                       "descriptors argument must be set to \"true\"; it is no longer possible to "
                       "create a legacy wallet.");
    }
    if (arguments.boolean(7, false)) {
        throw RpcError(RpcCode::wallet_error,
                       "Compiled without external signing support (required for external signing)");
    }
    if (!passphrase.empty() && !flags.has_private_keys) {
        throw RpcError(RpcCode::wallet_error,
                       "Passphrase provided but private keys are disabled. A passphrase is only "
                       "used to encrypt private keys, so cannot be used for wallets with private "
                       "keys disabled.");
    }
    if (!passphrase.empty() && flags.is_blank) {
        throw RpcError(RpcCode::wallet_error,
                       "a blank wallet can't be encrypted: encrypt the wallet once it has keys");
    }
    const auto& wallet =
        call.wallets().create(arguments.text(0), flags, passphrase, at_start(arguments, 6));
    Json json = {{"name", wallet.name()}};
    if (arguments.has(3) && passphrase.empty()) {
        json["warnings"] =
            Json::array({"Empty string given as passphrase, wallet will not be encrypted."});
    }
    return json;
}

Json load_wallet(const WalletCall& call, const Arguments& arguments) {
    const auto& wallet = call.wallets().load(arguments.text(0), at_start(arguments, 1));
    return {{"name", wallet.name()}};
}

/// Bitcoin Core: EnsureUniqueWalletName.
std::string named_wallet(const WalletCall& call, const Arguments& arguments) {
    const bool has_name = arguments.has(0);
    if (call.named()) {
        if (has_name && arguments.text(0) != *call.named()) {
            throw RpcError(RpcCode::invalid_parameter,
                           "The RPC endpoint wallet and the wallet name parameter specify "
                           "different wallets");
        }
        return *call.named();
    }
    if (has_name) return arguments.text(0);
    throw RpcError(RpcCode::invalid_parameter,
                   "Either the RPC endpoint wallet or the wallet name parameter must be provided");
}

Json unload_wallet(const WalletCall& call, const Arguments& arguments) {
    const std::string name = named_wallet(call, arguments);
    if (call.wallets().find(name) == nullptr) {
        throw RpcError(RpcCode::wallet_not_found,
                       "Requested wallet does not exist or is not loaded");
    }
    call.wallets().unload(name, at_start(arguments, 1));
    return Json::object();
}

Json list_wallets(const WalletCall& call, const Arguments& /*arguments*/) {
    Json names = Json::array();
    for (const auto& wallet : call.wallets().loaded()) names.push_back(wallet->name());
    return names;
}

Json list_wallet_dir(const WalletCall& call, const Arguments& /*arguments*/) {
    Json wallets = Json::array();
    for (const std::string& name : wallets::list_wallet_names(call.wallets().options().folder)) {
        wallets.push_back({{"name", name}, {"warnings", Json::array()}});
    }
    return {{"wallets", std::move(wallets)}};
}

/// The number of watched addresses that were not handed out.
std::size_t unused_addresses(const wallet::Wallet* keys, wallet::KeyChain chain) {
    if (keys == nullptr || keys->info().watch_only) return 0;
    constexpr std::uint32_t kAll = 1'000'000;
    const auto entries = keys->addresses(chain, kAll);
    return static_cast<std::size_t>(std::ranges::count_if(
        entries, [](const auto& entry) { return !entry.used && !entry.handed_out; }));
}

Json get_wallet_info(const WalletCall& call, const Arguments& /*arguments*/) {
    wallets::NamedWallet& wallet = call.wallet();
    const wallets::WalletFlags& flags = wallet.flags();
    const wallet::Wallet* const keys = wallet.keys();
    Json json = {{"walletname", wallet.name()},
                 {"walletversion", 169900},
                 {"format", "sqlite"},
                 {"txcount", keys == nullptr ? 0 : keys->history(0).size()},
                 {"keypoolsize", unused_addresses(keys, wallet::KeyChain::receive)},
                 {"keypoolsize_hd_internal", unused_addresses(keys, wallet::KeyChain::change)}};
    if (wallet.is_encrypted()) json["unlocked_until"] = wallet.unlocked_until();
    json["private_keys_enabled"] = flags.has_private_keys;
    json["avoid_reuse"] = flags.avoids_reuse;
    json["scanning"] = false;
    json["descriptors"] = true;
    json["external_signer"] = false;
    json["blank"] = flags.is_blank;
    if (keys != nullptr) {
        json["birthtime"] = keys->info().birthday.time;
    }
    Json names = Json::array();
    if (flags.avoids_reuse) names.push_back("avoid_reuse");
    names.push_back("last_hardened_xpub_cached");
    if (!flags.has_private_keys) names.push_back("disable_private_keys");
    if (flags.is_blank) names.push_back("blank");
    names.push_back("descriptor_wallet");
    json["flags"] = std::move(names);
    add_last_block(json, wallet);
    return json;
}

}  // namespace

std::vector<WalletMethod> wallet_set_methods() {
    using enum ArgumentKind;
    return {
        {"createwallet",
         {{"wallet_name", text},
          {"disable_private_keys", boolean, false},
          {"blank", boolean, false},
          {"passphrase", text, false},
          {"avoid_reuse", boolean, false},
          {"descriptors", boolean, false},
          {"load_on_startup", boolean, false},
          {"external_signer", boolean, false}},
         create_wallet,
         "makes a wallet with new keys and loads it"},
        {"loadwallet",
         {{"filename", text}, {"load_on_startup", boolean, false}},
         load_wallet,
         "loads a wallet of the folder of wallets"},
        {"unloadwallet",
         {{"wallet_name", text, false}, {"load_on_startup", boolean, false}},
         unload_wallet,
         "unloads a wallet"},
        {"listwallets", {}, list_wallets, "the names of the loaded wallets"},
        {"listwalletdir", {}, list_wallet_dir, "the names of all wallets, loaded or not"},
        {"getwalletinfo", {}, get_wallet_info, "the properties of a wallet"},
    };
}

}  // namespace petal::regtest::rpc
