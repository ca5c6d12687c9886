/// OP_CHECKSIG, OP_CHECKSIGADD and OP_CHECKMULTISIG.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chain/script/script_error.h"
#include "chain/script/script_flags.h"
#include "chain/script/script_stack.h"
#include "chain/script/signature_checker.h"

namespace petal::chain {

/// The maximum number of operations of a script other than pushes, before taproot. Each key of a
/// multisig counts as one (Bitcoin Core: script.h, MAX_OPS_PER_SCRIPT).
inline constexpr std::size_t kMaxOperations = 201;

/// The validation weight that a signature of a tapscript takes from the budget, and what the budget
/// has in addition to the size of the witness (BIP342).
inline constexpr std::int64_t kWeightOfSignature = 50;
inline constexpr std::int64_t kAdditionalWeight = 50;

/// The rules and the input that a script is run for.
struct ScriptContext {
    const SignatureChecker& checker;
    ScriptFlags flags;
    ScriptVersion version = ScriptVersion::legacy;
    TaprootSpend taproot;                ///< tapscript only
    std::int64_t validation_weight = 0;  ///< tapscript only: what is left of the budget
};

/// The result of a signature check, which OP_CHECKSIG pushes. Fails if the script fails at once.
///
/// script_code   the script from the last executed OP_CODESEPARATOR on
Expected<bool, ScriptError> check_signature(ScriptContext& context, ByteView signature,
                                            ByteView key, ByteView script_code);

/// Removes the items of OP_CHECKMULTISIG from the stack and returns the result. Adds the number of
/// keys to `operations`.
Expected<bool, ScriptError> check_multisig(const ScriptContext& context, ScriptStack& stack,
                                           ByteView script_code, std::size_t& operations);

}  // namespace petal::chain
