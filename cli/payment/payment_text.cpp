#include "cli/payment/payment_text.h"

#include "chain/bytes.h"
#include "chain/script/output_risk.h"
#include "chain/script/script.h"
#include "cli/text/amount.h"
#include "cli/text/text.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

/// The size in vB of the signed payment.
std::size_t size_of_payment(const wallet::Payment& payment, bool is_signed) {
    return is_signed ? payment.transaction.virtual_size() : payment.virtual_size;
}

double rate_of(const wallet::Payment& payment, bool is_signed) {
    return fee_rate_of(payment.fee, size_of_payment(payment, is_signed));
}

double sat_vb(wallet::FeeRate rate) {
    return static_cast<double>(rate.sat_per_kvb()) / 1'000;
}

/// The reason for the fee, to follow the rate.
std::string reason_of(const wallet::Payment& payment, const client::ChosenRate& rate) {
    switch (payment.fee_reason) {
        case wallet::FeeReason::fee_rate:
            return std::string(describe(rate.source));
        case wallet::FeeReason::replacement:
            return "the least that nodes accept of a replacement";
        case wallet::FeeReason::no_change:
            break;
    }
    return "above " + rate_text(rate.rate) + ", as the rest is too little for change";
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

std::string rate_text(wallet::FeeRate rate) {
    return format_fee_rate(sat_vb(rate));
}

std::string fee_text(const wallet::Payment& payment, const client::ChosenRate& rate) {
    std::string rates = format_fee_rate(rate_of(payment, false));
    if (payment.ancestors) {
        const std::string package = rate_text(payment.ancestors->package_rate);
        if (package != rates) {
            rates += "; " + package + " with " +
                     count_of(payment.ancestors->count, "unconfirmed ancestor");
        }
    }
    return fee_in_sat(payment.fee) + " (" + rates + ", " + reason_of(payment, rate) + ")";
}

std::string ancestors_text(const wallet::Payment& payment) {
    if (!payment.ancestors) return "";
    const wallet::PaidAncestors& ancestors = *payment.ancestors;
    std::string text = count_of(ancestors.count, "unconfirmed transaction");
    if (ancestors.bump_fee > 0) {
        text += ", raised to " + rate_text(ancestors.package_rate) + " by " +
                fee_in_sat(ancestors.bump_fee) + " of the fee";
    } else {
        text += ", which miners take without this fee";
    }
    if (ancestors.unknown_fees > 0) {
        text += "; the fee of " + format_count(ancestors.unknown_fees) +
                " is not known, as others' coins pay it, and counts as 0";
    }
    return text;
}

std::string recipients_line(const wallet::Payment& payment, const GlobalOptions& global) {
    std::size_t recipients = 0;
    chain::Satoshis amount = 0;
    std::string address;
    for (std::size_t i = 0; i < payment.transaction.outputs.size(); ++i) {
        const chain::TxOutput& output = payment.transaction.outputs[i];
        const bool is_data = chain::classify(output.script_pubkey) == chain::ScriptType::null_data;
        if (payment.change_index == i || is_data) continue;
        ++recipients;
        amount += output.value;
        address = wallet::address_of(output.script_pubkey, *global.network);
        if (address.empty()) address = "a script without an address";
    }
    if (recipients == 0) return {};
    return field("pays", format_btc(amount) + " BTC to " +
                             (recipients == 1 ? address : count_of(recipients, "recipient")));
}

std::string coins_lines(const wallet::Payment& payment) {
    std::string text;
    for (const wallet::InputCoin& coin : payment.coins) {
        text += field("spends",
                      coin.outpoint.to_string() + ", " + format_btc(coin.output.value) + " BTC");
    }
    return text;
}

Json payment_json(const wallet::Payment& payment, bool is_signed, const GlobalOptions& global) {
    const chain::Transaction& transaction = payment.transaction;
    return {{"network", global.network->name},
            {"txid", is_signed ? Json(transaction.txid().to_hex()) : Json(nullptr)},
            {"hex", is_signed ? Json(chain::to_hex(transaction.serialize())) : Json(nullptr)},
            {"fee_sat", payment.fee},
            {"fee_rate_sat_vb", rate_of(payment, is_signed)},
            {"package_fee_rate_sat_vb",
             payment.ancestors ? Json(sat_vb(payment.ancestors->package_rate)) : Json(nullptr)},
            {"vsize", size_of_payment(payment, is_signed)},
            {"inputs", inputs_json(payment, global)},
            {"outputs", outputs_json(payment, global)},
            {"warnings", output_warnings_json(payment.transaction.outputs, global)}};
}

std::string unsigned_payment_text(const wallet::Payment& payment, const wallet::Wallet& wallet,
                                  const client::ChosenRate& rate, const GlobalOptions& global) {
    const std::string whose =
        wallet.info().watch_only ? "back to the keys of the coins" : "the wallet's";
    std::string text;
    std::string change = field("change", "none");
    for (std::size_t i = 0; i < payment.transaction.outputs.size(); ++i) {
        const chain::TxOutput& output = payment.transaction.outputs[i];
        const std::string amount = format_btc(output.value) + " BTC to " +
                                   wallet::address_of(output.script_pubkey, *global.network);
        if (payment.change_index == i) {
            const auto own = wallet.address(output.script_pubkey).value();
            change =
                field("change", amount) +
                field("", whose + ", by descriptor " + std::to_string(own.path.descriptor.value));
        } else {
            const bool is_watched = wallet.address(output.script_pubkey).has_value();
            text += field("pays", amount + (is_watched ? ", watched by the wallet" : ""));
        }
    }
    text += change + field("fee", fee_text(payment, rate));
    return payment.ancestors ? text + field("ancestors", ancestors_text(payment)) : text;
}

std::string payment_text(const wallet::Payment& payment, const wallet::Wallet& wallet,
                         const client::ChosenRate& rate, const GlobalOptions& global) {
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
    text += field("fee", fee_text(payment, rate));
    if (payment.ancestors) text += field("ancestors", ancestors_text(payment));
    text += field("total", format_btc(leaves) + " BTC leaves the wallet, from " +
                               count_of(payment.coins.size(), "coin"));
    if (change > 0) text += field("change", format_btc(change) + " BTC comes back");
    return text;
}

}  // namespace petal::cli
