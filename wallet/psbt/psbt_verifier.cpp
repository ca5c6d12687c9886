#include "wallet/psbt/psbt_verifier.h"

#include <algorithm>
#include <utility>

#include "chain/script/script.h"
#include "chain/script/signature_encoding.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {

namespace {

using chain::Bytes;

Bytes output_key_of(const SpentScript& spent) {
    const chain::ByteView key = chain::watch_element(spent.script);
    return {key.begin(), key.end()};
}

}  // namespace

PsbtVerifier::PsbtVerifier(const Psbt& psbt)
    : psbt_(psbt), transaction_(psbt.transaction()), cache_(transaction_, psbt.known_utxos()) {}

CheckedSignatures PsbtVerifier::check_signatures(std::size_t input, const SpentScript& spent) {
    CheckedSignatures checked;
    const PsbtMap& map = psbt_.inputs()[input];
    if (spent.signature == SignatureKind::taproot) {
        const Bytes* signature = map.find(psbt_input::kTaprootKeySignature);
        if (signature == nullptr) return checked;
        const auto verified = check_stack(input, spent, {*signature});
        checked.needs_other_outputs =
            !verified && verified.error() == chain::ScriptError::unknown_outputs;
        if (checked.needs_other_outputs) return checked;
        (verified ? checked.valid : checked.wrong).push_back(output_key_of(spent));
        return checked;
    }
    const auto hash_of = [&](std::uint32_t type) { return spent.hash(cache_, input, type); };
    const auto version = spent.signature == SignatureKind::segwit ? chain::ScriptVersion::witness_v0
                                                                  : chain::ScriptVersion::legacy;
    for (const PsbtRecord* record : map.all(psbt_input::kPartialSignature)) {
        const chain::ByteView key = record->key_data();
        if (!spent.is_signed_by(key)) continue;
        const bool is_valid = chain::is_standard_signature(record->value, key, version, hash_of);
        (is_valid ? checked.valid : checked.wrong).emplace_back(key.begin(), key.end());
    }
    return checked;
}

chain::ScriptResult PsbtVerifier::check_stack(std::size_t input, const SpentScript& spent,
                                              const std::vector<Bytes>& stack) {
    spent.spend(transaction_.inputs[input], stack);
    return chain::verify_input(cache_, input, spent.output);
}

chain::ScriptResult PsbtVerifier::check_final_scripts(std::size_t input) {
    const PsbtMap& map = psbt_.inputs()[input];
    transaction_.inputs[input].script_sig = value_of(map, psbt_input::kFinalScriptSig);
    transaction_.inputs[input].witness = final_witness(map);
    return chain::verify_input(cache_, input, psbt_.utxo(input).value());
}

bool is_known_wrong(chain::ScriptError error) {
    return !chain::is_inconclusive(error) || error == chain::ScriptError::missing_witness;
}

bool is_too_large(const Psbt& psbt) {
    constexpr std::size_t kMaxHashedBytes = 2'000'000'000;
    const std::size_t bytes = psbt.transaction().serialize_without_witness().size();
    return bytes > kMaxHashedBytes / std::max<std::size_t>(psbt.inputs().size(), 1);
}

std::vector<PsbtInputError> find_wrong_signatures(const Psbt& psbt) {
    std::vector<PsbtInputError> errors;
    if (is_too_large(psbt)) return errors;
    PsbtVerifier verifier(psbt);
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        if (!psbt.utxo(i)) continue;
        if (is_final(psbt.inputs()[i])) {
            const auto checked = verifier.check_final_scripts(i);
            if (!checked && is_known_wrong(checked.error())) {
                errors.push_back({i, PsbtInputFault::wrong_final_scripts});
            }
            continue;
        }
        const auto spent = find_spent_script(psbt, i);
        if (!spent) continue;
        CheckedSignatures checked = verifier.check_signatures(i, *spent);
        if (checked.wrong.empty()) continue;
        errors.push_back({i, PsbtInputFault::wrong_signature, std::move(checked.wrong)});
    }
    return errors;
}

}  // namespace petal::wallet
