#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "regtest/chain/regtest_purse.h"
#include "regtest/mempool/standard_policy.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/coin_choice.h"
#include "regtest/rpc/fee_choice.h"
#include "regtest/rpc/output_script.h"
#include "regtest/rpc/payment_arguments.h"
#include "regtest/rpc/rpc_method.h"
#include "wallet/descriptors/address.h"

namespace petal::regtest::rpc {
namespace {

/// In satoshi per 1,000 vB. At this fee rate, the smallest payment costs more than Bitcoin Core
/// pays for any payment (DEFAULT_TRANSACTION_MAXFEE).
constexpr chain::Satoshis kTooHighFeeRate = 100'000'000;

const chain::Bytes& own_script() {
    static const chain::Bytes script = purse_script(PurseKind::p2wpkh);
    return script;
}

/// A coin of the purse.
struct ListedCoin {
    chain::Outpoint outpoint;
    chain::Satoshis value = 0;
    std::int64_t confirmations = 0;  ///< 0 for a mempool transaction
    bool is_safe = true;             ///< confirmed, or of the purse's own transaction
    bool is_mature = true;
};

/// Whether the purse made the transaction, and so will not replace it.
bool is_own(const RegtestChain& chain, const chain::Transaction& transaction) {
    const auto spent = chain.mempool().layer().spent_outputs(transaction);
    return std::ranges::all_of(
        spent, [](const auto& output) { return output.script_pubkey == own_script(); });
}

/// The coins that the mempool does not spend, ordered by outpoint.
std::vector<ListedCoin> purse_coins(const RegtestChain& chain) {
    std::vector<ListedCoin> coins;
    const auto& layer = chain.mempool().layer();
    for (const auto& [outpoint, coin] : chain.blocks().coins().all()) {
        if (!std::ranges::equal(coin.script_pubkey(), own_script())) continue;
        if (layer.is_spent(outpoint)) continue;
        coins.push_back({outpoint, coin.value(), std::int64_t{chain.height()} - coin.height() + 1,
                         true, coin.is_mature(chain.height())});
    }
    for (const auto& [outpoint, output] : layer.created()) {
        if (output.script_pubkey != own_script() || layer.is_spent(outpoint)) continue;
        const bool is_safe = is_own(chain, *chain.mempool().transaction(outpoint.txid));
        coins.push_back({outpoint, output.value, 0, is_safe, true});
    }
    std::ranges::sort(coins, {}, &ListedCoin::outpoint);
    return coins;
}

std::string own_address() {
    return wallet::address_of(own_script(), regtest_network());
}

/// The purse has one key. Programs that request an address for mining need no more.
Json get_new_address(RpcNode& /*node*/, const Arguments& arguments) {
    if (!arguments.has(1) || arguments.text(1) == "bech32") return own_address();
    constexpr std::string_view kOtherTypes[] = {"legacy", "p2sh-segwit", "bech32m"};
    if (std::ranges::find(kOtherTypes, arguments.text(1)) != std::end(kOtherTypes)) {
        throw RpcError(RpcCode::invalid_parameter,
                       "The node's purse has one address, which is of type bech32");
    }
    throw RpcError(RpcCode::not_found, "Unknown address type '" + arguments.text(1) + "'");
}

Json get_balance(RpcNode& node, const Arguments& arguments) {
    if (arguments.has(0) && arguments.text(0) != "*") {
        throw RpcError(RpcCode::method_deprecated,
                       "dummy first argument must be excluded or set to \"*\".");
    }
    const std::int64_t least = arguments.number(1, 0);
    if (arguments.boolean(3, false)) {
        throw RpcError(RpcCode::wallet_error,
                       "wallet does not have the \"avoid reuse\" feature enabled");
    }
    chain::Satoshis total = 0;
    for (const ListedCoin& coin : purse_coins(node.chain)) {
        if (coin.is_safe && coin.is_mature && coin.confirmations >= least) total += coin.value;
    }
    return btc_json(total);
}

/// Whether one of the addresses is the purse's. True for an empty list (Bitcoin Core: listunspent).
bool names_own_address(const Json& addresses) {
    std::set<chain::Bytes> scripts;
    for (const Json& given : addresses) {
        const std::string& address = Arguments::text_of(given);
        auto script = script_of_address(address, "Invalid Bitcoin address: " + address);
        if (scripts.insert(std::move(script)).second) continue;
        throw RpcError(RpcCode::invalid_parameter,
                       "Invalid parameter, duplicated address: " + address);
    }
    return scripts.empty() || scripts.contains(own_script());
}

Json coin_json(const ListedCoin& coin) {
    return {{"txid", coin.outpoint.txid.to_hex()},
            {"vout", coin.outpoint.index},
            {"address", own_address()},
            {"scriptPubKey", chain::to_hex(own_script())},
            {"amount", btc_json(coin.value)},
            {"confirmations", coin.confirmations},
            {"spendable", true},
            {"solvable", true},
            {"safe", coin.is_safe}};
}

Json list_unspent(RpcNode& node, const Arguments& arguments) {
    const std::int64_t least = arguments.number(0, 1);
    const std::int64_t most = arguments.number(1, 9'999'999);
    const bool is_wanted = !arguments.has(2) || names_own_address(arguments.at(2));
    const bool has_unsafe = arguments.boolean(3, true);
    const CoinChoice choice = arguments.has(4) ? parse_coin_choice(arguments.at(4)) : CoinChoice{};
    Json unspent = Json::array();
    if (!is_wanted) return unspent;
    chain::Satoshis total = 0;
    for (const ListedCoin& coin : purse_coins(node.chain)) {
        if (coin.confirmations < least || coin.confirmations > most) continue;
        if (coin.value < choice.least_value || coin.value > choice.most_value) continue;
        if ((!coin.is_safe && !has_unsafe) || (!coin.is_mature && !choice.has_immature)) continue;
        unspent.push_back(coin_json(coin));
        total += coin.value;
        const bool is_full = choice.most_coins > 0 && std::ssize(unspent) >= choice.most_coins;
        if (is_full || total >= choice.least_total) break;
    }
    return unspent;
}

RpcError payment_refusal(const std::string& message) {
    return {RpcCode::insufficient_funds, message};
}

/// Why the mempool refuses a payment of the purse, in the words of Bitcoin Core's wallet.
std::string payment_fault(const Rejection& rejection) {
    using enum RejectReason;
    if (rejection.reason == weight) return "Transaction too large";
    if (rejection.reason == negative_output) {
        return "The transaction amount is too small to pay the fee";
    }
    if (rejection.reason == dust) {
        return "The transaction amount is too small to send after the fee has been deducted";
    }
    return describe(rejection);
}

PaymentTerms terms_of(const FeeChoice& choice) {
    return {choice.rate, {}, choice.is_replaceable};
}

Json pay(RpcNode& node, std::vector<chain::TxOutput> outputs, const PaymentTerms& terms,
         bool is_verbose) {
    if (outputs.empty()) throw payment_refusal("Transaction must have at least one recipient");
    if (std::ranges::any_of(outputs, is_dust))
        throw payment_refusal("Transaction amount too small");
    if (terms.fee_rate >= kTooHighFeeRate) {
        throw payment_refusal(
            "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)");
    }
    try {
        const auto txid = node.chain.offer_payment(std::move(outputs), node.settings.policy, terms);
        if (!txid) throw payment_refusal(payment_fault(txid.error()));
        if (!is_verbose) return txid->to_hex();
        return {{"txid", txid->to_hex()}, {"fee_reason", terms.fee_rate ? "None" : "Fallback fee"}};
    } catch (const std::invalid_argument&) {  // the amounts were checked before
        throw payment_refusal("Insufficient funds");
    }
}

Json send_to_address(RpcNode& node, const Arguments& arguments) {
    arguments.take_only(8, false);
    PaymentTerms terms = terms_of(parse_fee_choice(arguments, {5, 6, 7, 9}));
    if (arguments.boolean(4, false)) terms.fee_from = {0};
    auto outputs = parse_outputs(Json::object({{arguments.text(0), arguments.at(1)}}));
    return pay(node, std::move(outputs), terms, arguments.boolean(10, false));
}

Json send_many(RpcNode& node, const Arguments& arguments) {
    if (arguments.has(0) && !arguments.text(0).empty()) {
        throw RpcError(RpcCode::invalid_parameter, "Dummy value must be set to \"\"");
    }
    PaymentTerms terms = terms_of(parse_fee_choice(arguments, {5, 6, 7, 8}));
    auto outputs = parse_outputs(arguments.at(1));
    if (arguments.has(4)) terms.fee_from = parse_fee_from(arguments.at(1), arguments.at(4));
    return pay(node, std::move(outputs), terms, arguments.boolean(9, false));
}

/// Every wallet name means the node's purse, which exists from the start.
Json load_wallet(RpcNode& /*node*/, const Arguments& arguments) {
    return {{"name", arguments.text(0)}};
}

Json create_wallet(RpcNode& node, const Arguments& arguments) {
    if (arguments.text(0).empty()) {
        throw RpcError(RpcCode::invalid_parameter, "Wallet name cannot be empty");
    }
    arguments.take_only(1, false);
    arguments.take_only(2, false);
    arguments.take_only(3, "");
    arguments.take_only(4, false);
    arguments.take_only(5, true);
    arguments.take_only(7, false);
    return load_wallet(node, arguments);
}

}  // namespace

std::vector<Method> purse_methods() {
    using enum ArgumentKind;
    return {
        {"getnewaddress",
         {{"label", text, false}, {"address_type", text, false}},
         get_new_address,
         "the address of the node's own purse, always the same"},
        {"getbalance",
         {{"dummy", text, false},
          {"minconf", number, false},
          {"include_watchonly", boolean, false},
          {"avoid_reuse", boolean, false}},
         get_balance,
         "what the purse can spend"},
        {"listunspent",
         {{"minconf", number, false},
          {"maxconf", number, false},
          {"addresses", array, false},
          {"include_unsafe", boolean, false},
          {"query_options", object, false, "", coin_choice_names()}},
         list_unspent,
         "its coins"},
        {"sendtoaddress",
         {{"address", text},
          {"amount", amount},
          {"comment", text, false},
          {"comment_to", text, false},
          {"subtractfeefromamount", boolean, false},
          {"replaceable", boolean, false},
          {"conf_target", number, false},
          {"estimate_mode", text, false},
          {"avoid_reuse", boolean, false},
          {"fee_rate", amount, false},
          {"verbose", boolean, false}},
         send_to_address,
         "pays out of it, into the mempool"},
        {"sendmany",
         {{"dummy", text, false},
          {"amounts", object},
          {"minconf", number, false},
          {"comment", text, false},
          {"subtractfeefrom", array, false},
          {"replaceable", boolean, false},
          {"conf_target", number, false},
          {"estimate_mode", text, false},
          {"fee_rate", amount, false},
          {"verbose", boolean, false}},
         send_many,
         "pays several addresses at once"},
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
         "does nothing: one purse serves"},
        {"loadwallet",
         {{"filename", text}, {"load_on_startup", boolean, false}},
         load_wallet,
         "does nothing: one purse serves"},
    };
}

}  // namespace petal::regtest::rpc
