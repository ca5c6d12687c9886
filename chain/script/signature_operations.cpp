// Facts from Bitcoin Core's EvalChecksig and EvalScript (script/interpreter.cpp) and BIP342.
#include "chain/script/signature_operations.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "chain/script/script.h"
#include "chain/script/script_number.h"

namespace petal::chain {

namespace {

// The push of a signature that FindAndDelete looks for: without OP_1 to OP_16, but not longer than
// needed otherwise.
Bytes signature_push(ByteView signature) {
    Bytes push = push_data(signature);
    if (signature.size() == 1) push = {1, signature[0]};
    return push;
}

// The script without each occurrence of `push` at the start of an operation, or empty if there is
// none (Bitcoin Core: FindAndDelete). A push that exceeds the end is kept.
std::optional<Bytes> without_push(ByteView script, ByteView push) {
    Bytes result;
    bool found = false;
    ScriptWalker walker{script};
    for (ByteView rest = script;;) {
        while (rest.size() >= push.size() && std::ranges::equal(rest.first(push.size()), push)) {
            rest = rest.subspan(push.size());
            walker = ScriptWalker{rest};
            found = true;
        }
        const bool has_operation = walker.next().has_value();
        const ByteView kept = has_operation ? rest.first(rest.size() - walker.rest().size()) : rest;
        result.insert(result.end(), kept.begin(), kept.end());
        if (!has_operation) break;
        rest = walker.rest();
    }
    if (!found) return std::nullopt;
    return result;
}

// Removes a signature from the script code of a script before segwit.
ScriptResult remove_signature(const ScriptContext& context, ByteView signature, Bytes& code) {
    if (context.version != ScriptVersion::legacy) return {};
    auto rest = without_push(code, signature_push(signature));
    if (!rest) return {};
    if (context.flags.has(ScriptFlag::const_script_code)) {
        return Unexpected(ScriptError::find_and_delete);
    }
    code = *std::move(rest);
    return {};
}

Expected<bool, ScriptError> check_ecdsa(const ScriptContext& context, ByteView signature,
                                        ByteView key, ByteView script_code) {
    const auto encoding = check_signature_encoding(signature, context.flags);
    if (!encoding) return Unexpected(encoding.error());
    const auto form = check_key_encoding(key, context.flags, context.version);
    if (!form) return Unexpected(form.error());
    return context.checker.check_ecdsa(signature, key, script_code, context.version);
}

Expected<bool, ScriptError> check_before_tapscript(const ScriptContext& context, ByteView signature,
                                                   ByteView key, ByteView script_code) {
    Bytes code(script_code.begin(), script_code.end());
    const auto removed = remove_signature(context, signature, code);
    if (!removed) return Unexpected(removed.error());
    const auto valid = check_ecdsa(context, signature, key, code);
    if (!valid) return valid;
    if (!*valid && !signature.empty() && context.flags.has(ScriptFlag::null_fail)) {
        return Unexpected(ScriptError::null_fail);
    }
    return valid;
}

Expected<bool, ScriptError> check_in_tapscript(ScriptContext& context, ByteView signature,
                                               ByteView key) {
    constexpr std::size_t kKeyBytes = 32;
    const bool is_signed = !signature.empty();
    if (is_signed) context.validation_weight -= kWeightOfSignature;
    if (context.validation_weight < 0) return Unexpected(ScriptError::validation_weight);
    if (key.empty()) return Unexpected(ScriptError::tapscript_empty_key);
    if (key.size() != kKeyBytes) {
        // A key of a type without rules yet: any signature is valid.
        if (context.flags.has(ScriptFlag::discourage_key_type)) {
            return Unexpected(ScriptError::discourage_key_type);
        }
        return is_signed;
    }
    if (!is_signed) return false;
    const auto valid = context.checker.check_schnorr(signature, key, context.taproot);
    if (!valid) return Unexpected(valid.error());
    return true;
}

// The number at `from_top`, between 0 and `max`. The error is script_number for an item that is no
// number.
Expected<std::size_t, ScriptError> read_count(const ScriptContext& context,
                                              const ScriptStack& stack, std::size_t from_top,
                                              std::size_t max, ScriptError out_of_range) {
    if (stack.size() <= from_top) return Unexpected(ScriptError::invalid_stack_operation);
    const bool minimal = context.flags.has(ScriptFlag::minimal_data);
    const auto number = read_script_number(stack.item(from_top), minimal);
    if (!number) return Unexpected(ScriptError::script_number);
    if (*number < 0 || *number > static_cast<std::int64_t>(max)) return Unexpected(out_of_range);
    return static_cast<std::size_t>(*number);
}

// Where the items of OP_CHECKMULTISIG are, counted from the top.
struct MultisigItems {
    std::size_t keys = 0;        ///< how many, from item 1 on
    std::size_t signatures = 0;  ///< how many, from first_signature() on

    std::size_t first_signature() const { return keys + 2; }
    /// The additional item that OP_CHECKMULTISIG removes.
    std::size_t dummy() const { return first_signature() + signatures; }
};

Expected<MultisigItems, ScriptError> find_items(const ScriptContext& context,
                                                const ScriptStack& stack, std::size_t& operations) {
    const auto keys = read_count(context, stack, 0, kMaxMultisigKeys, ScriptError::key_count);
    if (!keys) return Unexpected(keys.error());
    operations += *keys;
    if (operations > kMaxOperations) return Unexpected(ScriptError::op_count);
    const auto signatures =
        read_count(context, stack, *keys + 1, *keys, ScriptError::signature_count);
    if (!signatures) return Unexpected(signatures.error());
    const MultisigItems items{*keys, *signatures};
    if (stack.size() <= items.dummy()) return Unexpected(ScriptError::invalid_stack_operation);
    return items;
}

// Whether each signature matches a key, in the order of the keys. The last signature and key come
// first, because the order decides which malformed item is reported.
Expected<bool, ScriptError> match_signatures(const ScriptContext& context, const ScriptStack& stack,
                                             const MultisigItems& items, ByteView script_code) {
    std::size_t key = 0;
    std::size_t signature = 0;
    while (signature < items.signatures) {
        if (items.signatures - signature > items.keys - key) return false;
        const auto valid = check_ecdsa(context, stack.item(items.first_signature() + signature),
                                       stack.item(1 + key), script_code);
        if (!valid) return valid;
        if (*valid) ++signature;
        ++key;
    }
    return true;
}

bool has_signature(const ScriptStack& stack, const MultisigItems& items) {
    for (std::size_t i = 0; i < items.signatures; ++i) {
        if (!stack.item(items.first_signature() + i).empty()) return true;
    }
    return false;
}

}  // namespace

Expected<bool, ScriptError> check_signature(ScriptContext& context, ByteView signature,
                                            ByteView key, ByteView script_code) {
    if (context.version == ScriptVersion::tapscript) {
        return check_in_tapscript(context, signature, key);
    }
    return check_before_tapscript(context, signature, key, script_code);
}

Expected<bool, ScriptError> check_multisig(const ScriptContext& context, ScriptStack& stack,
                                           ByteView script_code, std::size_t& operations) {
    if (context.version == ScriptVersion::tapscript) {
        return Unexpected(ScriptError::tapscript_multisig);
    }
    const auto items = find_items(context, stack, operations);
    if (!items) return Unexpected(items.error());
    Bytes code(script_code.begin(), script_code.end());
    for (std::size_t i = 0; i < items->signatures; ++i) {
        const auto removed =
            remove_signature(context, stack.item(items->first_signature() + i), code);
        if (!removed) return Unexpected(removed.error());
    }
    const auto valid = match_signatures(context, stack, *items, code);
    if (!valid) return valid;
    const bool needs_empty = !*valid && context.flags.has(ScriptFlag::null_fail);
    if (needs_empty && has_signature(stack, *items)) return Unexpected(ScriptError::null_fail);
    if (context.flags.has(ScriptFlag::null_dummy) && !stack.item(items->dummy()).empty()) {
        return Unexpected(ScriptError::null_dummy);
    }
    stack.drop(items->dummy() + 1);
    return valid;
}

}  // namespace petal::chain
