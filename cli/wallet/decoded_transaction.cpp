#include "cli/wallet/decoded_transaction.h"

#include <algorithm>
#include <map>

#include "cli/options/advice.h"
#include "cli/text/amount.h"
#include "cli/text/text.h"
#include "client/spending/sent_payment.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

/// The wallet's keys that a transaction pays, by their scripts.
std::map<chain::Bytes, wallet::KeyPath> paid_scripts(const TransactionView& view) {
    std::map<chain::Bytes, wallet::KeyPath> scripts;
    for (const wallet::KeyPath path : view.wallet.own_keys(view.entry.txid).paid) {
        scripts.emplace(view.wallet.script_at(path), path);
    }
    return scripts;
}

/// The output that an input spends, if it is the wallet's.
std::optional<chain::TxOutput> spent_output(const TransactionView& view,
                                            const chain::Outpoint& outpoint) {
    const auto previous = view.wallet.known_transaction(outpoint.txid);
    if (!previous || outpoint.index >= previous->transaction.outputs.size()) return std::nullopt;
    const chain::TxOutput& output = previous->transaction.outputs[outpoint.index];
    const auto spent = view.wallet.own_keys(view.entry.txid).spent;
    const bool is_own = std::ranges::any_of(spent, [&](wallet::KeyPath path) {
        return view.wallet.script_at(path) == output.script_pubkey;
    });
    return is_own ? std::optional(output) : std::nullopt;
}

std::string address_text(const chain::Bytes& script, const chain::NetworkParams& network) {
    const std::string address = wallet::address_of(script, network);
    return address.empty() ? "script " + chain::to_hex(script) : address;
}

Json witness_json(const chain::TxInput& input) {
    Json witness = Json::array();
    for (std::size_t i = 0; i < input.witness.size(); ++i) {
        witness.push_back(chain::to_hex(input.witness[i]));
    }
    return witness;
}

/// is_whole   whether the witnesses are stored
Json input_json(const TransactionView& view, const chain::TxInput& input, bool is_whole) {
    const auto spent = spent_output(view, input.prevout);
    return {{"txid", input.prevout.txid.to_hex()},
            {"vout", input.prevout.index},
            {"script_sig", chain::to_hex(input.script_sig)},
            {"sequence", input.sequence},
            {"witness", is_whole ? witness_json(input) : Json(nullptr)},
            {"own", spent.has_value()},
            {"amount_sat", spent ? Json(spent->value) : Json(nullptr)},
            {"address", spent ? script_address_json(spent->script_pubkey, *view.global.network)
                              : Json(nullptr)}};
}

Json outputs_json(const TransactionView& view) {
    const auto own = paid_scripts(view);
    Json list = Json::array();
    for (const chain::TxOutput& output : view.known.transaction.outputs) {
        const auto path = own.find(output.script_pubkey);
        list.push_back(
            {{"vout", list.size()},
             {"amount_sat", output.value},
             {"script_pubkey", chain::to_hex(output.script_pubkey)},
             {"address", script_address_json(output.script_pubkey, *view.global.network)},
             {"own", path != own.end()},
             {"descriptor_path",
              path == own.end() ? Json(nullptr) : Json(view.wallet.path_text(path->second))}});
    }
    return list;
}

/// In the format of Bitcoin Core's gettxoutproof, for verifytxoutproof.
std::string txoutproof_hex(const TransactionView& view) {
    return chain::to_hex(view.header->serialize()) + chain::to_hex(view.proof->serialize());
}

/// In the format of Electrum's blockchain.transaction.get_merkle.
Json merkle_json(const TransactionView& view) {
    return {{"block_height", *view.entry.height},
            {"merkle", view.known.proof->branch},
            {"pos", *view.known.position}};
}

/// The wallet's proof for a confirmed transaction, in words.
std::string proof_text(const TransactionView& view) {
    if (!view.header)
        return field("block header", "not stored; " + advised("sync", view.global) + " fetches it");
    std::string text = field("block header", chain::to_hex(view.header->serialize()));
    text += field("merkle root", view.header->merkle_root.to_hex());
    if (!view.proof) {
        return text +
               field("merkle proof", "not stored; " + advised("rescan", view.global) + ", then " +
                                         advised("sync", view.global) + ", fetch the blocks again");
    }
    text += field("merkle proof", txoutproof_hex(view));
    return text + field("", "leads to the merkle root; for bitcoin-cli verifytxoutproof");
}

/// To follow the fee: " (1.50 sat/vB)". Empty if the rate is not known.
std::string rate_in(const TransactionView& view) {
    const auto payment = client::SentPayments(view.wallet).find(view.entry);
    if (!payment || !payment->fee_rate) return "";
    return " (" + format_fee_rate(*payment->fee_rate) + ")";
}

}  // namespace

Json decoded_json(const TransactionView& view) {
    const chain::Transaction& transaction = view.known.transaction;
    Json json =
        transaction_json(view.entry, client::SentPayments(view.wallet), *view.global.network);
    json["position"] = view.known.position;
    json["block_header"] =
        view.header ? Json(chain::to_hex(view.header->serialize())) : Json(nullptr);
    json["merkle_proof"] = view.proof ? merkle_json(view) : Json(nullptr);
    json["txoutproof"] = view.proof ? Json(txoutproof_hex(view)) : Json(nullptr);
    json["version"] = transaction.version;
    json["lock_time"] = transaction.lock_time;
    const bool is_whole = !client::may_lack_witness(transaction);
    json["witness_stored"] = is_whole;
    json["weight"] = is_whole ? Json(transaction.weight()) : Json(nullptr);
    json["has_witness"] = is_whole ? Json(transaction.has_witness()) : Json(nullptr);
    json["inputs"] = Json::array();
    for (const chain::TxInput& input : transaction.inputs) {
        json["inputs"].push_back(input_json(view, input, is_whole));
    }
    json["outputs"] = outputs_json(view);
    json["hex"] = is_whole ? Json(chain::to_hex(transaction.serialize())) : Json(nullptr);
    json["hex_without_witness"] = chain::to_hex(transaction.serialize_without_witness());
    return json;
}

/// Conflicts are claims of peers, and a peer may invent a conflict.
std::string conflicts_text(const wallet::HistoryEntry& entry) {
    std::string text;
    for (const chain::Txid& txid : entry.conflicts_with) {
        text += field(text.empty() ? "conflicts with" : "", txid.to_hex());
    }
    if (text.empty()) return text;
    return text + field("", entry.replaced_by
                                ? "of the two, peers show that one more; this one counts zero"
                                : "which peers show less; this one counts");
}

namespace {

/// Whether and where the transaction is confirmed.
std::string state_text(const wallet::HistoryEntry& entry) {
    if (entry.is_replaced_for_certain) return field("replaced by", entry.replaced_by->to_hex());
    if (entry.height) {
        return field("block", format_count(*entry.height) + ", " +
                                  count_of(entry.confirmations, "confirmation"));
    }
    if (!entry.undone) return field("block", "unconfirmed");
    return field("block", "undone: only a block that left the chain had it; it counts zero,") +
           field("", "and the next sync forgets it unless a peer shows it");
}

std::string inputs_text(const TransactionView& view) {
    std::string text;
    for (const chain::TxInput& input : view.known.transaction.inputs) {
        const auto spent = spent_output(view, input.prevout);
        text +=
            field("input", view.entry.coinbase ? "newly mined coins" : input.prevout.to_string());
        if (!spent) continue;
        text += field("", format_btc(spent->value) + " BTC of the wallet's from " +
                              address_text(spent->script_pubkey, *view.global.network));
    }
    return text;
}

std::string outputs_text(const TransactionView& view) {
    std::string text;
    const auto own = paid_scripts(view);
    for (const chain::TxOutput& output : view.known.transaction.outputs) {
        text += field("output", format_btc(output.value) + " BTC to " +
                                    address_text(output.script_pubkey, *view.global.network) +
                                    (own.contains(output.script_pubkey) ? ", the wallet's" : ""));
    }
    return text;
}

std::string weight_text(const chain::Transaction& transaction) {
    if (client::may_lack_witness(transaction)) {
        return field("witnesses", "not stored, so that the weight is not known");
    }
    return field("weight", format_count(transaction.weight()) + " (" +
                               format_count(transaction.virtual_size()) + " vB)");
}

}  // namespace

std::string decoded_text(const TransactionView& view, bool with_proof) {
    const wallet::HistoryEntry& entry = view.entry;
    std::string text = "Transaction " + entry.txid.to_hex() + "\n\n";
    text += field("net", (entry.net > 0 ? "+" : "") + format_btc(entry.net) + " BTC");
    if (entry.fee) text += field("fee", fee_in_sat(*entry.fee) + rate_in(view));
    if (!entry.label.empty()) text += field("label", entry.label);
    text += field("time", format_time(entry.time));
    text += state_text(entry) + conflicts_text(entry);
    text += inputs_text(view) + outputs_text(view) + weight_text(view.known.transaction);
    if (!with_proof || !entry.height || entry.is_replaced_for_certain) return text;
    text += field("block hash", entry.block_hash->to_hex());
    text += field("place in block", format_count(*view.known.position));
    return text + proof_text(view);
}

}  // namespace petal::cli
