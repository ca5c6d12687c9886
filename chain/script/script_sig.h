/// The stack that a scriptSig leaves, and the limits of scripts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/script/input_verification.h"
#include "chain/script/script.h"

namespace petal::chain {

/// No script that runs has more items on its stack (Bitcoin Core: script.h, MAX_STACK_SIZE).
inline constexpr std::size_t kMaxStackItems = 1'000;

/// The items that a push-only scriptSig leaves on the stack, the top one last; they are parts of
/// `script_sig`, or static. Fails like Bitcoin Core's EvalScript, with script_too_large,
/// push_too_large, malformed_script_sig or stack_too_large, and by the standard rules with
/// longer_push; with not_push_only if none of these applies but the script has other operations.
/// pushed_later   the number of further items that the output's script will push; nothing is pushed
///                onto an empty stack
Expected<std::vector<ByteView>, InputError> pushed_items(ByteView script_sig, ScriptRules rules,
                                                         std::size_t pushed_later);

/// Whether an item of a witness exceeds the maximum size of a stack item (before taproot).
bool has_large_item(std::span<const ByteView> items);

}  // namespace petal::chain
