#include "regtest/rpc/wallet_methods/wallet_funding.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "chain/script/dust.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/coin_choice.h"
#include "regtest/rpc/fee_choice.h"
#include "regtest/rpc/output_script.h"
#include "regtest/rpc/payment_arguments.h"
#include "regtest/rpc/wallet_methods/own_coins.h"
#include "regtest/rpc/wallet_methods/wallet_payment.h"

namespace petal::regtest::rpc {
namespace {

/// An option, and the type that it must have. Amounts have no type.
struct FundingOption {
    std::string_view name;
    std::string_view type;
};
constexpr FundingOption kFundingOptions[] = {
    {"add_inputs", "bool"},
    {"include_unsafe", "bool"},
    {"add_to_wallet", "bool"},
    {"changeAddress", "string"},
    {"change_address", "string"},
    {"changePosition", "number"},
    {"change_position", "number"},
    {"change_type", "string"},
    {"includeWatching", "bool"},
    {"include_watching", "bool"},
    {"inputs", "array"},
    {"lockUnspents", "bool"},
    {"lock_unspents", "bool"},
    {"locktime", "number"},
    {"fee_rate", ""},
    {"feeRate", ""},
    {"psbt", "bool"},
    {"send_max", "bool"},
    {"subtractFeeFromOutputs", "array"},
    {"subtract_fee_from_outputs", "array"},
    {"replaceable", "bool"},
    {"conf_target", "number"},
    {"estimate_mode", "string"},
    {"minconf", "number"},
    {"maxconf", "number"},
};

void check_options(const Json& options) {
    for (const auto& [name, value] : options.items()) {
        const auto known = std::ranges::find(kFundingOptions, name, &FundingOption::name);
        if (known == std::end(kFundingOptions)) {
            throw RpcError(RpcCode::wrong_type, "Unexpected key " + name);
        }
        if (!known->type.empty()) check_option(options, name.c_str(), known->type);
    }
}

/// The option with one of two names. Null if neither is there.
Json either(const Json& options, const char* name, const char* older) {
    return options.contains(name) ? options[name] : options.value(older, Json());
}

/// Reads the fee rate. Of the target and the mode, only the names are checked: there is never an
/// estimate.
std::optional<chain::Satoshis> requested_rate(const Json& options) {
    const bool has_rate = options.contains("fee_rate");
    if (options.contains("feeRate")) {
        if (has_rate) {
            throw RpcError(RpcCode::invalid_parameter,
                           "Cannot specify both fee_rate (sat/vB) and feeRate (BTC/kvB)");
        }
        return parse_btc(options["feeRate"]);
    }
    if (!has_rate || options["fee_rate"].is_null()) return std::nullopt;
    if (options.contains("conf_target") && !options["conf_target"].is_null()) {
        throw RpcError(
            RpcCode::invalid_parameter,
            "Cannot specify both conf_target and fee_rate. Please provide either a confirmation "
            "target in blocks for automatic fee estimation, or an explicit fee rate.");
    }
    return parse_fee_rate(options["fee_rate"]);
}

/// Coins that may be added, largest first.
std::vector<wallet::InputCoin> addable_coins(const wallets::NamedWallet& wallet,
                                             const wallet::SpendableCoins& spendable,
                                             const FundingOptions& options,
                                             const std::set<chain::Outpoint>& given) {
    std::set<chain::Outpoint> allowed;
    for (const OwnCoin& coin : own_coins(wallet)) {
        const bool is_allowed = coin.is_mature && !wallet.locked_coins().contains(coin.outpoint) &&
                                !given.contains(coin.outpoint) &&
                                coin.confirmations >= options.least_confirmations &&
                                coin.confirmations <= options.most_confirmations;
        if (is_allowed) allowed.insert(coin.outpoint);
    }
    std::vector<wallet::InputCoin> coins;
    for (const wallet::InputCoin& coin : spendable.coins) {
        if (allowed.contains(coin.outpoint)) coins.push_back(coin);
    }
    std::ranges::sort(coins, std::ranges::greater(),
                      [](const wallet::InputCoin& coin) { return coin.output.value; });
    return coins;
}

/// The coins of the draft's inputs.
std::vector<wallet::InputCoin> given_coins(const wallets::NamedWallet& wallet,
                                           const wallet::SpendableCoins& spendable,
                                           const chain::Transaction& draft) {
    std::vector<wallet::InputCoin> coins;
    for (const chain::TxInput& input : draft.inputs) {
        const auto found =
            std::ranges::find(spendable.coins, input.prevout, &wallet::InputCoin::outpoint);
        if (found == spendable.coins.end()) {
            const bool is_known = wallet.chain().find_output(input.prevout).has_value();
            throw RpcError(RpcCode::wallet_error,
                           std::string(is_known ? "Not solvable" : "Not found") +
                               " pre-selected input COutPoint(" +
                               input.prevout.txid.to_hex().substr(0, 10) + ", " +
                               std::to_string(input.prevout.index) + ")");
        }
        coins.push_back(*found);
    }
    return coins;
}

/// A coin whose owner pays, for a watch-only wallet, which may watch several owners: the draft's
/// first input, or else the largest coin. Empty for any other wallet.
std::optional<chain::Outpoint> coin_of_payer(const wallets::NamedWallet& wallet,
                                             const chain::Transaction& draft) {
    if (!wallet.keys()->info().watch_only) return std::nullopt;
    if (!draft.inputs.empty()) return draft.inputs.front().prevout;
    const auto coins = own_coins(wallet);
    const auto largest = std::ranges::max_element(coins, {}, &OwnCoin::value);
    return largest == coins.end() ? std::nullopt : std::optional(largest->outpoint);
}

/// Adds the change to a request with recipients. Returns the coins that its payer may spend.
wallet::SpendableCoins prepare(const wallets::NamedWallet& wallet, const chain::Transaction& draft,
                               wallet::PaymentRequest& request) {
    const auto payer = coin_of_payer(wallet, draft);
    auto spendable = wallet.keys()->spendable_coins(payer);
    request.relatives = spendable.relatives;
    request.change = wallet.keys()->change_for(request.recipients, payer);
    return spendable;
}

/// Puts the draft's inputs first, in their order and with their sequence numbers.
void restore_inputs(const chain::Transaction& draft, wallet::Payment& payment) {
    std::map<chain::Outpoint, std::size_t> order;
    for (std::size_t i = 0; i < draft.inputs.size(); ++i) order[draft.inputs[i].prevout] = i;
    std::ranges::stable_sort(payment.coins, {}, [&](const wallet::InputCoin& coin) {
        const auto found = order.find(coin.outpoint);
        return found == order.end() ? order.size() : found->second;
    });
    std::vector<chain::TxInput> inputs;
    for (const wallet::InputCoin& coin : payment.coins) {
        const auto found = order.find(coin.outpoint);
        if (found != order.end()) {
            inputs.push_back(draft.inputs[found->second]);
        } else {
            inputs.push_back({coin.outpoint, {}, wallet::kReplaceableSequence, {}});
        }
    }
    payment.transaction.inputs = std::move(inputs);
}

/// Takes over what else the draft states, and locks the coins if the options say so.
void complete(wallets::NamedWallet& wallet, const chain::Transaction& draft,
              const FundingOptions& options, wallet::Payment& payment) {
    restore_inputs(draft, payment);
    payment.transaction.version = draft.version;
    payment.transaction.lock_time = draft.lock_time;
    if (!options.locks_coins) return;
    for (const auto& coin : payment.coins) wallet.locked_coins().insert(coin.outpoint);
}

void move_change(wallet::Payment& payment, std::size_t position) {
    auto& outputs = payment.transaction.outputs;
    const chain::TxOutput change = outputs[*payment.change_index];
    outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(*payment.change_index));
    outputs.insert(outputs.begin() + static_cast<std::ptrdiff_t>(position), change);
    payment.change_index = position;
}

/// Builds a payment from the given coins and as few more as are needed.
chain::Expected<wallet::Payment, wallet::PaymentFailure> build_with(
    wallet::PaymentRequest& request, std::vector<wallet::InputCoin> coins,
    std::span<const wallet::InputCoin> more) {
    if (coins.empty()) return wallet::build_payment(request, more, random_bits);
    request.spends_all_given = true;
    auto payment = wallet::build_payment(request, coins, random_bits);
    for (const wallet::InputCoin& coin : more) {
        const bool is_short =
            !payment && payment.error().error == wallet::PaymentError::insufficient_funds;
        if (!is_short) break;
        coins.push_back(coin);
        payment = wallet::build_payment(request, coins, random_bits);
    }
    return payment;
}

}  // namespace

std::vector<std::string_view> funding_option_names() {
    std::vector<std::string_view> names;
    for (const FundingOption& option : kFundingOptions) names.push_back(option.name);
    return names;
}

FundingOptions parse_funding(const Json& options, std::size_t output_count, const Json& outputs) {
    FundingOptions funding;
    if (options.is_null()) return funding;
    check_options(options);
    funding.adds_inputs = options.value("add_inputs", Json(true)) != false;
    const Json change = either(options, "change_address", "changeAddress");
    if (!change.is_null()) {
        funding.change_script = script_of_address(change.get<std::string>(),
                                                  "Change address must be a valid bitcoin address");
    }
    const Json position = either(options, "change_position", "changePosition");
    if (!position.is_null()) {
        const std::int64_t at = Arguments::whole_number(position);
        if (at < 0 || at > static_cast<std::int64_t>(output_count)) {
            throw RpcError(RpcCode::invalid_parameter, "changePosition out of bounds");
        }
        funding.change_position = static_cast<std::size_t>(at);
    }
    funding.locks_coins = either(options, "lock_unspents", "lockUnspents") == true;
    funding.fee_rate = requested_rate(options);
    const Json payers = either(options, "subtract_fee_from_outputs", "subtractFeeFromOutputs");
    if (!payers.is_null()) {
        Json places = outputs;
        if (places.is_null()) {  // only positions can be named
            places = Json::object();
            for (std::size_t i = 0; i < output_count; ++i) places[std::to_string(i)] = 0;
        }
        funding.fee_from = parse_fee_from(places, payers);
    }
    const auto count = [&](const char* name, std::int64_t otherwise) {
        return options.contains(name) ? Arguments::whole_number(options[name]) : otherwise;
    };
    funding.least_confirmations = count("minconf", 0);
    if (funding.least_confirmations < 0) {
        throw RpcError(RpcCode::invalid_parameter, "Negative minconf");
    }
    funding.most_confirmations = count("maxconf", funding.most_confirmations);
    if (funding.most_confirmations < funding.least_confirmations) {
        throw RpcError(
            RpcCode::invalid_parameter,
            "maxconf can't be lower than minconf: " + std::to_string(funding.most_confirmations) +
                " < " + std::to_string(funding.least_confirmations));
    }
    return funding;
}

wallet::Payment fund(wallets::WalletSet& wallets, wallets::NamedWallet& wallet,
                     const chain::Transaction& draft, const FundingOptions& options) {
    if (draft.outputs.empty()) {
        throw RpcError(RpcCode::invalid_parameter, "TX must have at least one output");
    }
    const auto rate = choose_rate(wallets.options(), wallet.chain(), options.fee_rate);
    if (wallet.keys() == nullptr) throw RpcError(RpcCode::wallet_error, "Insufficient funds");
    wallet::PaymentRequest request;
    request.fee_rate = rate.rate;
    request.recipients_pay_fee = !options.fee_from.empty();
    for (std::size_t i = 0; i < draft.outputs.size(); ++i) {
        const bool pays_fee = std::ranges::find(options.fee_from, i) != options.fee_from.end();
        request.recipients.push_back(
            {draft.outputs[i].script_pubkey, draft.outputs[i].value, false, !pays_fee});
    }
    const auto spendable = prepare(wallet, draft, request);
    if (options.change_script) {
        request.change.script_pubkey = *options.change_script;
        request.change.is_new = false;
    }
    const auto given = given_coins(wallet, spendable, draft);
    std::set<chain::Outpoint> outpoints;
    for (const auto& coin : given) outpoints.insert(coin.outpoint);
    const auto more = options.adds_inputs ? addable_coins(wallet, spendable, options, outpoints)
                                          : std::vector<wallet::InputCoin>{};
    auto payment = build_with(request, given, more);
    if (!payment) {
        const bool is_preset = !options.adds_inputs && !given.empty();
        throw RpcError(RpcCode::wallet_error,
                       is_preset
                           ? "The preselected coins total amount does not cover the transaction "
                             "target. Please allow other inputs to be automatically selected or "
                             "include more coins manually"
                           : payment_fault_text(payment.error()));
    }
    complete(wallet, draft, options, *payment);
    if (payment->change_index && options.change_position) {
        move_change(*payment, *options.change_position);
    }
    if (payment->change_index && !options.change_script) {
        auto& script = payment->transaction.outputs[*payment->change_index].script_pubkey;
        script = wallet.keys()->reserve_change(script);
    }
    return *std::move(payment);
}

wallet::Payment fund_with_all(wallets::WalletSet& wallets, wallets::NamedWallet& wallet,
                              const chain::Transaction& draft,
                              const std::vector<chain::Bytes>& sharing,
                              const FundingOptions& options) {
    const auto rate = choose_rate(wallets.options(), wallet.chain(), options.fee_rate);
    const RpcError too_low = unfunded(
        "Total value of UTXO pool too low to pay for transaction, try using lower feerate.");
    if (wallet.keys() == nullptr) throw too_low;
    wallet::PaymentRequest request;
    request.fee_rate = rate.rate;
    for (const chain::Bytes& script : sharing) {
        // The first takes the rest, which is shared out below.
        const bool takes_rest = request.recipients.empty();
        request.recipients.push_back({script, chain::dust_threshold(script), takes_rest});
    }
    for (const chain::TxOutput& output : draft.outputs) {
        request.recipients.push_back({output.script_pubkey, output.value});
    }
    const auto spendable = prepare(wallet, draft, request);
    request.spends_all_given = !draft.inputs.empty();
    const auto coins = draft.inputs.empty() ? addable_coins(wallet, spendable, options, {})
                                            : given_coins(wallet, spendable, draft);
    auto payment = wallet::build_payment(request, coins, random_bits);
    if (!payment) {
        const bool is_short = payment.error().error == wallet::PaymentError::insufficient_funds;
        throw is_short ? too_low : unfunded(payment_fault_text(payment.error()));
    }
    auto& outputs = payment->transaction.outputs;
    const auto count = static_cast<chain::Satoshis>(sharing.size());
    chain::Satoshis rest = 0;
    for (std::size_t i = 0; i < sharing.size(); ++i) rest += outputs[i].value;
    for (std::size_t i = 0; i < sharing.size(); ++i) {
        outputs[i].value = rest / count + (i == 0 ? rest % count : 0);
        if (outputs[i].value < chain::dust_threshold(sharing[i])) {
            throw unfunded("Dynamically assigned remainder results in dust output.");
        }
    }
    complete(wallet, draft, options, *payment);
    return *std::move(payment);
}

}  // namespace petal::regtest::rpc
