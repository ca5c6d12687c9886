#include "regtest/rpc/wallet_methods/wallet_history.h"

#include <algorithm>
#include <utility>

#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/regtest_network.h"
#include "wallet/descriptors/address.h"
#include "wallet/spending/payment.h"

namespace petal::regtest::rpc {
namespace {

Json hashes_json(const std::vector<chain::Txid>& txids) {
    Json json = Json::array();
    for (const chain::Txid& txid : txids) json.push_back(txid.to_hex());
    return json;
}

/// Whether an input signals replaceability (BIP125).
bool signals_replacement(const chain::Transaction& transaction) {
    return std::ranges::any_of(transaction.inputs, [](const chain::TxInput& input) {
        return input.sequence <= wallet::kReplaceableSequence;
    });
}

}  // namespace

chain::Satoshis negative_fee(const WalletTransaction& transaction) {
    if (transaction.entry.sent == 0) return 0;
    chain::Satoshis paid = 0;
    for (const auto& output : transaction.known.transaction.outputs) paid += output.value;
    return paid - transaction.entry.sent;
}

WalletHistory::WalletHistory(const wallets::NamedWallet& wallet)
    : wallet_(wallet), keys_(*wallet.keys()), scripts_(keys_), trust_(wallet) {}

std::optional<WalletTransaction> WalletHistory::find(const chain::Txid& txid) const {
    auto entry = keys_.transaction(txid);
    if (!entry) return std::nullopt;
    return complete(*std::move(entry));
}

std::vector<wallet::HistoryEntry> WalletHistory::oldest_first() const {
    auto entries = keys_.history(0);
    std::ranges::reverse(entries);
    return entries;
}

WalletTransaction WalletHistory::complete(wallet::HistoryEntry entry) const {
    WalletTransaction result{std::move(entry), {}};
    result.known = keys_.known_transaction(result.entry.txid).value();
    // The wallet stores confirmed transactions without witnesses.
    if (result.entry.height && result.known.position) {
        result.known.transaction =
            wallet_.chain().transaction_at(*result.entry.height, *result.known.position);
    }
    return result;
}

std::int64_t WalletHistory::confirmations(const wallet::HistoryEntry& entry) const {
    if (entry.height) return std::int64_t{wallet_.chain().tip().height} - *entry.height + 1;
    if (!entry.replaced_by) return 0;
    const auto winner = keys_.transaction(*entry.replaced_by);
    return winner && winner->height ? -confirmations(*winner) : 0;
}

/// The transactions of the wallet that spend one of its inputs, too.
std::vector<chain::Txid> WalletHistory::conflicts_of(const wallet::HistoryEntry& entry) {
    std::vector<chain::Txid> conflicts = entry.conflicts_with;
    if (entry.replaced_by) conflicts.push_back(*entry.replaced_by);
    for (const wallet::HistoryEntry& other : keys_.history(0)) {
        if (other.replaced_by == entry.txid) conflicts.push_back(other.txid);
    }
    std::erase_if(conflicts, [&](const auto& txid) { return !keys_.has_transaction(txid); });
    std::ranges::sort(conflicts);
    conflicts.erase(std::unique(conflicts.begin(), conflicts.end()), conflicts.end());
    return conflicts;
}

void WalletHistory::add_details(const WalletTransaction& transaction, Json& json) {
    const wallet::HistoryEntry& entry = transaction.entry;
    const wallets::WalletChain& chain = wallet_.chain();
    const std::int64_t depth = confirmations(entry);
    json["confirmations"] = depth;
    if (entry.coinbase) json["generated"] = true;
    if (entry.height) {
        json["blockhash"] = entry.block_hash->to_hex();
        json["blockheight"] = *entry.height;
        json["blockindex"] = transaction.known.position.value_or(0);
        json["blocktime"] = chain.header_at(*entry.height).time;
    } else {
        json["trusted"] = trust_.is_trusted(entry.txid);
    }
    json["txid"] = entry.txid.to_hex();
    json["wtxid"] = transaction.known.transaction.wtxid().to_hex();
    const auto conflicts = conflicts_of(entry);
    json["walletconflicts"] = hashes_json(conflicts);
    const bool is_outside = !entry.height && !chain.is_pending(entry.txid);
    json["mempoolconflicts"] =
        is_outside ? hashes_json(chain.pending_conflicts(transaction.known.transaction))
                   : Json::array();
    json["time"] = entry.time;
    json["timereceived"] = entry.time;
    const bool is_replaceable = depth <= 0 && signals_replacement(transaction.known.transaction);
    json["bip125-replaceable"] = is_replaceable ? "yes" : "no";
    const auto comment = keys_.label(entry.txid);
    if (comment && !comment->empty()) json["comment"] = *comment;
    for (const chain::Txid& other : conflicts) {
        const auto replacement = keys_.known_transaction(other);
        if (transaction.known.is_replacement && keys_.transaction(other)->replaced_by) {
            json["replaces_txid"] = other.to_hex();
        } else if (replacement->is_replacement && entry.replaced_by == other) {
            json["replaced_by_txid"] = other.to_hex();
        }
    }
}

/// The label of the wallet's receive address. Empty for any other script.
std::optional<std::string> WalletHistory::label_of(const chain::Bytes& script_pubkey) const {
    const auto path = keys_.find_path(script_pubkey);
    if (!path) return std::nullopt;
    auto label = keys_.label(script_pubkey);
    const bool is_change = keys_.chain_of(path->descriptor) == wallet::KeyChain::change;
    if (is_change && label.value_or("").empty()) return std::nullopt;
    return label.value_or("");
}

Json WalletHistory::sent_entry(const WalletTransaction& transaction, std::size_t output,
                               const Choice& choice) {
    const chain::TxOutput& paid = transaction.known.transaction.outputs[output];
    Json json = Json::object();
    const std::string address = wallet::address_of(paid.script_pubkey, regtest_network());
    if (!address.empty()) json["address"] = address;
    json["category"] = "send";
    json["amount"] = btc_json(-paid.value);
    if (const auto label = label_of(paid.script_pubkey)) json["label"] = *label;
    json["vout"] = output;
    json["fee"] = btc_json(negative_fee(transaction));
    if (choice.has_details) add_details(transaction, json);
    json["abandoned"] = false;
    return json;
}

Json WalletHistory::received_entry(const WalletTransaction& transaction, std::size_t output,
                                   wallet::KeyPath path, const Choice& choice) {
    const chain::TxOutput& paid = transaction.known.transaction.outputs[output];
    Json json = Json::object();
    const std::string address = wallet::address_of(paid.script_pubkey, regtest_network());
    if (!address.empty()) json["address"] = address;
    json["parent_descs"] = Json::array({scripts_.parent_of(path)});
    const std::int64_t depth = confirmations(transaction.entry);
    std::string category = "receive";
    if (transaction.entry.coinbase) {
        category = depth < 1 ? "orphan" : depth < kMatureConfirmations ? "immature" : "generate";
    }
    json["category"] = std::move(category);
    json["amount"] = btc_json(paid.value);
    if (const auto label = label_of(paid.script_pubkey)) json["label"] = *label;
    json["vout"] = output;
    json["abandoned"] = false;
    if (choice.has_details) add_details(transaction, json);
    return json;
}

void WalletHistory::list(const WalletTransaction& transaction, const Choice& choice,
                         Json& entries) {
    const auto& outputs = transaction.known.transaction.outputs;
    const bool is_spend = transaction.entry.sent > 0;
    const auto is_change = [&](const chain::TxOutput& output) {
        return keys_.find_path(output.script_pubkey) && !label_of(output.script_pubkey);
    };
    for (std::size_t i = 0; is_spend && !choice.label && i < outputs.size(); ++i) {
        if (is_change(outputs[i]) && !choice.has_change) continue;
        entries.push_back(sent_entry(transaction, i, choice));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto path = keys_.find_path(outputs[i].script_pubkey);
        if (!path || (is_spend && is_change(outputs[i]) && !choice.has_change)) continue;
        if (choice.label && label_of(outputs[i].script_pubkey).value_or("") != *choice.label) {
            continue;
        }
        entries.push_back(received_entry(transaction, i, *path, choice));
    }
}

}  // namespace petal::regtest::rpc
