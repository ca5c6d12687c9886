#include "cli/spending/payment_text.h"

#include "chain/bytes.h"
#include "chain/script/output_risk.h"
#include "cli/amount.h"
#include "cli/text.h"
#include "cli/wallet/wallet_text.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

/// The size in vB once it is signed.
std::size_t size_of_payment(const wallet::Payment& payment, bool is_signed) {
    return is_signed ? payment.transaction.virtual_size() : payment.virtual_size;
}

double rate_of(const wallet::Payment& payment, bool is_signed) {
    return fee_rate_of(payment.fee, size_of_payment(payment, is_signed));
}

Json inputs_json(const wallet::Payment& payment, const GlobalOptions& global) {
    Json inputs = Json::array();
    for (const wallet::InputCoin& coin : payment.coins) {
        inputs.push_back(
            {{"txid", coin.outpoint.txid.to_hex()},
             {"vout", coin.outpoint.index},
             {"amount_sat", coin.output.value},
             {"address", script_address_json(coin.output.script_pubkey, *global.network)}});
    }
    return inputs;
}

Json outputs_json(const wallet::Payment& payment, const GlobalOptions& global) {
    Json outputs = Json::array();
    for (std::size_t i = 0; i < payment.transaction.outputs.size(); ++i) {
        const chain::TxOutput& output = payment.transaction.outputs[i];
        outputs.push_back({{"address", script_address_json(output.script_pubkey, *global.network)},
                           {"amount_sat", output.value},
                           {"change", payment.change_index == i}});
    }
    return outputs;
}

}  // namespace

Json output_warnings_json(const std::vector<chain::TxOutput>& outputs,
                          const GlobalOptions& global) {
    Json warnings = Json::array();
    for (const chain::TxOutput& output : outputs) {
        const auto risk = chain::find_output_risk(output.script_pubkey);
        if (!risk) continue;
        warnings.push_back({{"code", code_of(*risk)},
                            {"address", script_address_json(output.script_pubkey, *global.network)},
                            {"message", describe(*risk)}});
    }
    return warnings;
}

void warn_of_risky_outputs(const std::vector<chain::TxOutput>& outputs, const GlobalOptions& global,
                           Console& console) {
    for (const chain::TxOutput& output : outputs) {
        const auto risk = chain::find_output_risk(output.script_pubkey);
        if (!risk) continue;
        console.warn(wallet::address_of(output.script_pubkey, *global.network) + ": " +
                     std::string(describe(*risk)));
    }
}

std::string fee_text(const wallet::Payment& payment, std::string_view rate_source) {
    return fee_in_sat(payment.fee) + " (" + format_fee_rate(rate_of(payment, false)) + ", " +
           std::string(rate_source) + ")";
}

Json payment_json(const wallet::Payment& payment, bool is_signed, const GlobalOptions& global) {
    const chain::Transaction& transaction = payment.transaction;
    return {{"network", global.network->name},
            {"txid", is_signed ? Json(transaction.txid().to_hex()) : Json(nullptr)},
            {"hex", is_signed ? Json(chain::to_hex(transaction.serialize())) : Json(nullptr)},
            {"fee_sat", payment.fee},
            {"fee_rate_sat_vb", rate_of(payment, is_signed)},
            {"vsize", size_of_payment(payment, is_signed)},
            {"inputs", inputs_json(payment, global)},
            {"outputs", outputs_json(payment, global)},
            {"warnings", output_warnings_json(payment.transaction.outputs, global)}};
}

std::string unsigned_payment_text(const wallet::Payment& payment, const wallet::Wallet& wallet,
                                  std::string_view rate_source, const GlobalOptions& global) {
    std::string text;
    std::string change = field("change", "none");
    for (std::size_t i = 0; i < payment.transaction.outputs.size(); ++i) {
        const chain::TxOutput& output = payment.transaction.outputs[i];
        const std::string amount = format_btc(output.value) + " BTC to " +
                                   wallet::address_of(output.script_pubkey, *global.network);
        if (payment.change_index == i) {
            const auto own = wallet.address(output.script_pubkey).value();
            change = field("change", amount) +
                     field("", "back to the keys of the coins, by descriptor " +
                                   std::to_string(own.path.descriptor.value));
        } else {
            const bool is_watched = wallet.address(output.script_pubkey).has_value();
            text += field("pays", amount + (is_watched ? ", watched by the wallet" : ""));
        }
    }
    return text + change + field("fee", fee_text(payment, rate_source));
}

std::string payment_text(const wallet::Payment& payment, const wallet::Wallet& wallet,
                         std::string_view rate_source, const GlobalOptions& global) {
    std::string text;
    chain::Satoshis change = 0;
    chain::Satoshis leaves = payment.fee;
    for (std::size_t i = 0; i < payment.transaction.outputs.size(); ++i) {
        const chain::TxOutput& output = payment.transaction.outputs[i];
        if (payment.change_index == i) {
            change = output.value;
            continue;
        }
        const bool is_own = wallet.signing_kind(output.script_pubkey).has_value();
        if (!is_own) leaves += output.value;
        text += field(is_own ? "receives" : "pays",
                      format_btc(output.value) + " BTC to " +
                          wallet::address_of(output.script_pubkey, *global.network) +
                          (is_own ? ", the wallet's" : ""));
    }
    text += field("fee", fee_text(payment, rate_source));
    text += field("leaves", format_btc(leaves) + " BTC in all, from " +
                                count_of(payment.coins.size(), "coin"));
    if (change > 0) text += field("change", format_btc(change) + " BTC comes back");
    return text;
}

}  // namespace petal::cli
