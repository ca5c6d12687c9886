#include <map>
#include <set>
#include <utility>

#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/coin_choice.h"
#include "regtest/rpc/decoded_transaction.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"
#include "regtest/rpc/wallet_methods/wallet_signing.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/record_types.h"

namespace petal::regtest::rpc {
namespace {

using GivenOutputs = std::map<chain::Outpoint, chain::TxOutput>;

/// The outputs that the caller states (`prevtxs`).
GivenOutputs parse_previous_outputs(const Json& given) {
    GivenOutputs outputs;
    for (const Json& one : given) {
        if (!one.is_object()) {
            throw RpcError(RpcCode::undecodable,
                           "expected object with {\"txid'\",\"vout\",\"scriptPubKey\"}");
        }
        for (const char* const name : {"txid", "vout", "scriptPubKey"}) {
            if (!one.contains(name)) {
                throw RpcError(RpcCode::wrong_type, "Missing " + std::string(name));
            }
            check_option(one, name, name == std::string_view("vout") ? "number" : "string");
        }
        const auto txid = Arguments::parse_hash<chain::Txid>(one["txid"], "txid");
        const std::int64_t index = Arguments::whole_number(one["vout"]);
        if (index < 0) throw RpcError(RpcCode::undecodable, "vout cannot be negative");
        const auto script = chain::from_hex(one["scriptPubKey"].get<std::string>());
        if (!script) {
            throw RpcError(RpcCode::invalid_parameter,
                           "scriptPubKey must be hexadecimal string (not '" +
                               one["scriptPubKey"].get<std::string>() + "')");
        }
        const chain::Satoshis value = one.contains("amount") ? parse_btc(one["amount"]) : 0;
        outputs[{txid, static_cast<std::uint32_t>(index)}] = {value, *script};
    }
    return outputs;
}

/// Moves signatures of the transaction into the PSBT.
void keep_signatures(const chain::Transaction& transaction, wallet::Psbt& psbt) {
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const chain::TxInput& input = transaction.inputs[i];
        if (!input.script_sig.empty()) {
            psbt.input(i).set(wallet::psbt_input::kFinalScriptSig, input.script_sig);
        }
        if (!input.witness.empty()) {
            psbt.input(i).set(wallet::psbt_input::kFinalWitness,
                              wallet::written_witness(input.witness));
        }
    }
}

Json input_error(const chain::TxInput& input, const std::string& error) {
    Json witness = Json::array();
    for (const auto& item : input.witness.items()) witness.push_back(chain::to_hex(item));
    return {{"txid", input.prevout.txid.to_hex()}, {"vout", input.prevout.index},
            {"witness", std::move(witness)},       {"scriptSig", chain::to_hex(input.script_sig)},
            {"sequence", input.sequence},          {"error", error}};
}

Json sign_raw_transaction(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    chain::Transaction transaction = parse_raw_transaction(
        arguments.text(0), "TX decode failed. Make sure the tx has at least one input.");
    require_unlocked(wallet);
    const auto given = arguments.has(1) ? parse_previous_outputs(arguments.at(1)) : GivenOutputs{};
    const auto hash_type =
        arguments.has(2) ? std::optional(parse_hash_type(arguments.text(2))) : std::nullopt;
    auto psbt = wallet::Psbt::of_transaction(transaction);
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const auto stated = given.find(transaction.inputs[i].prevout);
        if (stated != given.end()) psbt.set_utxo(i, stated->second, true, std::nullopt);
    }
    psbt = complete_psbt(wallet, std::move(psbt));
    keep_signatures(transaction, psbt);
    psbt = sign_psbt(wallet, std::move(psbt), hash_type);
    std::map<std::size_t, std::string> faults;
    for (const auto& error : wallet::finalize(psbt)) {
        faults[error.input] = std::string(describe(error.fault));
    }
    Json errors = Json::array();
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        chain::TxInput& input = transaction.inputs[i];
        const auto& map = psbt.inputs()[i];
        if (wallet::is_final(map)) {
            input.script_sig = wallet::value_of(map, wallet::psbt_input::kFinalScriptSig);
            input.witness = wallet::final_witness(map);
        }
        const bool is_known = given.contains(input.prevout) || psbt.utxo(i) ||
                              wallet.chain().find_output(input.prevout);
        if (!is_known) {
            errors.push_back(input_error(input, "Input not found or already spent"));
        } else if (!wallet::is_final(map)) {
            errors.push_back(input_error(
                input, "Unable to sign input, invalid stack size (possibly missing key)"));
        } else if (faults.contains(i)) {
            errors.push_back(input_error(input, faults[i]));
        }
    }
    Json json = {{"hex", chain::to_hex(transaction.serialize())}, {"complete", errors.empty()}};
    if (!errors.empty()) json["errors"] = std::move(errors);
    return json;
}

Json process_psbt(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    auto psbt = parse_psbt(arguments.text(0));
    const auto hash_type =
        arguments.has(2) ? std::optional(parse_hash_type(arguments.text(2))) : std::nullopt;
    const bool signs = arguments.boolean(1, true);
    if (signs) require_unlocked(wallet);
    psbt = complete_psbt(wallet, std::move(psbt));
    if (signs) psbt = sign_psbt(wallet, std::move(psbt), hash_type);
    const bool is_complete = wallet::is_complete(psbt);
    if (arguments.boolean(4, true)) static_cast<void>(wallet::finalize(psbt));
    Json json = {{"psbt", chain::to_base64(psbt.serialize())}, {"complete", is_complete}};
    if (!is_complete) return json;
    static_cast<void>(wallet::finalize(psbt));
    const auto transaction = wallet::extract(psbt);
    if (transaction) json["hex"] = chain::to_hex(transaction->serialize());
    return json;
}

}  // namespace

std::vector<WalletMethod> wallet_signing_methods() {
    using enum ArgumentKind;
    return {
        {"signrawtransactionwithwallet",
         {{"hexstring", text}, {"prevtxs", array, false}, {"sighashtype", text, false}},
         sign_raw_transaction,
         "signs the inputs of a transaction that are the wallet's"},
        {"walletprocesspsbt",
         {{"psbt", text},
          {"sign", boolean, false},
          {"sighashtype", text, false},
          {"bip32derivs", boolean, false},
          {"finalize", boolean, false}},
         process_psbt,
         "adds to a PSBT what the wallet knows, and its signatures"},
    };
}

}  // namespace petal::regtest::rpc
