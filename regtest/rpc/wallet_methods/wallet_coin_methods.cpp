#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "chain/script/script.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/coin_choice.h"
#include "regtest/rpc/output_script.h"
#include "regtest/rpc/regtest_network.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/own_coins.h"
#include "regtest/rpc/wallet_methods/own_scripts.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"
#include "wallet/descriptors/address.h"

namespace petal::regtest::rpc {
namespace {

Json get_balance(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    if (arguments.has(0) && arguments.text(0) != "*") {
        throw RpcError(RpcCode::method_deprecated,
                       "dummy first argument must be excluded or set to \"*\".");
    }
    const std::int64_t least = arguments.number(1, 0);
    const bool avoids_reuse = avoid_reuse(wallet, arguments, 3);
    chain::Satoshis total = 0;
    for (const OwnCoin& coin : own_coins(wallet)) {
        if (!coin.is_trusted || !coin.is_mature || coin.confirmations < least) continue;
        if (!avoids_reuse || !coin.is_reused) total += coin.value;
    }
    return btc_json(total);
}

/// What unconfirmed payments have spent that are not in the mempool.
chain::Satoshis spent_outside_mempool(const wallets::NamedWallet& wallet) {
    chain::Satoshis total = 0;
    if (wallet.keys() == nullptr) return total;
    for (const wallet::HistoryEntry& entry : wallet.keys()->history(0)) {
        if (entry.height || !entry.counts() || entry.sent == 0) continue;
        if (!wallet.chain().is_pending(entry.txid)) total += entry.sent;
    }
    return total;
}

Json get_balances(const WalletCall& call, const Arguments& /*arguments*/) {
    const wallets::NamedWallet& wallet = call.wallet();
    chain::Satoshis trusted = 0;
    chain::Satoshis pending = 0;
    chain::Satoshis immature = 0;
    chain::Satoshis used = 0;
    for (const OwnCoin& coin : own_coins(wallet)) {
        if (coin.is_reused) {
            used += coin.value;
        } else if (!coin.is_mature) {
            immature += coin.value;
        } else if (coin.is_trusted) {
            trusted += coin.value;
        } else {
            pending += coin.value;
        }
    }
    const chain::Satoshis outside = spent_outside_mempool(wallet);
    Json mine = {{"trusted", btc_json(trusted + outside)},
                 {"untrusted_pending", btc_json(pending)},
                 {"immature", btc_json(immature)},
                 {"nonmempool", btc_json(-outside)}};
    if (wallet.flags().avoids_reuse) mine["used"] = btc_json(used);
    Json json = {{"mine", std::move(mine)}};
    add_last_block(json, wallet);
    return json;
}

Json coin_json(const wallets::NamedWallet& wallet, const OwnCoin& coin, OwnScripts& scripts) {
    const auto known = scripts.describe(coin.path);
    Json json = {{"txid", coin.outpoint.txid.to_hex()}, {"vout", coin.outpoint.index}};
    const std::string address = wallet::address_of(coin.script_pubkey, regtest_network());
    if (!address.empty()) {
        json["address"] = address;
        const auto chain = wallet.keys()->chain_of(coin.path.descriptor);
        if (chain == wallet::KeyChain::receive || !coin.label.empty()) json["label"] = coin.label;
        const auto& script = known.derivation.scripts.front();
        if (!script.redeem_script.empty()) {
            json["redeemScript"] = chain::to_hex(script.redeem_script);
        }
        if (!script.witness_script.empty()) {
            json["witnessScript"] = chain::to_hex(script.witness_script);
        }
    }
    json["scriptPubKey"] = chain::to_hex(coin.script_pubkey);
    json["amount"] = btc_json(coin.value);
    json["confirmations"] = coin.confirmations;
    if (coin.confirmations == 0) {
        if (const auto ancestry = wallet.chain().ancestry(coin.outpoint.txid)) {
            json["ancestorcount"] = ancestry->count;
            json["ancestorsize"] = ancestry->size;
            json["ancestorfees"] = ancestry->fees;
        }
    }
    json["spendable"] = true;
    json["solvable"] = known.is_solvable;
    if (known.is_solvable) json["desc"] = known.descriptor;
    json["parent_descs"] = Json::array({known.parent});
    if (wallet.flags().avoids_reuse) json["reused"] = coin.is_reused;
    json["safe"] = coin.is_trusted;
    return json;
}

Json list_unspent(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    const std::int64_t least = arguments.number(0, 1);
    const std::int64_t most = arguments.number(1, 9'999'999);
    const auto wanted = arguments.has(2) ? scripts_of(arguments.at(2)) : std::set<chain::Bytes>{};
    const bool has_unsafe = arguments.boolean(3, true);
    const CoinChoice choice = arguments.has(4) ? parse_coin_choice(arguments.at(4)) : CoinChoice{};
    Json unspent = Json::array();
    if (wallet.keys() == nullptr) return unspent;
    OwnScripts scripts(*wallet.keys());
    chain::Satoshis total = 0;
    std::int64_t count = 0;
    for (const OwnCoin& coin : own_coins(wallet)) {
        if (wallet.locked_coins().contains(coin.outpoint)) continue;
        if (coin.confirmations < least || coin.confirmations > most) continue;
        if (coin.value < choice.least_value || coin.value > choice.most_value) continue;
        if (!coin.is_trusted && !has_unsafe) continue;
        if (!coin.is_mature && !choice.has_immature) continue;
        // Like Bitcoin Core, the limits count coins of other addresses, too.
        if (wanted.empty() || wanted.contains(coin.script_pubkey)) {
            unspent.push_back(coin_json(wallet, coin, scripts));
        }
        total += coin.value;
        ++count;
        const bool is_full = choice.most_coins > 0 && count >= choice.most_coins;
        if (is_full || total >= choice.least_total) break;
    }
    return unspent;
}

}  // namespace

std::vector<WalletMethod> wallet_coin_methods() {
    using enum ArgumentKind;
    return {
        {"getbalance",
         {{"dummy", text, false},
          {"minconf", number, false},
          {"include_watchonly", boolean, false},
          {"avoid_reuse", boolean, false}},
         get_balance,
         "what the wallet can spend"},
        {"getbalances", {}, get_balances, "the same, with what it cannot spend yet"},
        {"listunspent",
         {{"minconf", number, false},
          {"maxconf", number, false},
          {"addresses", array, false},
          {"include_unsafe", boolean, false},
          {"query_options", object, false, "", coin_choice_names()}},
         list_unspent,
         "the coins"},
    };
}

}  // namespace petal::regtest::rpc
