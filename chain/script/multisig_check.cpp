#include "chain/script/multisig_check.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace petal::chain {

namespace {

// OP_CHECKMULTISIG tries the next key after these errors. Any other error fails the script at once.
bool is_of_another_key(InputError error) {
    return error == InputError::empty_signature || error == InputError::invalid_key ||
           error == InputError::wrong_signature;
}

}  // namespace

Expected<void, InputError> check_multisig(const MultisigTemplate& script,
                                          std::span<const ByteView> items, bool is_segwit,
                                          ScriptRules rules, const HashOf& hash_of) {
    // The signature hash by hash type, computed once for all keys.
    std::map<std::uint32_t, Hash256> hashes;
    const HashOf known_hash_of = [&](std::uint32_t hash_type) {
        const auto known = hashes.find(hash_type);
        return known == hashes.end() ? hashes.emplace(hash_type, hash_of(hash_type)).first->second
                                     : known->second;
    };
    if (items.size() < script.required + std::size_t{1}) {
        return Unexpected(InputError::too_few_items);
    }
    // The script uses the top of the stack. Unused items below are detected at the end.
    const auto signatures = items.last(script.required);
    const ByteView dummy = items[items.size() - script.required - 1];

    // From the last key to the first, because the order decides which malformed item is reported.
    std::size_t signatures_left = signatures.size();
    std::size_t keys_left = script.keys.size();
    while (signatures_left > 0 && signatures_left <= keys_left) {
        const EcdsaSpend spend{signatures[signatures_left - 1], script.keys[keys_left - 1],
                               is_segwit, rules};
        const auto verdict = check_ecdsa(spend, known_hash_of);
        if (!verdict && !is_of_another_key(verdict.error())) return verdict;
        if (verdict) --signatures_left;
        --keys_left;
    }
    const bool is_satisfied = signatures_left == 0;
    const bool any_signature =
        std::ranges::any_of(signatures, [](ByteView signature) { return !signature.empty(); });
    const auto unsatisfied =
        Unexpected(any_signature ? InputError::wrong_signature : InputError::empty_signature);
    // Under the standard rules, a wrong signature fails at once (NULLFAIL).
    const bool fails_at_once = any_signature && rules == ScriptRules::standard;
    if (!is_satisfied && fails_at_once) return unsatisfied;
    if (!dummy.empty()) return Unexpected(InputError::nonzero_dummy);
    if (!is_satisfied) return unsatisfied;
    const bool needs_clean_stack = is_segwit || rules == ScriptRules::standard;
    if (needs_clean_stack && items.size() > script.required + std::size_t{1}) {
        return Unexpected(InputError::too_many_items);
    }
    return {};
}

}  // namespace petal::chain
