#include "cli/wallet/sent_payment_json.h"

namespace petal::cli {

Json sent_payment_json(const client::SentPayments& payments, const wallet::HistoryEntry& entry,
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

}  // namespace petal::cli
