#include <utility>

#include "chain/script/opcode.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/coin_choice.h"
#include "regtest/rpc/decoded_transaction.h"
#include "regtest/rpc/output_script.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/wallet_funding.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"
#include "regtest/rpc/wallet_methods/wallet_payment.h"
#include "regtest/rpc/wallet_methods/wallet_signing.h"
#include "wallet/fee_bumper.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt_wallet.h"

namespace petal::regtest::rpc {
namespace {

/// Outputs in the order of the transaction, and the same by address for options that name them.
struct GivenDestinations {
    std::vector<chain::TxOutput> outputs;
    Json by_address = Json::object();
};

/// Reads an object, or an array of objects with one member each (Bitcoin Core: NormalizeOutputs,
/// ParseOutputs).
GivenDestinations parse_destinations(const Json& given) {
    if (!given.is_object() && !given.is_array()) {
        throw RpcError(RpcCode::wrong_type, "JSON value of type " + std::string(type_name(given)) +
                                                " is not of expected type array");
    }
    GivenDestinations result;
    const auto add = [&](const std::string& name, const Json& value) {
        if (result.by_address.contains(name)) {
            throw RpcError(RpcCode::invalid_parameter,
                           name == "data" ? "Invalid parameter, duplicate key: data"
                                          : "Invalid parameter, duplicated address: " + name);
        }
        result.by_address[name] = value;
        if (name != "data") {
            auto script = script_of_address(name, "Invalid Bitcoin address: " + name);
            result.outputs.push_back({parse_btc(value), std::move(script)});
            return;
        }
        const auto data = chain::from_hex(Arguments::text_of(value));
        constexpr std::size_t kMaxPush = 75;
        if (!data || data->size() > kMaxPush) {
            throw RpcError(RpcCode::invalid_parameter,
                           "Data must be hexadecimal string of at most 75 bytes");
        }
        chain::Bytes script = {chain::kOpReturn, static_cast<chain::Byte>(data->size())};
        script.insert(script.end(), data->begin(), data->end());
        result.outputs.push_back({0, std::move(script)});
    };
    if (given.is_object()) {
        for (const auto& [name, value] : given.items()) add(name, value);
        return result;
    }
    for (const Json& one : given) {
        if (!one.is_object() || one.size() != 1) {
            throw RpcError(RpcCode::invalid_parameter,
                           "Invalid parameter, key-value pair must contain exactly one key");
        }
        for (const auto& [name, value] : one.items()) add(name, value);
    }
    return result;
}

/// Reads inputs such as `{"txid","vout","sequence"}`.
std::vector<chain::TxInput> parse_inputs(const Json& given, std::uint32_t sequence) {
    std::vector<chain::TxInput> inputs;
    for (const Json& one : given) {
        if (!one.is_object() || !one.contains("txid")) {
            throw RpcError(RpcCode::invalid_parameter, "Invalid parameter, missing txid key");
        }
        const auto txid = Arguments::parse_hash<chain::Txid>(one["txid"], "txid");
        if (!one.contains("vout") || !one["vout"].is_number()) {
            throw RpcError(RpcCode::invalid_parameter, "Invalid parameter, missing vout key");
        }
        const std::int64_t index = Arguments::whole_number(one["vout"]);
        if (index < 0) {
            throw RpcError(RpcCode::invalid_parameter,
                           "Invalid parameter, vout cannot be negative");
        }
        std::uint32_t own_sequence = sequence;
        if (one.contains("sequence")) {
            const std::int64_t stated = Arguments::whole_number(one["sequence"]);
            if (stated < 0 || stated > 0xffffffff) {
                throw RpcError(RpcCode::invalid_parameter,
                               "Invalid parameter, sequence number is out of range");
            }
            own_sequence = static_cast<std::uint32_t>(stated);
        }
        inputs.push_back({{txid, static_cast<std::uint32_t>(index)}, {}, own_sequence, {}});
    }
    return inputs;
}

Json position_json(const std::optional<std::size_t>& position) {
    return position ? Json(*position) : Json(-1);
}

Json fund_raw_transaction(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    RawForm form = RawForm::either;
    if (arguments.has(2)) {
        form = arguments.boolean(2, true) ? RawForm::with_witness : RawForm::without_witness;
    }
    const auto draft = parse_draft_transaction(arguments.text(0), form);
    const Json options = arguments.has(1) ? arguments.at(1) : Json();
    const auto funding = parse_funding(options, draft.outputs.size(), nullptr);
    const auto funded = fund(call.wallets(), wallet, draft, funding);
    return {{"hex", chain::to_hex(funded.transaction.serialize())},
            {"fee", btc_json(funded.fee)},
            {"changepos", position_json(funded.change_index)}};
}

/// The draft of walletcreatefundedpsbt, send and sendall.
/// options   says whether the transaction is replaceable
chain::Transaction draft_of(const Json& inputs, const GivenDestinations& destinations,
                            const Json& lock_time, const Json& options) {
    chain::Transaction draft;
    draft.version = 2;
    if (!lock_time.is_null()) {
        const std::int64_t given = Arguments::whole_number(lock_time);
        if (given < 0 || given > 0xffffffff) {
            throw RpcError(RpcCode::invalid_parameter, "Invalid parameter, locktime out of range");
        }
        draft.lock_time = static_cast<std::uint32_t>(given);
    }
    const bool is_replaceable = options.value("replaceable", Json(true)) != false;
    draft.inputs = parse_inputs(
        inputs, is_replaceable ? wallet::kReplaceableSequence : kIrreplaceableSequence);
    draft.outputs = destinations.outputs;
    return draft;
}

Json create_funded_psbt(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    const Json options = arguments.has(3) ? arguments.at(3) : Json::object();
    const auto destinations = parse_destinations(arguments.at(1));
    const auto funding =
        parse_funding(options, destinations.outputs.size(), destinations.by_address);
    const Json inputs = arguments.has(0) ? arguments.at(0) : Json::array();
    const Json lock_time = arguments.has(2) ? arguments.at(2) : Json();
    FundingOptions completed = funding;
    if (!options.contains("add_inputs")) completed.adds_inputs = inputs.empty();
    const auto funded =
        fund(call.wallets(), wallet, draft_of(inputs, destinations, lock_time, options), completed);
    auto psbt = wallet::Psbt::of_transaction(funded.transaction);
    psbt = complete_psbt(wallet, std::move(psbt));
    return {{"psbt", chain::to_base64(psbt.serialize())},
            {"fee", btc_json(funded.fee)},
            {"changepos", position_json(funded.change_index)}};
}

/// Signs a funded transaction, and sends it unless the options say otherwise (Bitcoin Core:
/// FinishTransaction).
Json finish(const WalletCall& call, wallets::NamedWallet& wallet, wallet::Payment funded,
            const Json& options) {
    const bool wants_psbt = options.value("psbt", Json(false)) == true;
    const bool is_added = options.value("add_to_wallet", Json(true)) != false;
    if (is_added && !wants_psbt && wallet.flags().has_private_keys) {
        funded.change_index = std::nullopt;  // the change address is reserved
        const auto txid = send_payment(call.wallets(), wallet, std::move(funded));
        return {{"txid", txid.to_hex()}, {"complete", true}};
    }
    auto psbt = wallet::Psbt::of_transaction(funded.transaction);
    psbt = sign_psbt(wallet, complete_psbt(wallet, std::move(psbt)), std::nullopt);
    const bool is_complete = wallet::is_complete(psbt);
    Json json = {{"psbt", chain::to_base64(psbt.serialize())}};
    if (is_complete) {
        static_cast<void>(wallet::finalize(psbt));
        const auto transaction = wallet::extract(psbt).value();
        json["txid"] = transaction.txid().to_hex();
        json["hex"] = chain::to_hex(transaction.serialize());
    }
    json["complete"] = is_complete;
    return json;
}

Json send_outputs(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    Json options = arguments.has(4) ? arguments.at(4) : Json::object();
    if (arguments.has(3)) {
        if (options.contains("fee_rate")) {
            throw RpcError(RpcCode::invalid_parameter,
                           "Pass the fee_rate either as an argument, or in the options object, "
                           "but not both");
        }
        options["fee_rate"] = arguments.at(3);
    }
    const auto destinations = parse_destinations(arguments.at(0));
    auto funding = parse_funding(options, destinations.outputs.size(), destinations.by_address);
    const Json inputs = options.value("inputs", Json::array());
    if (!options.contains("add_inputs")) funding.adds_inputs = inputs.empty();
    require_unlocked(wallet);
    auto funded =
        fund(call.wallets(), wallet,
             draft_of(inputs, destinations, options.value("locktime", Json()), options), funding);
    return finish(call, wallet, std::move(funded), options);
}

Json send_all(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    Json options = arguments.has(4) ? arguments.at(4) : Json::object();
    if (arguments.has(3)) options["fee_rate"] = arguments.at(3);
    std::vector<chain::Bytes> sharing;
    Json fixed = Json::array();
    for (const Json& given : arguments.at(0)) {
        if (!given.is_string()) {
            fixed.push_back(given);
            continue;
        }
        const std::string address = given.get<std::string>();
        sharing.push_back(script_of_address(address, "Invalid Bitcoin address: " + address));
    }
    if (sharing.empty()) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Must provide at least one address without a specified amount");
    }
    const auto destinations = parse_destinations(fixed);
    const auto funding = parse_funding(options, 0, nullptr);
    const Json inputs = options.value("inputs", Json::array());
    if (!inputs.empty() && options.value("send_max", Json(false)) == true) {
        throw RpcError(RpcCode::invalid_parameter, "Cannot combine send_max with specific inputs.");
    }
    require_unlocked(wallet);
    const auto draft = draft_of(inputs, destinations, options.value("locktime", Json()), options);
    auto funded = fund_with_all(call.wallets(), wallet, draft, sharing, funding);
    return finish(call, wallet, std::move(funded), options);
}

RpcError bump_error(const wallet::BumpFailure& failure) {
    using enum wallet::BumpError;
    switch (failure.error) {
        case unknown:
            return {RpcCode::not_found, "Invalid or non-wallet transaction id"};
        case confirmed:
            return {RpcCode::wallet_error,
                    "Transaction has been mined, or is conflicted with a mined transaction"};
        case has_descendant:
            return {RpcCode::invalid_parameter, "Transaction has descendants in the wallet"};
        case foreign_inputs:
            return {RpcCode::wallet_error,
                    "Transaction contains inputs that don't belong to this wallet"};
        case conflicted:
            return {RpcCode::wallet_error, "Cannot bump transaction which was already bumped"};
        case undone:
        case not_announced:
        case no_own_output:
            break;
    }
    return {RpcCode::wallet_error, std::string(describe(failure.error))};
}

Json bump_fee(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    const auto txid = arguments.hash<chain::Txid>(0);
    const Json options = arguments.has(1) ? arguments.at(1) : Json::object();
    require_private_keys(wallet);
    if (wallet.keys() == nullptr) {
        throw RpcError(RpcCode::not_found, "Invalid or non-wallet transaction id");
    }
    wallet::Wallet& keys = *wallet.keys();
    wallet::FeeBumper bumper(keys);
    auto request = bumper.replacement_of(txid);
    if (!request) throw bump_error(request.error());
    const chain::Satoshis old_fee = request->replaced->fee;
    std::optional<chain::Satoshis> rate;
    if (options.contains("fee_rate")) rate = parse_fee_rate(options["fee_rate"]);
    constexpr chain::Satoshis kStep = 5'000;  // Bitcoin Core: WALLET_INCREMENTAL_RELAY_FEE
    request->fee_rate = rate ? choose_rate(call.wallets().options(), wallet.chain(), rate).rate
                             : wallet::FeeRate(request->replaced->fee_rate().sat_per_kvb() + kStep);
    request->tip_height = wallet.chain().tip().height;
    const auto payment = build_replacement(wallet, *request);
    if (rate && payment.fee_reason == wallet::FeeReason::replacement) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Insufficient total fee " + money_text(payment.fee_at_rate) +
                           ", must be at least " + money_text(payment.fee) + " (oldFee " +
                           money_text(old_fee) + " + incrementalFee " +
                           money_text(payment.fee - old_fee) + ")");
    }
    const auto sent = send_replacement(call.wallets(), wallet, payment, txid);
    return {{"txid", sent.to_hex()},
            {"origfee", btc_json(old_fee)},
            {"fee", btc_json(payment.fee)},
            {"errors", Json::array()}};
}

}  // namespace

std::vector<WalletMethod> wallet_funding_methods() {
    using enum ArgumentKind;
    return {
        {"fundrawtransaction",
         {{"hexstring", text},
          {"options", object, false, "", funding_option_names()},
          {"iswitness", boolean, false}},
         fund_raw_transaction,
         "adds coins and change to a transaction"},
        {"walletcreatefundedpsbt",
         {{"inputs", array, false},
          {"outputs", any},
          {"locktime", number, false},
          {"options", object, false, "", funding_option_names()},
          {"bip32derivs", boolean, false}},
         create_funded_psbt,
         "makes a PSBT with coins and change"},
        {"send",
         {{"outputs", any},
          {"conf_target", number, false},
          {"estimate_mode", text, false},
          {"fee_rate", amount, false},
          {"options", object, false, "", funding_option_names()}},
         send_outputs,
         "pays, with the options of fundrawtransaction"},
        {"sendall",
         {{"recipients", array},
          {"conf_target", number, false},
          {"estimate_mode", text, false},
          {"fee_rate", amount, false},
          {"options", object, false, "", funding_option_names()}},
         send_all,
         "pays all that the wallet has"},
        {"bumpfee",
         {{"txid", text}, {"options", object, false}},
         bump_fee,
         "replaces a payment by one with a higher fee"},
    };
}

}  // namespace petal::regtest::rpc
