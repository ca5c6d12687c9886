#include <algorithm>
#include <optional>

#include "chain/hash.h"
#include "chain/script/script.h"
#include "chain/script/script_operations.h"
#include "regtest/rpc/output_script.h"
#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/script_json.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/descriptor_checksum.h"
#include "wallet/descriptors/script_deriver.h"
#include "wallet/keys/secp256k1.h"

namespace petal::regtest::rpc {
namespace {

std::string address_in_p2sh(chain::ByteView script) {
    return wallet::address_of(chain::p2sh_script(chain::hash160(script)), regtest_network());
}

constexpr std::size_t kCompressedKeyBytes = 33;

/// Whether a P2SH output may have the script (Bitcoin Core: decodescript).
bool can_be_in_p2sh(chain::ByteView script) {
    using enum chain::ScriptType;
    const auto type = chain::classify(script);
    const bool is_final = type == null_data || type == p2sh || type == witness_unknown ||
                          type == p2tr || type == anchor;
    if (is_final || !has_valid_operations(script) || chain::is_unspendable(script)) return false;
    chain::ScriptWalker walker(script);
    while (const auto operation = walker.next()) {
        constexpr std::uint8_t kCheckSigAdd = 0xba;
        if (operation->opcode == kCheckSigAdd || chain::is_op_success(operation->opcode)) {
            return false;
        }
    }
    return true;
}

/// The segwit output with the keys of the script, or with the script. Empty if there is none.
std::optional<chain::Bytes> segwit_form(chain::ByteView script) {
    using enum chain::ScriptType;
    switch (chain::classify(script)) {
        case p2pk: {
            const auto key = chain::watch_element(script);
            if (key.size() != kCompressedKeyBytes) return std::nullopt;
            return chain::p2wpkh_script(chain::hash160(key));
        }
        case p2pkh: {
            chain::Hash160 hash{};
            std::ranges::copy(chain::watch_element(script), hash.begin());
            return chain::p2wpkh_script(hash);
        }
        case bare_multisig: {
            const auto parts = chain::parse_multisig(script);
            const auto is_compressed = [](const auto& key) {
                return key.size() == kCompressedKeyBytes;
            };
            if (!std::ranges::all_of(parts->keys, is_compressed)) return std::nullopt;
            return chain::witness_program_script(0, chain::sha256(script));
        }
        case other:
            return chain::witness_program_script(0, chain::sha256(script));
        default:
            return std::nullopt;
    }
}

/// The descriptor of a P2WSH output with this descriptor's script.
std::string descriptor_in_wsh(const std::string& inner) {
    const std::string text = "wsh(" + inner.substr(0, inner.find('#')) + ")";
    return text + "#" + *wallet::descriptor_checksum(text);
}

Json decode_script(RpcNode& /*node*/, const Arguments& arguments) {
    const auto script = chain::from_hex(arguments.text(0));
    if (!script) {
        throw RpcError(RpcCode::invalid_parameter,
                       "argument must be hexadecimal string (not '" + arguments.text(0) + "')");
    }
    Json json = script_pubkey_json(*script);
    json.erase("hex");
    if (!can_be_in_p2sh(*script)) return json;
    json["p2sh"] = address_in_p2sh(*script);
    if (const auto segwit = segwit_form(*script)) {
        Json wrapped = script_pubkey_json(*segwit);
        if (chain::classify(*script) == chain::ScriptType::bare_multisig) {
            wrapped["desc"] = descriptor_in_wsh(json["desc"].get<std::string>());
        }
        wrapped["p2sh-segwit"] = address_in_p2sh(*segwit);
        json["segwit"] = std::move(wrapped);
    }
    return json;
}

/// The text of a public key. Throws `not_found` like Bitcoin Core's HexToPubKey.
std::string parse_public_key(const Json& given) {
    const std::string& text = Arguments::text_of(given);
    const auto bytes = chain::from_hex(text);
    if (!bytes) {
        throw RpcError(RpcCode::not_found, "Pubkey \"" + text + "\" must be a hex string");
    }
    if (!chain::is_public_key_sized(*bytes)) {
        throw RpcError(RpcCode::not_found,
                       "Pubkey \"" + text + "\" must have a length of either 33 or 65 bytes");
    }
    const bool is_valid =
        wallet::PublicKey::parse(*bytes) || wallet::PublicKey::parse_uncompressed(*bytes);
    if (!is_valid) {
        throw RpcError(RpcCode::not_found,
                       "Pubkey \"" + text + "\" must be cryptographically valid.");
    }
    return text;
}

/// The descriptor of an address type around multi().
std::string wrapped_descriptor(const std::string& type, const std::string& multi) {
    if (type == "legacy") return "sh(" + multi + ")";
    if (type == "p2sh-segwit") return "sh(wsh(" + multi + "))";
    if (type == "bech32") return "wsh(" + multi + ")";
    if (type == "bech32m") {
        throw RpcError(RpcCode::not_found,
                       "createmultisig cannot create bech32m multisig addresses");
    }
    throw RpcError(RpcCode::not_found, "Unknown address type '" + type + "'");
}

Json create_multisig(RpcNode& /*node*/, const Arguments& arguments) {
    const std::int64_t required = arguments.number(0);
    const std::size_t count = arguments.at(1).size();
    bool is_compressed = true;
    std::string multi = "multi(" + std::to_string(required);
    for (const Json& given : arguments.at(1)) {
        const std::string key = parse_public_key(given);
        is_compressed = is_compressed && key.size() == 2 * kCompressedKeyBytes;
        multi += "," + key;
    }
    multi += ")";
    std::string type = arguments.has(2) ? arguments.text(2) : "legacy";
    wrapped_descriptor(type, multi);
    if (required < 1) {
        throw RpcError(RpcCode::invalid_parameter,
                       "a multisignature address must require at least one key to redeem");
    }
    if (static_cast<std::int64_t>(count) < required) {
        throw RpcError(RpcCode::invalid_parameter,
                       "not enough keys supplied (got " + std::to_string(count) +
                           " keys, but need at least " + std::to_string(required) + " to redeem)");
    }
    constexpr std::size_t kMaxMultisigKeys = 20;
    if (count > kMaxMultisigKeys) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Number of keys involved in the multisignature address creation > 20\n"
                       "Reduce the number");
    }
    std::size_t size = 3;  // two numbers and OP_CHECKMULTISIG
    for (const Json& key : arguments.at(1))
        size += 1 + key.get_ref<const std::string&>().size() / 2;
    const bool is_legacy = !is_compressed || type == "legacy";
    if (is_legacy && size > chain::kMaxPushBytes) {
        throw RpcError(RpcCode::invalid_parameter,
                       "redeemScript exceeds size limit: " + std::to_string(size) + " > 520");
    }
    // Segwit outputs have compressed keys only.
    const bool is_replaced = !is_compressed && type != "legacy";
    if (is_replaced) type = "legacy";
    const auto descriptor = parse_regtest_descriptor(wrapped_descriptor(type, multi), false);
    const auto derived = wallet::ScriptDeriver::create(descriptor)->derive(0);
    const auto& script = derived->scripts.front();
    const auto& inner =
        script.witness_script.empty() ? script.redeem_script : script.witness_script;
    Json json = {{"address", wallet::address_of(script.script_pubkey, regtest_network())},
                 {"redeemScript", chain::to_hex(inner)},
                 {"descriptor", descriptor.to_string(regtest_network())}};
    if (is_replaced) {
        json["warnings"] =
            Json::array({"Unable to make chosen address type, please ensure no "
                         "uncompressed public keys are present."});
    }
    return json;
}

}  // namespace

std::vector<Method> script_methods() {
    using enum ArgumentKind;
    return {
        {"decodescript", {{"hexstring", text}}, decode_script, "a script, taken apart"},
        {"createmultisig",
         {{"nrequired", number}, {"keys", array}, {"address_type", text, false}},
         create_multisig,
         "an address of several public keys"},
    };
}

}  // namespace petal::regtest::rpc
