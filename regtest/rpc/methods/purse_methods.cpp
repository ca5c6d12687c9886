#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "regtest/chain/regtest_purse.h"
#include "regtest/mempool/standard_policy.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/coin_choice.h"
#include "regtest/rpc/output_script.h"
#include "regtest/rpc/payment_arguments.h"
#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/wallet_method.h"
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
    const auto wanted = arguments.has(2) ? scripts_of(arguments.at(2)) : std::set<chain::Bytes>{};
    const bool has_unsafe = arguments.boolean(3, true);
    const CoinChoice choice = arguments.has(4) ? parse_coin_choice(arguments.at(4)) : CoinChoice{};
    Json unspent = Json::array();
    if (!wanted.empty() && !wanted.contains(own_script())) return unspent;
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

Json pay(RpcNode& node, PaymentArguments arguments) {
    auto& [outputs, fee_from, fee, is_verbose] = arguments;
    const PaymentTerms terms{fee.rate, std::move(fee_from), fee.is_replaceable};
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
    return pay(node, parse_send_to_address(arguments));
}

Json send_many(RpcNode& node, const Arguments& arguments) {
    return pay(node, parse_send_many(arguments));
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
    const auto method = [](std::string_view name, auto* run, std::string_view text) {
        return Method{name, find_wallet_method(name)->parameters, run, text};
    };
    return {
        method("getnewaddress", get_new_address,
               "the address of the node's own purse, always the same"),
        method("getbalance", get_balance, "what the purse can spend"),
        method("listunspent", list_unspent, "its coins"),
        method("sendtoaddress", send_to_address, "pays out of it, into the mempool"),
        method("sendmany", send_many, "pays several addresses at once"),
        method("createwallet", create_wallet, "does nothing: one purse serves"),
        method("loadwallet", load_wallet, "does nothing: one purse serves"),
    };
}

}  // namespace petal::regtest::rpc
