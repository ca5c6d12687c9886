#include "cli/psbt/psbt_text.h"

#include "chain/bytes.h"
#include "cli/psbt/sighash_name.h"
#include "cli/text/amount.h"
#include "cli/text/text.h"
#include "wallet/descriptors/address.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/record_types.h"

namespace petal::cli {
namespace {

std::string psbt_output_text(const chain::TxOutput& output, const GlobalOptions& global) {
    return format_btc(output.value) + " BTC to " + address_or_script(output.script_pubkey, global);
}

std::string state_text(const wallet::PsbtMap& input) {
    namespace types = wallet::psbt_input;
    if (wallet::is_final(input)) return "final";
    const std::size_t signatures = input.all(types::kPartialSignature).size() +
                                   input.all(types::kTaprootKeySignature).size() +
                                   input.all(types::kTaprootScriptSignature).size();
    std::string text = count_of(signatures, "signature");
    if (const auto type = wallet::hash_type_of(input)) text += ", sighash " + sighash_name(*type);
    return text;
}

std::string fee_text(const std::optional<chain::Satoshis>& fee) {
    return field("fee", fee ? fee_in_sat(*fee) : "not known: what an input spends is missing");
}

}  // namespace

std::string address_or_script(const chain::Bytes& script, const GlobalOptions& global) {
    constexpr std::size_t kShownBytes = 40;
    std::string address = wallet::address_of(script, *global.network);
    if (!address.empty()) return address;
    if (script.size() <= kShownBytes) return "script " + chain::to_hex(script);
    return "script " + chain::to_hex(chain::ByteView(script).first(kShownBytes)) + "... (" +
           count_of(script.size(), "byte") + ")";
}

std::string decoded_psbt_text(const wallet::Psbt& psbt, const GlobalOptions& global) {
    const chain::Transaction& transaction = psbt.transaction();
    std::string text = "PSBT of " + transaction.txid().to_hex() + "\n\n";
    text += field("version", std::to_string(psbt.version()));
    text += field("lock time", std::to_string(transaction.lock_time));
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const auto& utxo = psbt.utxo(i);
        text += field("input", transaction.inputs[i].prevout.to_string());
        text += field("", utxo ? format_btc(utxo->value) + " BTC from " +
                                     address_or_script(utxo->script_pubkey, global)
                               : "it is not known what it spends");
        text += field("", state_text(psbt.inputs()[i]));
    }
    for (const chain::TxOutput& output : transaction.outputs) {
        text += field("output", psbt_output_text(output, global));
    }
    return text + fee_text(wallet::fee_of(psbt));
}

std::string analysis_text(const wallet::PsbtAnalysis& analysis) {
    std::string text;
    for (std::size_t i = 0; i < analysis.inputs.size(); ++i) {
        const wallet::PsbtInputAnalysis& input = analysis.inputs[i];
        std::string line(input.is_final ? "final" : "next: " + std::string(describe(input.next)));
        if (input.fault) line += "; " + std::string(describe(*input.fault));
        text += field("input " + std::to_string(i), line);
        for (const chain::Bytes& key : input.wrong_signatures) {
            text += field("", "wrong signature of " + chain::to_hex(key));
        }
        for (const chain::Bytes& key : input.missing_signatures) {
            text += field("", "no signature of " + chain::to_hex(key));
        }
        if (input.missing_signatures.size() > input.signatures_needed) {
            text += field("", "needs " + count_of(input.signatures_needed, "signature") + " more");
        }
    }
    text += fee_text(analysis.fee);
    if (analysis.fee && analysis.virtual_size) {
        text +=
            field("fee rate", format_fee_rate(fee_rate_of(*analysis.fee, *analysis.virtual_size)));
    }
    return text + field("next", describe(analysis.next));
}

}  // namespace petal::cli
