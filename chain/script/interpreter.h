/// Runs scripts.
#pragma once

#include <cstddef>

#include "chain/bytes.h"
#include "chain/script/script_error.h"
#include "chain/script/script_stack.h"
#include "chain/script/signature_operations.h"

namespace petal::chain {

/// The maximum number of items on a script's two stacks (Bitcoin Core: script.h, MAX_STACK_SIZE).
inline constexpr std::size_t kMaxStackItems = 1'000;

/// Runs a script on a stack (Bitcoin Core: EvalScript). Returns the error with which the script
/// fails at once. The caller judges the items that remain. Limits:
/// - before taproot: scripts of kMaxScriptBytes, kMaxOperations
/// - items of kMaxPushBytes, kMaxStackItems
/// - the time of hashing and copying is linear in the script's size. Before taproot, a script
/// checks
///   at most kMaxOperations signatures, as each key counts as an operation. In tapscript, the
///   validation weight limits the number.
ScriptResult run_script(ScriptContext& context, ScriptStack& stack, ByteView script);

}  // namespace petal::chain
