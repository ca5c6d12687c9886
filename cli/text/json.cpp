#include "cli/text/json.h"

#include "cli/text/text.h"
#include "wallet/descriptors/address.h"
#include "wallet/keys/secret_text.h"

namespace petal::cli {

std::string to_line(const Json& json) {
    const std::string text =
        json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
    return escape_json_controls(text);
}

Json error_json(const CommandError& error) {
    return {
        {"error", {{"code", error.code()}, {"message", wallet::without_secrets(error.what())}}}};
}

Json balance_json(const wallet::Balance& balance) {
    return {{"confirmed_sat", balance.confirmed},
            {"pending_sat", balance.pending},
            {"immature_sat", balance.immature},
            {"total_sat", balance.total()},
            {"unconfirmed_spent_sat", balance.unconfirmed_spent},
            {"frozen_sat", balance.frozen}};
}

Json script_address_json(chain::ByteView script_pubkey, const chain::NetworkParams& network) {
    const std::string address = wallet::address_of(script_pubkey, network);
    return address.empty() ? Json(nullptr) : Json(address);
}

Json coin_json(const wallet::Coin& coin, const chain::NetworkParams& network) {
    return {{"txid", coin.outpoint.txid.to_hex()},
            {"vout", coin.outpoint.index},
            {"amount_sat", coin.value},
            {"address", script_address_json(coin.script_pubkey, network)},
            {"descriptor_path", coin.path_text},
            {"height", coin.height},
            {"confirmations", coin.confirmations},
            {"coinbase", coin.coinbase},
            {"watched", coin.watched},
            {"spendable", coin.spendable},
            {"frozen", coin.frozen},
            {"label", coin.label}};
}

Json transaction_json(const wallet::HistoryEntry& entry) {
    return {{"txid", entry.txid.to_hex()},
            {"height", entry.height},
            {"block_hash", entry.block_hash},
            {"time", entry.time},
            {"received_sat", entry.received},
            {"sent_sat", entry.sent},
            {"net_sat", entry.net},
            {"fee_sat", entry.fee},
            {"confirmations", entry.confirmations},
            {"coinbase", entry.coinbase},
            {"replaced_by", entry.is_replaced_for_certain ? entry.replaced_by : std::nullopt},
            {"counts", entry.counts()},
            {"undone", entry.undone},
            {"conflicts_with", entry.conflicts_with},
            {"label", entry.label}};
}

Json transaction_json(const wallet::HistoryEntry& entry, const client::SentPayments& payments,
                      const chain::NetworkParams& network) {
    Json json = transaction_json(entry);
    json["recipients"] = Json::array();
    json["fee_rate_sat_vb"] = nullptr;
    const auto payment = payments.find(entry);
    if (!payment) return json;
    if (payment->fee_rate) json["fee_rate_sat_vb"] = *payment->fee_rate;
    for (const chain::TxOutput& output : payment->recipients) {
        json["recipients"].push_back(
            {{"address", script_address_json(output.script_pubkey, network)},
             {"amount_sat", output.value}});
    }
    return json;
}

Json address_json(const wallet::AddressEntry& entry) {
    return {{"address", entry.address},
            {"path", entry.path_text},
            {"used", entry.used},
            {"handed_out", entry.handed_out},
            {"received_sat", entry.received},
            {"unconfirmed_sat", entry.unconfirmed},
            {"label", entry.label}};
}

}  // namespace petal::cli
