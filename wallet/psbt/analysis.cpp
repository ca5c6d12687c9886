#include "wallet/psbt/analysis.h"

#include <algorithm>

#include "chain/enum_table.h"
#include "chain/script/script.h"
#include "wallet/ledger/amount.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/psbt_verifier.h"
#include "wallet/psbt/record_types.h"
#include "wallet/psbt/spent_script.h"

namespace petal::wallet {

namespace {

using chain::Bytes;
using chain::ScriptType;

// Including the hash type, see spending/sizes.cpp.
constexpr std::size_t kEcdsaBytes = 71;
constexpr std::size_t kKeyBytes = 33;

Bytes copy_of(chain::ByteView view) {
    return {view.begin(), view.end()};
}

void find_missing_signatures(const SpentScript& spent, const CheckedSignatures& checked,
                             PsbtInputAnalysis& analysis) {
    analysis.signatures_needed = 1;
    const auto multisig = chain::parse_multisig(spent.script);
    if (spent.signature == SignatureKind::taproot || !multisig) {
        const chain::ByteView key = chain::watch_element(spent.script);
        if (!key.empty()) analysis.missing_signatures.push_back(copy_of(key));
        return;
    }
    std::size_t there = 0;
    for (const chain::ByteView key : multisig->keys) {
        if (std::ranges::find(checked.valid, copy_of(key)) != checked.valid.end()) {
            ++there;
        } else {
            analysis.missing_signatures.push_back(copy_of(key));
        }
    }
    analysis.signatures_needed =
        multisig->required - std::min<std::size_t>(there, multisig->required);
}

// As in Bitcoin Core, an input counts as final only after its scripts were verified.
void analyze_final_input(PsbtVerifier& verifier, std::size_t input, PsbtInputAnalysis& analysis) {
    if (!analysis.has_utxo) {
        analysis.fault = PsbtInputFault::no_utxo;
        return;
    }
    const auto checked = verifier.check_final_scripts(input);
    if (!checked && checked.error() == chain::ScriptError::unknown_outputs) {
        analysis.fault = PsbtInputFault::unknown_outputs;
        return;
    }
    if (!checked && is_known_wrong(checked.error())) {
        analysis.fault = PsbtInputFault::wrong_final_scripts;
        return;
    }
    if (!checked) analysis.fault = PsbtInputFault::unsupported;
    analysis.is_final = true;
    analysis.next = PsbtRole::extractor;
}

PsbtInputAnalysis analyze_input(const Psbt& psbt, PsbtVerifier& verifier, std::size_t input) {
    PsbtInputAnalysis analysis;
    analysis.has_utxo = psbt.utxo(input).has_value();
    if (is_final(psbt.inputs()[input])) {
        analyze_final_input(verifier, input, analysis);
        return analysis;
    }
    const auto spent = find_spent_script(psbt, input);
    if (!spent) {
        analysis.fault = spent.error();
        return analysis;
    }
    if (spent->signature == SignatureKind::legacy && !psbt.has_full_transaction(input)) {
        analysis.fault = PsbtInputFault::no_full_transaction;
        return analysis;
    }
    const CheckedSignatures checked = verifier.check_signatures(input, *spent);
    const auto solution = find_solution(psbt, input, *spent, checked, verifier);
    analysis.wrong_signatures = checked.wrong;
    if (solution) {
        analysis.next = PsbtRole::finalizer;
        return analysis;
    }
    analysis.fault = solution.error().fault;
    // The missing outputs must be added by an updater.
    if (analysis.fault == PsbtInputFault::unknown_outputs) return analysis;
    analysis.next = PsbtRole::signer;
    const bool lacks_signatures = analysis.fault == PsbtInputFault::incomplete ||
                                  analysis.fault == PsbtInputFault::wrong_signature;
    if (lacks_signatures) find_missing_signatures(*spent, checked, analysis);
    return analysis;
}

/// Placeholder items with the size of items that satisfy the script. Empty for an unknown template.
std::optional<std::vector<Bytes>> dummy_solution(const SpentScript& spent) {
    constexpr std::size_t kSchnorrBytes = 64;
    if (spent.signature == SignatureKind::taproot)
        return std::vector<Bytes>{Bytes(kSchnorrBytes, 1)};
    if (const auto multisig = chain::parse_multisig(spent.script)) {
        std::vector<Bytes> stack{{}};
        stack.resize(1 + multisig->required, Bytes(kEcdsaBytes, 1));
        return stack;
    }
    const ScriptType type = chain::classify(spent.script);
    if (type == ScriptType::p2pk) return std::vector<Bytes>{Bytes(kEcdsaBytes, 1)};
    if (type != ScriptType::p2pkh) return std::nullopt;
    return std::vector<Bytes>{Bytes(kEcdsaBytes, 1), Bytes(kKeyBytes, 1)};
}

std::optional<std::size_t> signed_size(const Psbt& psbt) {
    chain::Transaction transaction = psbt.transaction();
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const PsbtMap& map = psbt.inputs()[i];
        if (is_final(map)) {
            transaction.inputs[i].script_sig = value_of(map, psbt_input::kFinalScriptSig);
            transaction.inputs[i].witness = final_witness(map);
            continue;
        }
        const auto spent = find_spent_script(psbt, i);
        const auto stack = spent ? dummy_solution(*spent) : std::nullopt;
        if (!stack) return std::nullopt;
        spent->spend(transaction.inputs[i], *stack);
    }
    return transaction.virtual_size();
}

}  // namespace

std::string_view describe(PsbtRole role) {
    using enum PsbtRole;
    static constexpr auto kTexts = chain::enum_table<PsbtRole, std::string_view>({
        {updater, "updater"},
        {signer, "signer"},
        {finalizer, "finalizer"},
        {extractor, "extractor"},
    });
    return kTexts[role];
}

std::optional<chain::Satoshis> fee_of(const Psbt& psbt) {
    chain::Satoshis fee = 0;
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        if (!psbt.utxo(i)) return std::nullopt;
        fee = add_amounts(fee, psbt.utxo(i)->value);
    }
    for (const chain::TxOutput& output : psbt.transaction().outputs) {
        fee = add_amounts(fee, -output.value);
    }
    return fee;
}

PsbtAnalysis analyze(const Psbt& psbt) {
    PsbtAnalysis analysis;
    PsbtVerifier verifier(psbt);
    const bool is_verified = !is_too_large(psbt);
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        PsbtInputAnalysis unverified;
        unverified.has_utxo = psbt.utxo(i).has_value();
        unverified.fault = PsbtInputFault::too_large;
        analysis.inputs.push_back(is_verified ? analyze_input(psbt, verifier, i) : unverified);
        analysis.next = std::min(analysis.next, analysis.inputs.back().next);
    }
    analysis.fee = fee_of(psbt);
    analysis.virtual_size = signed_size(psbt);
    return analysis;
}

}  // namespace petal::wallet
