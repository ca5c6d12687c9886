/// The stack after a scriptSig, and the limits of scripts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/script/input_verification.h"
#include "chain/script/interpreter.h"
#include "chain/script/script.h"

namespace petal::chain {

/// The items that a push-only scriptSig leaves on the stack, the top item last. The items are views
/// into `script_sig`, or static. Errors, as in Bitcoin Core's EvalScript:
/// - script_too_large, push_too_large, malformed_script_sig, stack_too_large
/// - longer_push, only under the standard rules
/// - not_push_only, if none of these errors applies and the script has operations
///
/// pushed_later   the number of items that the output's script will push. Ignored if the scriptSig
///                leaves an empty stack
Expected<std::vector<ByteView>, InputError> pushed_items(ByteView script_sig, ScriptRules rules,
                                                         std::size_t pushed_later);

/// Whether an item of a witness exceeds the maximum size of a stack item (before taproot).
bool has_large_item(std::span<const ByteView> items);

}  // namespace petal::chain
