#include "chain/byte_writer.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/decoded_transaction.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/wallet_history.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"

namespace petal::regtest::rpc {
namespace {

/// Marks the outputs of change in a decoded transaction.
void mark_change(const wallet::Wallet& keys, const chain::Transaction& transaction, Json& decoded) {
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        const auto path = keys.find_path(transaction.outputs[i].script_pubkey);
        if (!path || keys.chain_of(path->descriptor) != wallet::KeyChain::change) continue;
        decoded["vout"][i]["ischange"] = true;
    }
}

Json get_transaction(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    const auto txid = arguments.hash<chain::Txid>(0);
    const RpcError unknown(RpcCode::not_found, "Invalid or non-wallet transaction id");
    if (wallet.keys() == nullptr) throw unknown;
    WalletHistory history(wallet);
    const auto found = history.find(txid);
    if (!found) throw unknown;
    const chain::Transaction& transaction = found->known.transaction;
    const bool is_immature =
        found->entry.coinbase && history.confirmations(found->entry) < kMatureConfirmations;
    const chain::Satoshis credit = is_immature ? 0 : found->entry.received;
    const chain::Satoshis fee = negative_fee(*found);
    Json json = {{"amount", btc_json(credit - found->entry.sent - fee)}};
    if (found->entry.sent > 0) json["fee"] = btc_json(fee);
    history.add_details(*found, json);
    Json details = Json::array();
    WalletHistory::Choice choice;
    choice.has_details = false;
    history.list(*found, choice, details);
    json["details"] = std::move(details);
    json["hex"] = chain::to_hex(transaction.serialize());
    if (arguments.boolean(2, false)) {
        json["decoded"] = decoded_transaction_json(transaction);
        mark_change(*wallet.keys(), transaction, json["decoded"]);
    }
    add_last_block(json, wallet);
    return json;
}

}  // namespace

std::vector<WalletMethod> wallet_history_methods() {
    using enum ArgumentKind;
    return {
        {"gettransaction",
         {{"txid", text}, {"include_watchonly", boolean, false}, {"verbose", boolean, false}},
         get_transaction,
         "a transaction of the wallet"},
    };
}

}  // namespace petal::regtest::rpc
