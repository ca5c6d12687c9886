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

// Hashes what the signatures of an input cover, and checks them. Needs the cache and the spent
// output that it was made of.
using SignatureCheck = std::function<Expected<void, InputError>()>;

// What remains to be checked of an input whose form is right.
using Result = Expected<SignatureCheck, InputError>;

// The hash that the key must have comes first, as a script compares it before it checks the
// signature.
Result check_key_spend(const EcdsaSpend& spend, ByteView key_hash, const HashOf& hash_of) {
    if (!std::ranges::equal(hash160(spend.public_key), key_hash)) {
        return Unexpected(InputError::wrong_key);
    }
    const auto parsed = parse_ecdsa(spend);
    if (!parsed) return Unexpected(parsed.error());
    return SignatureCheck([=, parsed = *parsed] { return verify_ecdsa(parsed, hash_of); });
}

// The witness of a version 0 program that is the hash of a key.
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

Result check_p2sh(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                  ScriptRules rules) {
    constexpr std::size_t kPushedLater = 1;  // the hash
    const ByteView script_sig = cache.transaction().inputs[input_index].script_sig;
    const auto items = pushed_items(script_sig, rules, kPushedLater);
    if (!items) {
        const bool has_operation = items.error() == InputError::not_push_only;
        return Unexpected(has_operation ? InputError::forbidden_operation : items.error());
    }
    if (items->empty()) return Unexpected(InputError::too_few_items);
    const ByteView redeem_script = items->back();
    if (!std::ranges::equal(hash160(redeem_script), watch_element(spent.script_pubkey))) {
        return Unexpected(InputError::wrong_redeem_script);
    }
    if (classify(redeem_script) != ScriptType::p2wpkh) return Unexpected(InputError::unsupported);
    if (!std::ranges::equal(script_sig, push_data(redeem_script))) {
        return Unexpected(InputError::unexpected_script_sig);
    }
    return check_witness(cache, input_index, watch_element(redeem_script), spent.value, rules);
}

Result check_p2pkh(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                   ScriptRules rules) {
    const TxInput& input = cache.transaction().inputs[input_index];
    if (!input.witness.empty()) return Unexpected(InputError::unexpected_witness);
    constexpr std::size_t kPushedLater = 2;  // the key once more, and the hash
    const auto items = pushed_items(input.script_sig, rules, kPushedLater);
    if (!items) return Unexpected(items.error());
    // The script works on the top of the stack; what lies below is noticed in the end.
    if (items->empty()) return Unexpected(InputError::too_few_items);
    const ByteView key = items->back();
    if (!std::ranges::equal(hash160(key), watch_element(spent.script_pubkey))) {
        return Unexpected(InputError::wrong_key);
    }
    if (items->size() < 2) return Unexpected(InputError::too_few_items);
    const bool has_more = rules == ScriptRules::standard && items->size() > 2;
    const EcdsaSpend spend{(*items)[items->size() - 2], key, /*needs_compressed_key=*/false, rules};
    const auto parsed = parse_ecdsa(spend);
    if (!parsed) return Unexpected(parsed.error());
    return SignatureCheck([=, &cache, &spent, parsed = *parsed]() -> Expected<void, InputError> {
        const auto verdict = verify_ecdsa(parsed, [&](std::uint32_t hash_type) {
            return cache.legacy_hash(input_index, spent.script_pubkey, hash_type);
        });
        if (verdict && has_more) return Unexpected(InputError::too_many_items);
        return verdict;
    });
}

// How many items a multisig script pushes: its keys and two numbers.
std::size_t pushed_by(const MultisigTemplate& multisig) {
    return multisig.keys.size() + 2;
}

// An input of a witness program that is not in P2SH has a witness, and no scriptSig.
Expected<void, InputError> check_has_witness_alone(const SighashCache& cache,
                                                   const TxInput& input) {
    if (!input.script_sig.empty()) return Unexpected(InputError::unexpected_script_sig);
    if (!input.witness.empty()) return {};
    return Unexpected(cache.transaction().has_witness() ? InputError::wrong_witness_items
                                                        : InputError::missing_witness);
}

// The scripts in P2WSH that are verified are multisig.
Result check_p2wsh(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                   ScriptRules rules) {
    const TxInput& input = cache.transaction().inputs[input_index];
    if (const auto shown = check_has_witness_alone(cache, input); !shown) {
        return Unexpected(shown.error());
    }
    std::vector<ByteView> items = input.witness.items();
    const ByteView witness_script = items.back();
    items.pop_back();
    if (!std::ranges::equal(sha256(witness_script), watch_element(spent.script_pubkey))) {
        return Unexpected(InputError::wrong_witness_script);
    }
    if (has_large_item(items)) return Unexpected(InputError::push_too_large);
    if (witness_script.size() > kMaxScriptBytes) return Unexpected(InputError::script_too_large);
    const auto multisig = parse_multisig(witness_script);
    if (!multisig) return Unexpected(InputError::unsupported);
    if (items.size() + pushed_by(*multisig) > kMaxStackItems) {
        return Unexpected(InputError::stack_too_large);
    }
    return SignatureCheck([=, &cache, &spent] {
        return check_multisig(*multisig, items, /*is_segwit=*/true, rules, [&](std::uint32_t type) {
            return cache.segwit_hash(input_index, witness_script, spent.value, type);
        });
    });
}

Result check_bare_multisig(const SighashCache& cache, std::size_t input_index,
                           const TxOutput& spent, ScriptRules rules) {
    const TxInput& input = cache.transaction().inputs[input_index];
    if (!input.witness.empty()) return Unexpected(InputError::unexpected_witness);
    const auto multisig = parse_multisig(spent.script_pubkey).value();
    const auto items = pushed_items(input.script_sig, rules, pushed_by(multisig));
    if (!items) return Unexpected(items.error());
    return SignatureCheck([=, &cache, &spent] {
        return check_multisig(multisig, *items, /*is_segwit=*/false, rules,
                              [&](std::uint32_t type) {
                                  return cache.legacy_hash(input_index, spent.script_pubkey, type);
                              });
    });
}

// A signature of BIP340 with the hash type that it goes with.
struct SchnorrSignature {
    ByteView signature;
    std::uint32_t hash_type = 0;
};

// BIP341: 64 bytes for the default type, else one byte more, which is never that of the default.
Expected<SchnorrSignature, InputError> parse_schnorr(ByteView item) {
    constexpr std::size_t kSignatureBytes = 64;
    if (item.size() == kSignatureBytes) return SchnorrSignature{item, 0};
    if (item.size() != kSignatureBytes + 1) return Unexpected(InputError::malformed_signature);
    if (item.back() == 0) return Unexpected(InputError::undefined_hash_type);
    return SchnorrSignature{item.first(kSignatureBytes), item.back()};
}

// The last of several items, if it is marked as BIP341 says.
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
    secp256k1_xonly_pubkey key;
    const auto* const context = verification_context();
    const ByteView program = watch_element(spent.script_pubkey);
    if (secp256k1_xonly_pubkey_parse(context, &key, program.data()) != 1) {
        return Unexpected(InputError::invalid_key);
    }
    // No other input's output makes a hash type valid that BIP341 does not define.
    if (!cache.has_taproot_hash(input_index, signature->hash_type)) {
        return Unexpected(InputError::undefined_hash_type);
    }
    if (covers_other_inputs(signature->hash_type) && !cache.knows_spent_outputs()) {
        return Unexpected(InputError::unknown_outputs);
    }
    return SignatureCheck([&cache, &spent, input_index, signature = *signature, key,
                           annex]() -> Expected<void, InputError> {
        const auto hash = cache.taproot_hash(input_index, spent, signature.hash_type, annex);
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

// Of other outputs, the limits of the scriptSig, which is run whatever they are; that of a witness
// program has to be empty.
Result check_other(const SighashCache& cache, std::size_t input_index, ScriptType spent,
                   ScriptRules rules) {
    const ByteView script_sig = cache.transaction().inputs[input_index].script_sig;
    const bool is_program = spent == ScriptType::witness_unknown || spent == ScriptType::anchor;
    if (is_program && !script_sig.empty()) return Unexpected(InputError::unexpected_script_sig);
    const auto items = pushed_items(script_sig, rules, 0);
    const bool is_wrong = !items && items.error() != InputError::not_push_only;
    return Unexpected(is_wrong ? items.error() : InputError::unsupported);
}

// All but the signatures.
Result check_form(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                  ScriptRules rules) {
    const ScriptType type = classify(spent.script_pubkey);
    switch (type) {
        case ScriptType::p2wpkh:
            return check_p2wpkh(cache, input_index, spent, rules);
        case ScriptType::p2sh:
            return check_p2sh(cache, input_index, spent, rules);
        case ScriptType::p2pkh:
            return check_p2pkh(cache, input_index, spent, rules);
        case ScriptType::p2tr:
            return check_p2tr(cache, input_index, spent, rules);
        case ScriptType::p2wsh:
            return check_p2wsh(cache, input_index, spent, rules);
        case ScriptType::bare_multisig:
            return check_bare_multisig(cache, input_index, spent, rules);
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
    return type == p2wpkh || type == p2sh || type == p2pkh || type == p2tr || type == p2wsh ||
           type == bare_multisig;
}

Expected<void, InputError> verify_input(const SighashCache& cache, std::size_t input_index,
                                        const TxOutput& spent, ScriptRules rules) {
    assert(input_index < cache.transaction().inputs.size());
    const Result signatures = check_form(cache, input_index, spent, rules);
    if (!signatures) return Unexpected(signatures.error());
    return (*signatures)();
}

std::optional<InvalidInput> find_invalid_input(
    const Transaction& transaction, std::span<const std::optional<TxOutput>> spent_outputs) {
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
    for (const auto& [index, check] : signatures) {
        if (const auto verdict = check(); !verdict) return InvalidInput{index, verdict.error()};
    }
    return doubtful;
}

}  // namespace petal::chain
