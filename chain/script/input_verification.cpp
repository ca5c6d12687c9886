#include "chain/script/input_verification.h"

#include <cassert>
#include <vector>

#include "chain/script/script_verification.h"

namespace petal::chain {

namespace {

// A standard transaction of P2WPKH or P2TR inputs has at most 1,800. Signatures of 4,000 keys take
// about 0.2 s.
constexpr std::size_t kMaxSignatures = 4'000;

ScriptResult verify(const SignatureChecker& checker, const Transaction& transaction,
                    ScriptFlags flags) {
    const auto result = verify_script(checker, flags);
    if (result) return result;
    const bool lacks_witness = result.error() == ScriptError::witness_empty ||
                               result.error() == ScriptError::witness_mismatch;
    if (lacks_witness && !transaction.has_witness()) {
        return Unexpected(ScriptError::missing_witness);
    }
    return result;
}

}  // namespace

bool is_inconclusive(ScriptError error) {
    switch (error) {
        case ScriptError::missing_witness:
        case ScriptError::unknown_outputs:
        case ScriptError::too_many_signatures:
        case ScriptError::discourage_nops:
        case ScriptError::discourage_witness_program:
        case ScriptError::discourage_taproot_version:
        case ScriptError::discourage_op_success:
        case ScriptError::discourage_key_type:
            return true;
        default:
            return false;
    }
}

ScriptResult verify_input(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                          ScriptFlags flags) {
    assert(input_index < cache.transaction().inputs.size());
    const SignatureChecker checker{cache, input_index, spent, SignatureMode::verified};
    return verify(checker, cache.transaction(), flags);
}

std::optional<InvalidInput> find_invalid_input(
    const Transaction& transaction, std::span<const std::optional<TxOutput>> spent_outputs,
    IfInconclusive if_inconclusive) {
    assert(spent_outputs.size() == transaction.inputs.size());
    std::vector<TxOutput> known;
    for (const auto& output : spent_outputs) {
        if (output) known.push_back(*output);
    }
    if (known.empty()) return std::nullopt;
    const bool knows_all = known.size() == spent_outputs.size();
    const SighashCache cache{transaction, knows_all ? known : std::span<const TxOutput>{}};
    std::optional<InvalidInput> doubtful;
    std::vector<std::size_t> signed_inputs;
    for (std::size_t i = 0; i < spent_outputs.size(); ++i) {
        if (!spent_outputs[i]) continue;
        const SignatureChecker assuming{cache, i, *spent_outputs[i], SignatureMode::assumed};
        const auto form = verify(assuming, transaction, kStandardFlags);
        if (!form && !is_inconclusive(form.error())) return InvalidInput{i, form.error()};
        signed_inputs.push_back(i);
        if (form) continue;
        if (!doubtful || (form.error() == ScriptError::missing_witness &&
                          doubtful->error != ScriptError::missing_witness)) {
            doubtful = {i, form.error()};
        }
    }
    if (doubtful && if_inconclusive == IfInconclusive::return_at_once) return doubtful;
    std::size_t verified = 0;
    for (const std::size_t i : signed_inputs) {
        if (verified > kMaxSignatures) return InvalidInput{i, ScriptError::too_many_signatures};
        const SignatureChecker checker{cache, i, *spent_outputs[i], SignatureMode::verified};
        const auto result = verify(checker, transaction, kStandardFlags);
        verified += checker.verified_signatures();
        if (!result && !is_inconclusive(result.error())) return InvalidInput{i, result.error()};
    }
    return doubtful;
}

}  // namespace petal::chain
