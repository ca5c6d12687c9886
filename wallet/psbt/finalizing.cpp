#include "wallet/psbt/finalizing.h"

#include <algorithm>
#include <array>
#include <utility>

#include "chain/script/input_verification.h"
#include "chain/script/multisig_check.h"
#include "chain/script/script.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {

namespace {

using chain::Bytes;
using chain::ByteView;
using chain::ScriptType;
using Solution = chain::Expected<std::vector<Bytes>, PsbtInputFault>;

constexpr std::size_t kSchnorrBytes = 64;

Solution solve_multisig(const PsbtMap& map, const chain::MultisigTemplate& multisig) {
    std::vector<Bytes> stack{{}};  // OP_CHECKMULTISIG pops one extra item
    for (const ByteView key : multisig.keys) {
        const Bytes* signature = map.find(psbt_input::kPartialSignature, key);
        if (signature == nullptr || stack.size() > multisig.required) continue;
        stack.push_back(*signature);
    }
    if (stack.size() <= multisig.required) return chain::Unexpected{PsbtInputFault::incomplete};
    return stack;
}

Solution solve_single_key(const PsbtMap& map, const SpentScript& spent) {
    for (const PsbtRecord* record : map.all(psbt_input::kPartialSignature)) {
        const ByteView key = record->key_data();
        if (!spent.is_signed_by(key)) continue;
        std::vector<Bytes> stack{record->value};
        if (chain::classify(spent.script) == ScriptType::p2pkh) {
            stack.emplace_back(key.begin(), key.end());
        }
        return stack;
    }
    return chain::Unexpected{PsbtInputFault::incomplete};
}

/// The hash type that a signature ends with.
std::uint32_t hash_type_in(const Bytes& signature, bool is_taproot) {
    return is_taproot && signature.size() == kSchnorrBytes ? 0 : signature.back();
}

/// Whether all signatures of an input have the type that it demands.
bool have_demanded_type(const PsbtMap& map) {
    const auto demanded = hash_type_of(map);
    if (!demanded) return true;
    const auto suits = [&](const PsbtRecord* record, bool is_taproot) {
        return hash_type_in(record->value, is_taproot) == *demanded;
    };
    return std::ranges::all_of(map.all(psbt_input::kPartialSignature),
                               [&](const PsbtRecord* record) { return suits(record, false); }) &&
           std::ranges::all_of(map.all(psbt_input::kTaprootKeySignature),
                               [&](const PsbtRecord* record) { return suits(record, true); });
}

/// Whether the signatures that spend an input of the cache's transaction are right.
chain::Expected<void, chain::InputError> verify(const chain::SighashCache& cache, std::size_t input,
                                                const SpentScript& spent,
                                                const std::vector<Bytes>& stack) {
    if (spent.signature == SignatureKind::taproot) {
        return chain::verify_input(cache, input, spent.output);
    }
    const bool is_segwit = spent.signature == SignatureKind::segwit;
    const auto hash_of = [&](std::uint32_t type) { return spent.hash(cache, input, type); };
    if (const auto multisig = chain::parse_multisig(spent.script)) {
        const std::vector<ByteView> items(stack.begin(), stack.end());
        return chain::check_multisig(*multisig, items, is_segwit, chain::ScriptRules::standard,
                                     hash_of);
    }
    const ByteView key = stack.size() > 1 ? ByteView(stack[1]) : chain::watch_element(spent.script);
    return chain::check_ecdsa({stack[0], key, is_segwit}, hash_of);
}

/// Whether a final input keeps this record besides its scripts (BIP174). Other records are not
/// needed any more.
bool stays_in_final(const PsbtRecord& record) {
    constexpr std::array kKept{
        psbt_input::kFullTransaction, psbt_input::kWitnessUtxo,  psbt_input::kFinalScriptSig,
        psbt_input::kFinalWitness,    psbt_input::kPreviousTxid, psbt_input::kOutputIndex,
        psbt_input::kSequence,        psbt_input::kTimeLock,     psbt_input::kHeightLock};
    const bool is_known = record.type() <= psbt_input::kMusigPartialSignature;
    return !is_known || std::ranges::find(kKept, record.type()) != kKept.end();
}

std::optional<PsbtInputFault> finalize_input(Psbt& psbt, std::size_t input,
                                             chain::Transaction& transaction,
                                             const chain::SighashCache& cache) {
    const auto spent = find_spent_script(psbt, input);
    if (!spent) return spent.error();
    const auto stack = find_solution(psbt, input, *spent);
    if (!stack) return stack.error();
    PsbtMap& map = psbt.input(input);
    if (!have_demanded_type(map)) return PsbtInputFault::wrong_hash_type;
    spent->spend(transaction.inputs[input], *stack);
    const auto verified = verify(cache, input, *spent, *stack);
    if (!verified) {
        return verified.error() == chain::InputError::unknown_outputs
                   ? PsbtInputFault::unknown_outputs
                   : PsbtInputFault::wrong_signature;
    }
    const chain::TxInput& final_input = transaction.inputs[input];
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

Solution find_solution(const Psbt& psbt, std::size_t input, const SpentScript& spent) {
    const PsbtMap& map = psbt.inputs()[input];
    if (spent.signature == SignatureKind::taproot) {
        const Bytes* signature = map.find(psbt_input::kTaprootKeySignature);
        if (signature == nullptr) return chain::Unexpected{PsbtInputFault::incomplete};
        return std::vector<Bytes>{*signature};
    }
    if (const auto multisig = chain::parse_multisig(spent.script)) {
        return solve_multisig(map, *multisig);
    }
    const ScriptType type = chain::classify(spent.script);
    if (type == ScriptType::p2pkh || type == ScriptType::p2pk) return solve_single_key(map, spent);
    return chain::Unexpected{PsbtInputFault::unsupported};
}

bool is_wrong(PsbtInputFault fault) {
    return fault == PsbtInputFault::wrong_signature || fault == PsbtInputFault::wrong_hash_type;
}

std::vector<PsbtInputError> finalize(Psbt& psbt) {
    chain::Transaction transaction = psbt.transaction();
    const chain::SighashCache cache(transaction, psbt.known_utxos());
    std::vector<PsbtInputError> errors;
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        if (is_final(psbt.inputs()[i])) continue;
        const auto fault = finalize_input(psbt, i, transaction, cache);
        if (!fault) continue;
        errors.push_back({i, *fault});
        // A PSBT with a wrong signature is refused as a whole; verifying more may take very long.
        if (is_wrong(*fault)) break;
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
    if (invalid && !chain::is_inconclusive(invalid->error)) {
        return chain::Unexpected{
            PsbtFlaw{PsbtInputError{invalid->index, PsbtInputFault::wrong_signature}}};
    }
    return transaction;
}

bool is_complete(Psbt psbt) {
    return finalize(psbt).empty() && extract(psbt).has_value();
}

}  // namespace petal::wallet
