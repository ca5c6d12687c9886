#include "wallet/psbt/input_fault.h"

#include "chain/enum_table.h"

namespace petal::wallet {

std::string_view describe(PsbtInputFault fault) {
    using enum PsbtInputFault;
    static constexpr auto kTexts = chain::enum_table<PsbtInputFault, std::string_view>({
        {no_utxo, "it is not known what it spends"},
        {no_redeem_script, "its redeem script is missing"},
        {no_witness_script, "its witness script is missing"},
        {wrong_redeem_script, "its redeem script is not that of the output"},
        {wrong_witness_script, "its witness script is not that of the output"},
        {hash_type_not_asked, "it demands another sighash type than was asked for"},
        {no_matching_output, "no output matches SIGHASH_SINGLE"},
        {no_full_transaction,
         "the full previous transaction (non-witness UTXO) is missing; without it the amount is "
         "not proven"},
        {unproven_fee,
         "the full previous transaction (non-witness UTXO) is missing; without it the fee is not "
         "proven"},
        {contradicts_wallet, "it claims to spend another output, or amount, than the wallet knows"},
        {frozen, "it spends a coin that is frozen (BIP329)"},
        {unknown_outputs,
         "a taproot signature covers what all inputs spend, and that is not known of each"},
        {unsupported, "unsupported script type"},
        {incomplete, "signatures are missing"},
        {wrong_hash_type, "a signature has another sighash type than it demands"},
        {wrong_signature, "a signature is wrong"},
        {wrong_final_scripts, "its final scriptSig and witness do not satisfy the script"},
        {too_large, "its signatures were not verified, because the transaction is too large"},
    });
    return kTexts[fault];
}

std::string describe(const PsbtInputError& error) {
    std::string text =
        "input " + std::to_string(error.input) + ": " + std::string(describe(error.fault));
    for (std::size_t i = 0; i < error.keys.size(); ++i) {
        text += (i == 0 ? " (key " : ", ") + chain::to_hex(error.keys[i]);
    }
    return error.keys.empty() ? text : text + ")";
}

std::string describe(const PsbtFlaw& flaw) {
    if (const auto* input = std::get_if<PsbtInputError>(&flaw)) return describe(*input);
    return std::string(chain::describe(std::get<chain::TransactionFlaw>(flaw)));
}

}  // namespace petal::wallet
