// The pushes of a scriptSig (Bitcoin Core: script/interpreter.cpp, EvalScript).
#include "chain/script/script_sig.h"

#include <algorithm>
#include <array>

namespace petal::chain {

namespace {

// The items that OP_1NEGATE and OP_1 to OP_16 push.
ByteView pushed_number(std::uint8_t opcode) {
    static constexpr std::array<Byte, 18> kNumbers = {0x81, 0, 1,  2,  3,  4,  5,  6,  7,
                                                      8,    9, 10, 11, 12, 13, 14, 15, 16};
    return ByteView(kNumbers).subspan(opcode - kOp1Negate, 1);
}

bool is_push(const ScriptWalker::Operation& operation) {
    return operation.opcode <= kOp16;  // includes OP_RESERVED, as in Bitcoin Core
}

// Adds the item that an is_push() operation leaves on the stack.
Expected<void, InputError> push(const ScriptWalker::Operation& operation, ScriptRules rules,
                                std::vector<ByteView>& items) {
    if (operation.opcode == kOpReserved) return Unexpected(InputError::malformed_script_sig);
    const bool is_number = operation.opcode > kOpPushData4;
    if (!is_number && rules == ScriptRules::standard && !is_shortest_push(operation)) {
        return Unexpected(InputError::longer_push);
    }
    items.push_back(is_number ? pushed_number(operation.opcode) : operation.data);
    if (items.size() > kMaxStackItems) return Unexpected(InputError::stack_too_large);
    return {};
}

}  // namespace

Expected<std::vector<ByteView>, InputError> pushed_items(ByteView script_sig, ScriptRules rules,
                                                         std::size_t pushed_later) {
    if (script_sig.size() > kMaxScriptBytes) return Unexpected(InputError::script_too_large);
    std::vector<ByteView> items;
    bool only_pushes = true;
    ScriptWalker walker{script_sig};
    while (const auto operation = walker.next()) {
        if (operation->data.size() > kMaxPushBytes) return Unexpected(InputError::push_too_large);
        only_pushes = only_pushes && is_push(*operation);
        if (!only_pushes) continue;  // an operation may skip pushes or remove items
        const auto pushed = push(*operation, rules, items);
        if (!pushed) return Unexpected(pushed.error());
    }
    if (walker.malformed()) return Unexpected(InputError::malformed_script_sig);
    if (!only_pushes) return Unexpected(InputError::not_push_only);
    if (!items.empty() && items.size() + pushed_later > kMaxStackItems) {
        return Unexpected(InputError::stack_too_large);
    }
    return items;
}

bool has_large_item(std::span<const ByteView> items) {
    return std::ranges::any_of(items, [](ByteView item) { return item.size() > kMaxPushBytes; });
}

}  // namespace petal::chain
