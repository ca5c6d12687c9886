// Verification of inputs by template (Bitcoin Core: script/interpreter.cpp).
#include "chain/script/input_verification.h"

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "chain/enum_table.h"
#include "chain/hash.h"
#include "chain/script/ecdsa_check.h"
#include "chain/script/multisig_check.h"
#include "chain/script/script.h"
#include "chain/script/script_sig.h"

namespace petal::chain {

namespace {

// Computes the signature hashes of an input and checks the signatures. Refers to the cache and the
// spent output, which must outlive the check.
using SignatureCheck = std::function<Expected<void, InputError>()>;

// The remaining checks of an input with a valid encoding.
using Result = Expected<SignatureCheck, InputError>;

// Compares the hash of the key before the signature is checked, like the script.
Result check_key_spend(const EcdsaSpend& spend, ByteView key_hash, const HashOf& hash_of) {
    if (!std::ranges::equal(hash160(spend.public_key), key_hash)) {
        return Unexpected(InputError::wrong_key);
    }
    const auto parsed = parse_ecdsa(spend);
    if (!parsed) return Unexpected(parsed.error());
    return SignatureCheck([=, parsed = *parsed] { return verify_ecdsa(parsed, hash_of); });
}

// Checks the witness of P2WPKH.
Result check_witness(const SighashCache& cache, std::size_t input_index, ByteView key_hash,
                     Satoshis amount, ScriptRules rules) {
    const Transaction& transaction = cache.transaction();
    const auto& witness = transaction.inputs[input_index].witness;
    if (witness.empty() && !transaction.has_witness()) {
        return Unexpected(InputError::missing_witness);
    }
    if (witness.size() != 2) return Unexpected(InputError::wrong_witness_items);
    if (has_large_item(witness.items())) return Unexpected(InputError::push_too_large);
    Hash160 hash;
    std::ranges::copy(key_hash, hash.begin());
    const Bytes script_code = p2pkh_script(hash);
    const EcdsaSpend spend{witness[0], witness[1], /*needs_compressed_key=*/true, rules};
    return check_key_spend(spend, key_hash, [=, &cache](std::uint32_t hash_type) {
        return cache.segwit_hash(input_index, script_code, amount, hash_type);
    });
}

Result check_p2wpkh(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                    ScriptRules rules) {
    if (!cache.transaction().inputs[input_index].script_sig.empty()) {
        return Unexpected(InputError::unexpected_script_sig);
    }
    return check_witness(cache, input_index, watch_element(spent.script_pubkey), spent.value,
                         rules);
}

// A script before taproot, and the stack that the script starts with.
struct ScriptRun {
    ByteView script;
    std::vector<ByteView> items;  // the top one last
    bool is_segwit = false;
};

// The maximum number of items by which a script makes the stack grow. Empty for an unsupported
// script.
std::optional<std::size_t> pushed_by(ByteView script) {
    const ScriptType type = classify(script);
    if (type == ScriptType::p2pk) return 1;
    if (type == ScriptType::p2pkh) return 2;  // a second copy of the key, and the hash
    if (type != ScriptType::bare_multisig) return std::nullopt;
    return parse_multisig(script)->keys.size() + 2;
}

// Checks the signature of a single key. The script uses the top of the stack. Unused items below
// are detected at the end.
Result check_one_key(const ScriptRun& run, bool shows_key, ScriptRules rules,
                     const HashOf& hash_of) {
    const std::size_t needed = shows_key ? 2 : 1;
    if (run.items.empty()) return Unexpected(InputError::too_few_items);
    const ByteView key = shows_key ? run.items.back() : watch_element(run.script);
    if (shows_key && !std::ranges::equal(hash160(key), watch_element(run.script))) {
        return Unexpected(InputError::wrong_key);
    }
    if (run.items.size() < needed) return Unexpected(InputError::too_few_items);
    const EcdsaSpend spend{run.items[run.items.size() - needed], key, run.is_segwit, rules};
    const auto parsed = parse_ecdsa(spend);
    if (!parsed) return Unexpected(parsed.error());
    const bool needs_clean_stack = run.is_segwit || rules == ScriptRules::standard;
    const bool has_more = needs_clean_stack && run.items.size() > needed;
    return SignatureCheck([=, parsed = *parsed]() -> Expected<void, InputError> {
        const auto verdict = verify_ecdsa(parsed, hash_of);
        if (verdict && has_more) return Unexpected(InputError::too_many_items);
        return verdict;
    });
}

// Checks P2PK, P2PKH or multisig, bare or within P2SH or P2WSH.
Result check_script(const ScriptRun& run, ScriptRules rules, const HashOf& hash_of) {
    const auto pushed = pushed_by(run.script);
    if (!pushed) return Unexpected(InputError::unsupported);
    if (run.items.size() + *pushed > kMaxStackItems) {
        return Unexpected(InputError::stack_too_large);
    }
    const ScriptType type = classify(run.script);
    if (type != ScriptType::bare_multisig) {
        return check_one_key(run, /*shows_key=*/type == ScriptType::p2pkh, rules, hash_of);
    }
    return SignatureCheck([=, multisig = *parse_multisig(run.script)] {
        return check_multisig(multisig, run.items, run.is_segwit, rules, hash_of);
    });
}

// Distinguishes an input without its witness from a transaction whose witnesses were not sent.
Expected<void, InputError> check_has_witness(const SighashCache& cache, const TxInput& input) {
    if (!input.witness.empty()) return {};
    return Unexpected(cache.transaction().has_witness() ? InputError::wrong_witness_items
                                                        : InputError::missing_witness);
}

// For a witness program that is not within P2SH: the scriptSig must be empty.
Expected<void, InputError> check_has_witness_alone(const SighashCache& cache,
                                                   const TxInput& input) {
    if (!input.script_sig.empty()) return Unexpected(InputError::unexpected_script_sig);
    return check_has_witness(cache, input);
}

// Checks the witness of P2WSH.
Result check_script_witness(const SighashCache& cache, std::size_t input_index,
                            ByteView script_hash, Satoshis amount, ScriptRules rules) {
    const TxInput& input = cache.transaction().inputs[input_index];
    if (const auto shown = check_has_witness(cache, input); !shown) {
        return Unexpected(shown.error());
    }
    ScriptRun run{{}, input.witness.items(), /*is_segwit=*/true};
    run.script = run.items.back();
    run.items.pop_back();
    if (!std::ranges::equal(sha256(run.script), script_hash)) {
        return Unexpected(InputError::wrong_witness_script);
    }
    if (has_large_item(run.items)) return Unexpected(InputError::push_too_large);
    if (run.script.size() > kMaxScriptBytes) return Unexpected(InputError::script_too_large);
    return check_script(run, rules, [=, &cache, script = run.script](std::uint32_t hash_type) {
        return cache.segwit_hash(input_index, script, amount, hash_type);
    });
}

Result check_p2wsh(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                   ScriptRules rules) {
    const TxInput& input = cache.transaction().inputs[input_index];
    if (const auto shown = check_has_witness_alone(cache, input); !shown) {
        return Unexpected(shown.error());
    }
    return check_script_witness(cache, input_index, watch_element(spent.script_pubkey), spent.value,
                                rules);
}

// Checks a script that is spent by a scriptSig without a witness.
Result check_legacy_script(const SighashCache& cache, std::size_t input_index, const ScriptRun& run,
                           ScriptRules rules) {
    const TxInput& input = cache.transaction().inputs[input_index];
    if (pushed_by(run.script) && !input.witness.empty()) {
        return Unexpected(InputError::unexpected_witness);
    }
    return check_script(run, rules, [=, &cache, script = run.script](std::uint32_t hash_type) {
        return cache.legacy_hash(input_index, script, hash_type);
    });
}

Result check_p2sh(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                  ScriptRules rules) {
    constexpr std::size_t kPushedLater = 1;  // the hash
    const ByteView script_sig = cache.transaction().inputs[input_index].script_sig;
    auto items = pushed_items(script_sig, rules, kPushedLater);
    if (!items) {
        const bool has_operation = items.error() == InputError::not_push_only;
        return Unexpected(has_operation ? InputError::forbidden_operation : items.error());
    }
    if (items->empty()) return Unexpected(InputError::too_few_items);
    const ByteView redeem_script = items->back();
    items->pop_back();
    if (!std::ranges::equal(hash160(redeem_script), watch_element(spent.script_pubkey))) {
        return Unexpected(InputError::wrong_redeem_script);
    }
    const ScriptType type = classify(redeem_script);
    if (type != ScriptType::p2wpkh && type != ScriptType::p2wsh) {
        return check_legacy_script(cache, input_index, {redeem_script, *std::move(items)}, rules);
    }
    if (!std::ranges::equal(script_sig, push_data(redeem_script))) {
        return Unexpected(InputError::unexpected_script_sig);
    }
    const auto check = type == ScriptType::p2wpkh ? check_witness : check_script_witness;
    return check(cache, input_index, watch_element(redeem_script), spent.value, rules);
}

// Checks bare P2PK, P2PKH or multisig.
Result check_bare_script(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                         ScriptRules rules) {
    const ByteView script_sig = cache.transaction().inputs[input_index].script_sig;
    auto items = pushed_items(script_sig, rules, *pushed_by(spent.script_pubkey));
    if (!items) return Unexpected(items.error());
    return check_legacy_script(cache, input_index, {spent.script_pubkey, *std::move(items)}, rules);
}

// A signature of BIP340 with its hash type.
struct SchnorrSignature {
    ByteView signature;
    std::uint32_t hash_type = 0;
};

// BIP341: 64 bytes for the default hash type, 65 bytes for any other type.
Expected<SchnorrSignature, InputError> parse_schnorr(ByteView item) {
    constexpr std::size_t kSignatureBytes = 64;
    if (item.size() == kSignatureBytes) return SchnorrSignature{item, 0};
    if (item.size() != kSignatureBytes + 1) return Unexpected(InputError::malformed_signature);
    if (item.back() == 0) return Unexpected(InputError::undefined_hash_type);
    return SchnorrSignature{item.first(kSignatureBytes), item.back()};
}

// The last of several items is an annex if it starts with the tag of BIP341.
std::optional<ByteView> find_annex(const Witness& witness) {
    constexpr std::uint8_t kAnnexTag = 0x50;
    if (witness.size() < 2) return std::nullopt;
    const ByteView last = witness[witness.size() - 1];
    if (last.empty() || last[0] != kAnnexTag) return std::nullopt;
    return last;
}

Result check_taproot_signature(const SighashCache& cache, std::size_t input_index,
                               const TxOutput& spent, std::optional<ByteView> annex) {
    const auto signature = parse_schnorr(cache.transaction().inputs[input_index].witness[0]);
    if (!signature) return Unexpected(signature.error());
    // BIP341 does not define this hash type, for any spent outputs.
    if (!cache.has_taproot_hash(input_index, signature->hash_type)) {
        return Unexpected(InputError::undefined_hash_type);
    }
    secp256k1_xonly_pubkey key;
    const auto* const context = verification_context();
    const ByteView program = watch_element(spent.script_pubkey);
    if (secp256k1_xonly_pubkey_parse(context, &key, program.data()) != 1) {
        return Unexpected(InputError::invalid_key);
    }
    if (covers_other_inputs(signature->hash_type) && !cache.knows_spent_outputs()) {
        return Unexpected(InputError::unknown_outputs);
    }
    return SignatureCheck([&cache, &spent, input_index, signature = *signature, key,
                           annex]() -> Expected<void, InputError> {
        TaprootSpend spend;
        if (annex) spend.annex_hash = hash_annex(*annex);
        const auto hash = cache.taproot_hash(input_index, spent, signature.hash_type, spend);
        if (secp256k1_schnorrsig_verify(verification_context(), signature.signature.data(),
                                        hash->data(), hash->size(), &key) != 1) {
            return Unexpected(InputError::wrong_signature);
        }
        return {};
    });
}

Result check_p2tr(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                  ScriptRules rules) {
    const TxInput& input = cache.transaction().inputs[input_index];
    if (const auto shown = check_has_witness_alone(cache, input); !shown) {
        return Unexpected(shown.error());
    }
    const auto annex = find_annex(input.witness);
    if (annex && rules == ScriptRules::standard) return Unexpected(InputError::annex);
    const std::size_t items = input.witness.size() - (annex ? 1 : 0);
    if (items > 1) return Unexpected(InputError::unsupported);  // a script path
    return check_taproot_signature(cache, input_index, spent, annex);
}

// BIP433: no signature is required. A witness is not standard.
Result check_anchor(const SighashCache& cache, std::size_t input_index, ScriptRules rules) {
    const TxInput& input = cache.transaction().inputs[input_index];
    if (!input.script_sig.empty()) return Unexpected(InputError::unexpected_script_sig);
    const bool is_stuffed = rules == ScriptRules::standard && !input.witness.empty();
    if (is_stuffed) return Unexpected(InputError::unsupported);
    return SignatureCheck([]() -> Expected<void, InputError> { return {}; });
}

// For an unsupported template, checks only the limits of the scriptSig, which must be empty for a
// witness program.
Result check_other(const SighashCache& cache, std::size_t input_index, ScriptType spent,
                   ScriptRules rules) {
    const ByteView script_sig = cache.transaction().inputs[input_index].script_sig;
    if (spent == ScriptType::witness_unknown && !script_sig.empty()) {
        return Unexpected(InputError::unexpected_script_sig);
    }
    const auto items = pushed_items(script_sig, rules, 0);
    const bool is_wrong = !items && items.error() != InputError::not_push_only;
    return Unexpected(is_wrong ? items.error() : InputError::unsupported);
}

// Checks everything except the signatures.
Result check_form(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                  ScriptRules rules) {
    const ScriptType type = classify(spent.script_pubkey);
    switch (type) {
        case ScriptType::p2wpkh:
            return check_p2wpkh(cache, input_index, spent, rules);
        case ScriptType::p2sh:
            return check_p2sh(cache, input_index, spent, rules);
        case ScriptType::p2tr:
            return check_p2tr(cache, input_index, spent, rules);
        case ScriptType::p2wsh:
            return check_p2wsh(cache, input_index, spent, rules);
        case ScriptType::p2pk:
        case ScriptType::p2pkh:
        case ScriptType::bare_multisig:
            return check_bare_script(cache, input_index, spent, rules);
        case ScriptType::anchor:
            return check_anchor(cache, input_index, rules);
        default:
            return check_other(cache, input_index, type, rules);
    }
}

}  // namespace

bool is_inconclusive(InputError error) {
    return error <= InputError::annex;
}

std::string_view describe(InputError error) {
    using enum InputError;
    static constexpr auto kTexts = enum_table<InputError, std::string_view>({
        {unsupported, "it spends an output of a type that is not verified"},
        {missing_witness, "its witness is missing"},
        {unknown_outputs, "its signature covers what other inputs spend, which is not known"},
        {not_push_only, "its scriptSig has operations other than pushes"},
        {annex, "its witness has an annex"},
        {malformed_script_sig, "its scriptSig is malformed"},
        {forbidden_operation, "its scriptSig has operations where a P2SH output takes none"},
        {script_too_large, "it has a script of more than 10,000 bytes"},
        {push_too_large, "it has an item of more than 520 bytes"},
        {stack_too_large, "its stack has more than 1,000 items"},
        {unexpected_script_sig, "its scriptSig is not the one that the output needs"},
        {longer_push, "its scriptSig has a push that is longer than it needs to be"},
        {unexpected_witness, "it has a witness although the output needs none"},
        {wrong_witness_items, "its witness is not the one that the output needs"},
        {wrong_redeem_script, "its redeem script has another hash than the output names"},
        {wrong_witness_script, "its witness script has another hash than the output names"},
        {wrong_key, "its key has another hash than the output names"},
        {uncompressed_key, "its key is not compressed"},
        {malformed_key, "its key is malformed"},
        {invalid_key, "its key is no point of the curve"},
        {empty_signature, "its signature is empty"},
        {malformed_signature, "its signature is malformed"},
        {high_s, "its signature has a high S"},
        {undefined_hash_type, "its signature has an undefined hash type"},
        {wrong_signature, "its signature is wrong"},
        {too_few_items, "it has too few signatures"},
        {too_many_items, "it has more than the signatures that the script takes"},
        {nonzero_dummy, "the item before its signatures is not empty"},
    });
    return kTexts[error];
}

bool can_be_verified(ScriptType type) {
    using enum ScriptType;
    switch (type) {
        case p2pk:
        case p2pkh:
        case p2sh:
        case p2wpkh:
        case p2wsh:
        case p2tr:
        case bare_multisig:
            return true;
        case witness_unknown:
        case anchor:
        case null_data:
        case other:
            return false;
    }
    return false;
}

Expected<void, InputError> verify_input(const SighashCache& cache, std::size_t input_index,
                                        const TxOutput& spent, ScriptRules rules) {
    assert(input_index < cache.transaction().inputs.size());
    const Result signatures = check_form(cache, input_index, spent, rules);
    if (!signatures) return Unexpected(signatures.error());
    return (*signatures)();
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
    std::vector<std::pair<std::size_t, SignatureCheck>> signatures;
    for (std::size_t i = 0; i < spent_outputs.size(); ++i) {
        if (!spent_outputs[i]) continue;
        Result form = check_form(cache, i, *spent_outputs[i], ScriptRules::standard);
        if (form) {
            signatures.emplace_back(i, *std::move(form));
        } else if (!is_inconclusive(form.error())) {
            return InvalidInput{i, form.error()};
        } else if (!doubtful || (form.error() == InputError::missing_witness &&
                                 doubtful->error != InputError::missing_witness)) {
            doubtful = {i, form.error()};
        }
    }
    if (doubtful && if_inconclusive == IfInconclusive::return_at_once) return doubtful;
    for (const auto& [index, check] : signatures) {
        if (const auto verdict = check(); !verdict) return InvalidInput{index, verdict.error()};
    }
    return doubtful;
}

}  // namespace petal::chain
