// Facts from Bitcoin Core's EvalScript (script/interpreter.cpp) and BIP342.
#include "chain/script/script_operations.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <utility>

#include "chain/hash.h"
#include "chain/script/opcode.h"
#include "chain/script/script_number.h"

namespace petal::chain {

namespace {

bool is_between(std::uint8_t opcode, std::uint8_t first, std::uint8_t last) {
    return opcode >= first && opcode <= last;
}

template <std::size_t N>
void replace_top(ScriptStack& stack, const std::array<Byte, N>& hash) {
    stack.drop(1);
    stack.push_copy(hash);
}

// OP_PICK copies, and OP_ROLL moves, the item whose number is on the top.
ScriptResult pick(ScriptStack& stack, bool moves, bool minimal) {
    const auto number = read_script_number(stack.top(), minimal);
    if (!number) return Unexpected(ScriptError::script_number);
    stack.drop(1);
    if (*number < 0 || *number >= static_cast<std::int64_t>(stack.size())) {
        return Unexpected(ScriptError::invalid_stack_operation);
    }
    const auto index = static_cast<std::size_t>(*number);
    if (moves) {
        stack.roll(index);
    } else {
        stack.push_copy(stack.item(index));
    }
    return {};
}

// Copies the `count` items that start `from_top` items below the top, in their order.
void copy_items(ScriptStack& stack, std::size_t from_top, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) stack.push_copy(stack.item(from_top));
}

std::int64_t apply(std::uint8_t opcode, std::int64_t number) {
    switch (opcode) {
        case kOp1Add:
            return number + 1;
        case kOp1Sub:
            return number - 1;
        case kOpNegate:
            return -number;
        case kOpAbs:
            return number < 0 ? -number : number;
        case kOpNot:
            return number == 0 ? 1 : 0;
        default:
            assert(opcode == kOp0NotEqual);
            return number != 0 ? 1 : 0;
    }
}

std::int64_t apply(std::uint8_t opcode, std::int64_t left, std::int64_t right) {
    switch (opcode) {
        case kOpAdd:
            return left + right;
        case kOpSub:
            return left - right;
        case kOpBoolAnd:
            return left != 0 && right != 0 ? 1 : 0;
        case kOpBoolOr:
            return left != 0 || right != 0 ? 1 : 0;
        case kOpNumEqual:
        case kOpNumEqualVerify:
            return left == right ? 1 : 0;
        case kOpNumNotEqual:
            return left != right ? 1 : 0;
        case kOpLessThan:
            return left < right ? 1 : 0;
        case kOpGreaterThan:
            return left > right ? 1 : 0;
        case kOpLessThanOrEqual:
            return left <= right ? 1 : 0;
        case kOpGreaterThanOrEqual:
            return left >= right ? 1 : 0;
        case kOpMin:
            return std::min(left, right);
        default:
            assert(opcode == kOpMax);
            return std::max(left, right);
    }
}

ScriptResult apply_to_two(std::uint8_t opcode, ScriptStack& stack, bool minimal) {
    const auto left = read_script_number(stack.item(1), minimal);
    const auto right = read_script_number(stack.item(0), minimal);
    if (!left || !right) return Unexpected(ScriptError::script_number);
    const std::int64_t result = apply(opcode, *left, *right);
    stack.drop(2);
    if (opcode != kOpNumEqualVerify) {
        stack.push(write_script_number(result));
        return {};
    }
    if (result == 0) return Unexpected(ScriptError::num_equal_verify);
    return {};
}

ScriptResult check_within(ScriptStack& stack, bool minimal) {
    const auto number = read_script_number(stack.item(2), minimal);
    const auto least = read_script_number(stack.item(1), minimal);
    const auto limit = read_script_number(stack.item(0), minimal);
    if (!number || !least || !limit) return Unexpected(ScriptError::script_number);
    stack.drop(3);
    stack.push_bool(*least <= *number && *number < *limit);
    return {};
}

}  // namespace

std::size_t items_needed(std::uint8_t opcode) {
    switch (opcode) {
        case kOpVerify:
        case kOpToAltStack:
        case kOpIfDup:
        case kOpDrop:
        case kOpDup:
        case kOpSize:
        case kOp1Add:
        case kOp1Sub:
        case kOpNegate:
        case kOpAbs:
        case kOpNot:
        case kOp0NotEqual:
        case kOpRipemd160:
        case kOpSha1:
        case kOpSha256:
        case kOpHash160:
        case kOpHash256:
            return 1;
        case kOp2Drop:
        case kOp2Dup:
        case kOpNip:
        case kOpOver:
        case kOpPick:
        case kOpRoll:
        case kOpSwap:
        case kOpTuck:
        case kOpEqual:
        case kOpEqualVerify:
        case kOpCheckSig:
        case kOpCheckSigVerify:
            return 2;
        case kOp3Dup:
        case kOpRot:
        case kOpWithin:
            return 3;
        case kOp2Over:
        case kOp2Swap:
            return 4;
        case kOp2Rot:
            return 6;
        default:
            return is_between(opcode, kOpAdd, kOpMax) ? 2 : 0;
    }
}

ScriptResult run_stack_operation(std::uint8_t opcode, ScriptStack& stack, bool minimal) {
    assert(stack.size() >= items_needed(opcode));
    switch (opcode) {
        case kOp2Drop:
            stack.drop(2);
            break;
        case kOp2Dup:
            copy_items(stack, 1, 2);
            break;
        case kOp3Dup:
            copy_items(stack, 2, 3);
            break;
        case kOp2Over:
            copy_items(stack, 3, 2);
            break;
        case kOp2Rot:
            stack.roll(5);
            stack.roll(5);
            break;
        case kOp2Swap:
            stack.swap(3, 1);
            stack.swap(2, 0);
            break;
        case kOpIfDup:
            if (is_true(stack.top())) stack.push_copy(stack.top());
            break;
        case kOpDepth:
            stack.push(write_script_number(static_cast<std::int64_t>(stack.size())));
            break;
        case kOpDrop:
            stack.drop(1);
            break;
        case kOpDup:
            stack.push_copy(stack.top());
            break;
        case kOpNip:
            stack.erase(1);
            break;
        case kOpOver:
            stack.push_copy(stack.item(1));
            break;
        case kOpPick:
            return pick(stack, /*moves=*/false, minimal);
        case kOpRoll:
            return pick(stack, /*moves=*/true, minimal);
        case kOpRot:
            stack.roll(2);
            break;
        case kOpSwap:
            stack.swap(1, 0);
            break;
        case kOpTuck:
            stack.insert_top_below(1);
            break;
        default:
            assert(opcode == kOpSize);
            stack.push(write_script_number(static_cast<std::int64_t>(stack.top().size())));
    }
    return {};
}

ScriptResult run_number_operation(std::uint8_t opcode, ScriptStack& stack, bool minimal) {
    assert(stack.size() >= items_needed(opcode));
    if (opcode == kOpWithin) return check_within(stack, minimal);
    if (opcode >= kOpAdd) return apply_to_two(opcode, stack, minimal);
    const auto number = read_script_number(stack.top(), minimal);
    if (!number) return Unexpected(ScriptError::script_number);
    stack.drop(1);
    stack.push(write_script_number(apply(opcode, *number)));
    return {};
}

void run_hash_operation(std::uint8_t opcode, ScriptStack& stack) {
    assert(stack.size() >= items_needed(opcode));
    switch (opcode) {
        case kOpRipemd160:
            return replace_top(stack, ripemd160(stack.top()));
        case kOpSha1:
            return replace_top(stack, sha1(stack.top()));
        case kOpSha256:
            return replace_top(stack, sha256(stack.top()));
        case kOpHash160:
            return replace_top(stack, hash160(stack.top()));
        default:
            assert(opcode == kOpHash256);
            return replace_top(stack, sha256d(stack.top()).bytes);
    }
}

bool is_disabled(std::uint8_t opcode) {
    return is_between(opcode, kOpCat, kOpRight) || is_between(opcode, kOpInvert, kOpXor) ||
           is_between(opcode, kOp2Mul, kOp2Div) || is_between(opcode, kOpMul, kOpRShift);
}

bool is_op_success(std::uint8_t opcode) {
    constexpr std::uint8_t kOpVer = 0x62;
    constexpr std::uint8_t kOpReserved1 = 0x89;
    constexpr std::uint8_t kOpReserved2 = 0x8a;
    return opcode == kOpReserved || opcode == kOpVer || is_disabled(opcode) ||
           is_between(opcode, kOpReserved1, kOpReserved2) ||
           is_between(opcode, kOpCheckSigAdd + 1, 0xfe);
}

}  // namespace petal::chain
