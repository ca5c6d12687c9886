#include "wallet/psbt/finalizing.h"

#include <algorithm>
#include <array>
#include <utility>

#include "chain/script/input_verification.h"
#include "chain/script/script.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {

namespace {

using chain::Bytes;
using chain::ByteView;
using chain::ScriptType;
using Solution = chain::Expected<std::vector<Bytes>, PsbtInputError>;

constexpr std::size_t kSchnorrBytes = 64;

bool has_key(const std::vector<Bytes>& keys, ByteView key) {
    return std::ranges::any_of(keys,
                               [&](const Bytes& one) { return std::ranges::equal(one, key); });
}

/// The required number of valid signatures, in the order of the script's keys.
std::vector<Bytes> solve_multisig(const PsbtMap& map, const chain::MultisigTemplate& multisig,
                                  const std::vector<Bytes>& valid) {
    std::vector<Bytes> stack{{}};  // OP_CHECKMULTISIG pops one extra item
    for (const ByteView key : multisig.keys) {
        if (!has_key(valid, key) || stack.size() > multisig.required) continue;
        stack.push_back(*map.find(psbt_input::kPartialSignature, key));
    }
    if (stack.size() <= multisig.required) return {};
    return stack;
}

std::vector<Bytes> solve_single_key(const PsbtMap& map, const SpentScript& spent,
                                    const std::vector<Bytes>& valid) {
    if (valid.empty()) return {};
    const Bytes& key = valid.front();
    std::vector<Bytes> stack{*map.find(psbt_input::kPartialSignature, key)};
    if (chain::classify(spent.script) == ScriptType::p2pkh) stack.push_back(key);
    return stack;
}

/// The hash type at the end of a signature.
std::uint32_t hash_type_in(const Bytes& signature, bool is_taproot) {
    return is_taproot && signature.size() == kSchnorrBytes ? 0 : signature.back();
}

/// The keys of signatures with another hash type than the input requires. BIP174 forbids finalizing
/// such an input.
std::vector<Bytes> keys_of_other_types(const PsbtMap& map, const SpentScript& spent) {
    std::vector<Bytes> keys;
    const auto demanded = hash_type_of(map);
    if (!demanded) return keys;
    const auto add = [&](const Bytes& signature, bool is_taproot, ByteView key) {
        if (hash_type_in(signature, is_taproot) == *demanded) return;
        keys.emplace_back(key.begin(), key.end());
    };
    for (const PsbtRecord* record : map.all(psbt_input::kPartialSignature)) {
        add(record->value, false, record->key_data());
    }
    for (const PsbtRecord* record : map.all(psbt_input::kTaprootKeySignature)) {
        add(record->value, true, chain::watch_element(spent.script));
    }
    return keys;
}

/// Whether a final input keeps this record (BIP174).
bool stays_in_final(const PsbtRecord& record) {
    constexpr std::array kKept{
        psbt_input::kFullTransaction, psbt_input::kWitnessUtxo,  psbt_input::kFinalScriptSig,
        psbt_input::kFinalWitness,    psbt_input::kPreviousTxid, psbt_input::kOutputIndex,
        psbt_input::kSequence,        psbt_input::kTimeLock,     psbt_input::kHeightLock};
    const bool is_known = record.type() <= psbt_input::kMusigPartialSignature;
    return !is_known || std::ranges::find(kKept, record.type()) != kKept.end();
}

std::optional<PsbtInputError> finalize_input(Psbt& psbt, PsbtVerifier& verifier,
                                             std::size_t input) {
    const auto spent = find_spent_script(psbt, input);
    if (!spent) return PsbtInputError{input, spent.error()};
    const auto checked = verifier.check_signatures(input, *spent);
    const auto stack = find_solution(psbt, input, *spent, checked, verifier);
    if (!stack) return stack.error();
    PsbtMap& map = psbt.input(input);
    chain::TxInput final_input;
    spent->spend(final_input, *stack);
    if (!final_input.script_sig.empty()) {
        map.set(psbt_input::kFinalScriptSig, final_input.script_sig);
    }
    if (!final_input.witness.empty()) {
        map.set(psbt_input::kFinalWitness, written_witness(final_input.witness));
    }
    keep_final_records(map);
    return std::nullopt;
}

}  // namespace

Solution find_solution(const Psbt& psbt, std::size_t input, const SpentScript& spent,
                       const CheckedSignatures& checked, PsbtVerifier& verifier) {
    const auto fail = [&](PsbtInputFault fault, std::vector<Bytes> keys = {}) {
        return chain::Unexpected{PsbtInputError{input, fault, std::move(keys)}};
    };
    const PsbtMap& map = psbt.inputs()[input];
    const ScriptType type = chain::classify(spent.script);
    const auto multisig = chain::parse_multisig(spent.script);
    std::vector<Bytes> stack;
    if (spent.signature == SignatureKind::taproot) {
        if (checked.needs_other_outputs) return fail(PsbtInputFault::unknown_outputs);
        if (!checked.valid.empty()) stack = {*map.find(psbt_input::kTaprootKeySignature)};
    } else if (multisig) {
        stack = solve_multisig(map, *multisig, checked.valid);
    } else if (type == ScriptType::p2pkh || type == ScriptType::p2pk) {
        stack = solve_single_key(map, spent, checked.valid);
    } else {
        return fail(PsbtInputFault::unsupported);
    }
    auto other_types = keys_of_other_types(map, spent);
    if (stack.empty() && checked.wrong.empty()) return fail(PsbtInputFault::incomplete);
    if (stack.empty()) return fail(PsbtInputFault::wrong_signature, checked.wrong);
    if (!other_types.empty()) {
        return fail(PsbtInputFault::wrong_hash_type, std::move(other_types));
    }
    // A script with a malformed key may refuse valid signatures.
    const auto verified = verifier.check_stack(input, spent, stack);
    if (!verified && is_known_wrong(verified.error())) {
        return fail(PsbtInputFault::wrong_final_scripts);
    }
    return stack;
}

bool is_wrong(PsbtInputFault fault) {
    return fault == PsbtInputFault::wrong_signature || fault == PsbtInputFault::wrong_hash_type ||
           fault == PsbtInputFault::wrong_final_scripts;
}

std::vector<PsbtInputError> finalize(Psbt& psbt) {
    PsbtVerifier verifier(psbt);
    std::vector<PsbtInputError> errors;
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        if (is_final(psbt.inputs()[i])) continue;
        auto error = finalize_input(psbt, verifier, i);
        if (!error) continue;
        errors.push_back(*std::move(error));
        // A PSBT with a wrong signature is refused as a whole, and verifying more may take long.
        if (is_wrong(errors.back().fault)) break;
    }
    return errors;
}

void keep_final_records(PsbtMap& input) {
    input.keep_if(stays_in_final);
}

chain::Expected<chain::Transaction, PsbtFlaw> extract(const Psbt& psbt) {
    chain::Transaction transaction = psbt.transaction();
    std::vector<std::optional<chain::TxOutput>> spent;
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const PsbtMap& map = psbt.inputs()[i];
        if (!is_final(map)) {
            return chain::Unexpected{PsbtFlaw{PsbtInputError{i, PsbtInputFault::incomplete}}};
        }
        transaction.inputs[i].script_sig = value_of(map, psbt_input::kFinalScriptSig);
        transaction.inputs[i].witness = final_witness(map);
        spent.push_back(psbt.utxo(i));
    }
    const auto checked = chain::check_transaction(transaction);
    if (!checked) return chain::Unexpected{PsbtFlaw{checked.error()}};
    const auto invalid = chain::find_invalid_input(transaction, spent);
    if (invalid && is_known_wrong(invalid->error)) {
        return chain::Unexpected{
            PsbtFlaw{PsbtInputError{invalid->index, PsbtInputFault::wrong_signature}}};
    }
    return transaction;
}

bool is_complete(Psbt psbt) {
    return finalize(psbt).empty() && extract(psbt).has_value();
}

}  // namespace petal::wallet
