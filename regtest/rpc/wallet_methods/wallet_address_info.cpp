#include <algorithm>

#include "chain/script/script.h"
#include "regtest/rpc/address_json.h"
#include "regtest/rpc/regtest_network.h"
#include "regtest/rpc/script_json.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/own_scripts.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"
#include "wallet/descriptors/address.h"

namespace petal::regtest::rpc {
namespace {

void add_members(Json& json, const Json& more) {
    for (const auto& [name, value] : more.items()) json[name] = value;
}

Json key_of(const wallet::Derivation& derivation) {
    const auto& key = derivation.keys.front();
    return chain::to_hex(wallet::serialize(key.key, key.form));
}

/// What the wallet knows of a script below an address (Bitcoin Core: ProcessSubScript).
/// rest   the scripts below this one, outermost first
// NOLINTNEXTLINE(misc-no-recursion): P2WSH in P2SH is the deepest
Json inner_script_json(const wallet::Derivation& derivation, const chain::Bytes& script,
                       const std::vector<chain::Bytes>& rest) {
    const auto type = chain::classify(script);
    Json json = {{"script", script_pubkey_json(script)["type"]}, {"hex", chain::to_hex(script)}};
    if (const auto multisig = chain::parse_multisig(script)) {
        json["sigsrequired"] = multisig->required;
        Json keys = Json::array();
        for (const auto key : multisig->keys) keys.push_back(chain::to_hex(key));
        json["pubkeys"] = std::move(keys);
        return json;
    }
    const std::string address = wallet::address_of(script, regtest_network());
    if (address.empty()) return json;
    Json embedded = Json::object();
    add_address_details(embedded, script);
    if (type == chain::ScriptType::p2wpkh) embedded["pubkey"] = key_of(derivation);
    if (!rest.empty()) add_members(embedded, inner_script_json(derivation, rest.front(), {}));
    embedded["address"] = address;
    embedded["scriptPubKey"] = chain::to_hex(script);
    if (embedded.contains("pubkey")) json["pubkey"] = embedded["pubkey"];
    json["embedded"] = std::move(embedded);
    return json;
}

/// Adds what the wallet knows of the keys and scripts of its own address.
void add_own_scripts(Json& json, const wallet::Derivation& derivation) {
    const auto& script = derivation.scripts.front();
    const auto type = chain::classify(script.script_pubkey);
    std::vector<chain::Bytes> inner;
    if (!script.redeem_script.empty()) inner.push_back(script.redeem_script);
    if (!script.witness_script.empty()) inner.push_back(script.witness_script);
    if (!inner.empty()) {
        const std::vector<chain::Bytes> rest(inner.begin() + 1, inner.end());
        add_members(json, inner_script_json(derivation, inner.front(), rest));
    } else if (type == chain::ScriptType::p2pkh) {
        json["pubkey"] = key_of(derivation);
        json["iscompressed"] = derivation.keys.front().form == wallet::KeyForm::compressed;
    } else if (type == chain::ScriptType::p2wpkh) {
        json["pubkey"] = key_of(derivation);
    }
}

Json get_address_info(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    const auto script = wallet::parse_address(arguments.text(0), regtest_network());
    if (!script) {
        throw RpcError(RpcCode::not_found, std::string(describe(script.error())));
    }
    const wallet::Wallet* const keys = wallet.keys();
    const auto path = keys == nullptr ? std::nullopt : keys->find_path(*script);
    Json json = {{"address", wallet::address_of(*script, regtest_network())},
                 {"scriptPubKey", chain::to_hex(*script)},
                 {"ismine", path.has_value()}};
    std::optional<OwnScripts::Known> known;
    if (path) known = OwnScripts(*keys).describe(*path);
    json["solvable"] = known && known->is_solvable;
    if (known && known->is_solvable) json["desc"] = known->descriptor;
    if (known) json["parent_desc"] = known->parent;
    json["iswatchonly"] = false;
    add_address_details(json, *script);
    if (known && known->is_solvable) add_own_scripts(json, known->derivation);
    std::string label = keys == nullptr ? "" : keys->label(*script).value_or("");
    const bool is_change =
        path && label.empty() && keys->chain_of(path->descriptor) == wallet::KeyChain::change;
    json["ischange"] = is_change;
    if (known && !known->derivation.keys.empty()) {
        const auto& origin = known->derivation.keys.front().origin;
        json["timestamp"] = keys->info().birthday.time;
        json["hdkeypath"] = "m" + wallet::path_to_string(origin.path);
        json["hdseedid"] = std::string(40, '0');
        json["hdmasterfingerprint"] = chain::to_hex(origin.fingerprint);
    }
    json["labels"] = path && !is_change ? Json::array({label}) : Json::array();
    return json;
}

}  // namespace

std::vector<WalletMethod> wallet_address_info_methods() {
    using enum ArgumentKind;
    return {
        {"getaddressinfo",
         {{"address", text}},
         get_address_info,
         "what the wallet knows of an address"},
    };
}

}  // namespace petal::regtest::rpc
