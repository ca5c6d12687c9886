/// The operations of scripts that need only the stack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chain/script/script_error.h"
#include "chain/script/script_stack.h"

namespace petal::chain {

/// The number of items that an operation needs on the stack before any other check. 0 for
/// operations that check the size themselves.
std::size_t items_needed(std::uint8_t opcode);

/// OP_2DROP to OP_TUCK and OP_SIZE: moves, copies and removes items. `minimal` numbers have the
/// shortest encoding. The stack must have the items_needed().
ScriptResult run_stack_operation(std::uint8_t opcode, ScriptStack& stack, bool minimal);

/// OP_1ADD to OP_WITHIN. Fails with script_number for an item that is not a number.
ScriptResult run_number_operation(std::uint8_t opcode, ScriptStack& stack, bool minimal);

/// OP_RIPEMD160 to OP_HASH256: replaces the top by the hash of the top.
void run_hash_operation(std::uint8_t opcode, ScriptStack& stack);

/// Disabled since 2010: a script with such an opcode fails, even in a branch that is not executed
/// (CVE-2010-5137).
bool is_disabled(std::uint8_t opcode);

/// OP_SUCCESS of BIP342: the opcode makes a tapscript valid.
bool is_op_success(std::uint8_t opcode);

}  // namespace petal::chain
