// Verification of inputs with one key (Bitcoin Core: script/interpreter.cpp).
#include "chain/script/input_verification.h"

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/enum_table.h"
#include "chain/hash.h"
#include "chain/script/script.h"

namespace petal::chain {

namespace {

using Result = Expected<void, InputError>;

// What an input shows, and what the output demands of it.
struct KeySpend {
    ByteView signature;  // its hash type behind it
    ByteView public_key;
    ByteView key_hash;
    bool needs_compressed_key;
};

// Verifying needs no context of its own, but the static one wants a self-test first.
const secp256k1_context* verification_context() {
    static const bool tested = (secp256k1_selftest(), true);
    (void)tested;
    return secp256k1_context_static;
}

// A positive number in as few bytes as it needs.
void read_der_integer(ByteReader& reader) {
    constexpr std::uint8_t kInteger = 0x02;
    if (reader.read_u8() != kInteger) reader.fail(DecodeError::invalid_value);
    const ByteView number = reader.read_view(reader.read_u8());
    const bool is_negative = number.empty() || (number[0] & 0x80U) != 0;
    const bool is_padded = number.size() > 1 && number[0] == 0 && (number[1] & 0x80U) == 0;
    if (is_negative || is_padded) reader.fail(DecodeError::invalid_value);
}

// BIP66: a sequence of two numbers and no more (Bitcoin Core: IsValidSignatureEncoding).
bool is_strict_der(ByteView signature) {
    constexpr std::uint8_t kSequence = 0x30;
    constexpr std::size_t kMinBytes = 8;
    constexpr std::size_t kMaxBytes = 72;
    if (signature.size() < kMinBytes || signature.size() > kMaxBytes) return false;
    ByteReader reader{signature};
    if (reader.read_u8() != kSequence) return false;
    const std::size_t length = reader.read_u8();
    if (length != reader.remaining()) return false;
    read_der_integer(reader);
    read_der_integer(reader);
    reader.expect_end();
    return reader.ok();
}

// Checks the form of a signature without its hash type, and takes it apart.
Expected<secp256k1_ecdsa_signature, InputError> parse_signature(ByteView der) {
    secp256k1_ecdsa_signature signature;
    if (!is_strict_der(der) ||
        secp256k1_ecdsa_signature_parse_der(verification_context(), &signature, der.data(),
                                            der.size()) != 1) {
        return Unexpected(InputError::malformed_signature);
    }
    if (secp256k1_ecdsa_signature_normalize(verification_context(), nullptr, &signature) == 1) {
        return Unexpected(InputError::high_s);
    }
    return signature;
}

// Checks the form of a key (Bitcoin Core: IsCompressedOrUncompressedPubKey, IsCompressedPubKey) and
// takes it apart.
Expected<secp256k1_pubkey, InputError> parse_key(ByteView bytes, bool needs_compressed_key) {
    const bool is_compressed = bytes.size() == 33;
    const bool is_uncompressed = bytes.size() == 65 && bytes[0] == 4;
    if (!is_compressed && !is_uncompressed) return Unexpected(InputError::malformed_key);
    if (!is_compressed && needs_compressed_key) return Unexpected(InputError::uncompressed_key);
    secp256k1_pubkey key;
    const auto* const context = verification_context();
    if (secp256k1_ec_pubkey_parse(context, &key, bytes.data(), bytes.size()) != 1) {
        return Unexpected(InputError::malformed_key);
    }
    return key;
}

// `hash_of` gives the signature hash for a hash type.
template <typename HashOf>
Result check_key_spend(const KeySpend& spend, HashOf hash_of) {
    if (!std::ranges::equal(hash160(spend.public_key), spend.key_hash)) {
        return Unexpected(InputError::wrong_key);
    }
    if (spend.signature.empty()) return Unexpected(InputError::malformed_signature);
    const auto signature = parse_signature(spend.signature.first(spend.signature.size() - 1));
    if (!signature) return Unexpected(signature.error());
    const std::uint32_t hash_type = spend.signature.back();
    if (!is_defined_hash_type(hash_type)) return Unexpected(InputError::undefined_hash_type);
    const auto key = parse_key(spend.public_key, spend.needs_compressed_key);
    if (!key) return Unexpected(key.error());

    const Hash256 hash = hash_of(hash_type);
    const auto* const context = verification_context();
    if (secp256k1_ecdsa_verify(context, &*signature, hash.bytes.data(), &*key) != 1) {
        return Unexpected(InputError::wrong_signature);
    }
    return {};
}

// The witness of a version 0 program that is the hash of a key.
Result check_witness(const SighashCache& cache, std::size_t input_index, ByteView key_hash,
                     Satoshis amount) {
    const Transaction& transaction = cache.transaction();
    const auto& witness = transaction.inputs[input_index].witness;
    if (witness.empty() && !transaction.has_witness()) {
        return Unexpected(InputError::missing_witness);
    }
    if (witness.size() != 2) return Unexpected(InputError::wrong_witness_items);
    Hash160 hash;
    std::ranges::copy(key_hash, hash.begin());
    const Bytes script_code = p2pkh_script(hash);
    const KeySpend spend{witness[0], witness[1], key_hash, /*needs_compressed_key=*/true};
    return check_key_spend(spend, [&](std::uint32_t hash_type) {
        return cache.segwit_hash(input_index, script_code, amount, hash_type);
    });
}

Result check_p2wpkh(const SighashCache& cache, std::size_t input_index, const TxOutput& spent) {
    if (!cache.transaction().inputs[input_index].script_sig.empty()) {
        return Unexpected(InputError::unexpected_script_sig);
    }
    return check_witness(cache, input_index, watch_element(spent.script_pubkey), spent.value);
}

// What the last operation of a script pushes; nothing where it does not end in a push of bytes.
ByteView last_push(ByteView script) {
    ByteView pushed;
    ScriptWalker walker{script};
    while (const auto operation = walker.next()) pushed = operation->data;
    return walker.malformed() ? ByteView{} : pushed;
}

Result check_p2sh(const SighashCache& cache, std::size_t input_index, const TxOutput& spent) {
    const ByteView script_sig = cache.transaction().inputs[input_index].script_sig;
    const ByteView redeem_script = last_push(script_sig);
    if (!std::ranges::equal(hash160(redeem_script), watch_element(spent.script_pubkey))) {
        return Unexpected(InputError::wrong_redeem_script);
    }
    if (classify(redeem_script) != ScriptType::p2wpkh) return Unexpected(InputError::unsupported);
    if (!std::ranges::equal(script_sig, push_data(redeem_script))) {
        return Unexpected(InputError::unexpected_script_sig);
    }
    return check_witness(cache, input_index, watch_element(redeem_script), spent.value);
}

// A push that no other is shorter than, of a signature or a key.
bool is_direct_push(const std::optional<ScriptWalker::Operation>& operation) {
    constexpr std::uint8_t kLongestDirectPush = 75;
    return operation && operation->opcode <= kLongestDirectPush;
}

Result check_p2pkh(const SighashCache& cache, std::size_t input_index, const TxOutput& spent) {
    const TxInput& input = cache.transaction().inputs[input_index];
    if (!input.witness.empty()) return Unexpected(InputError::unexpected_witness);
    ScriptWalker walker{input.script_sig};
    const auto signature = walker.next();
    const auto key = walker.next();
    if (!is_direct_push(signature) || !is_direct_push(key) || !walker.rest().empty()) {
        return Unexpected(InputError::unexpected_script_sig);
    }
    const KeySpend spend{signature->data, key->data, watch_element(spent.script_pubkey),
                         /*needs_compressed_key=*/false};
    return check_key_spend(spend, [&](std::uint32_t hash_type) {
        return cache.legacy_hash(input_index, spent.script_pubkey, hash_type);
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

bool has_annex(const Witness& witness) {
    constexpr std::uint8_t kAnnexTag = 0x50;
    if (witness.size() < 2) return false;
    const ByteView last = witness[witness.size() - 1];
    return !last.empty() && last[0] == kAnnexTag;
}

Result check_taproot_signature(const SighashCache& cache, std::size_t input_index,
                               const TxOutput& spent) {
    const auto signature = parse_schnorr(cache.transaction().inputs[input_index].witness[0]);
    if (!signature) return Unexpected(signature.error());
    secp256k1_xonly_pubkey key;
    const auto* const context = verification_context();
    const ByteView program = watch_element(spent.script_pubkey);
    if (secp256k1_xonly_pubkey_parse(context, &key, program.data()) != 1) {
        return Unexpected(InputError::malformed_key);
    }
    if (covers_other_inputs(signature->hash_type) && !cache.knows_spent_outputs()) {
        return Unexpected(InputError::unknown_outputs);
    }
    const auto hash = cache.taproot_hash(input_index, spent, signature->hash_type);
    if (!hash) return Unexpected(InputError::undefined_hash_type);
    if (secp256k1_schnorrsig_verify(context, signature->signature.data(), hash->data(),
                                    hash->size(), &key) != 1) {
        return Unexpected(InputError::wrong_signature);
    }
    return {};
}

Result check_p2tr(const SighashCache& cache, std::size_t input_index, const TxOutput& spent) {
    const TxInput& input = cache.transaction().inputs[input_index];
    if (!input.script_sig.empty()) return Unexpected(InputError::unexpected_script_sig);
    if (input.witness.empty()) {
        return Unexpected(cache.transaction().has_witness() ? InputError::wrong_witness_items
                                                            : InputError::missing_witness);
    }
    if (has_annex(input.witness)) return Unexpected(InputError::annex);
    if (input.witness.size() > 1) return Unexpected(InputError::unsupported);  // a script path
    return check_taproot_signature(cache, input_index, spent);
}

}  // namespace

bool is_inconclusive(InputError error) {
    return error == InputError::unsupported || error == InputError::missing_witness ||
           error == InputError::unknown_outputs;
}

std::string_view describe(InputError error) {
    using enum InputError;
    static constexpr auto kTexts = enum_table<InputError, std::string_view>({
        {unsupported, "it spends an output of a type that is not verified"},
        {missing_witness, "its witness is missing"},
        {unknown_outputs, "its signature covers what other inputs spend, which is not known"},
        {unexpected_script_sig, "its scriptSig is not the one that the output needs"},
        {unexpected_witness, "it has a witness although the output needs none"},
        {wrong_witness_items, "its witness is not the one that the output needs"},
        {annex, "its witness has an annex"},
        {wrong_redeem_script, "its redeem script has another hash than the output names"},
        {wrong_key, "its key has another hash than the output names"},
        {uncompressed_key, "its key is not compressed"},
        {malformed_key, "its key is no point of the curve"},
        {malformed_signature, "its signature is malformed"},
        {high_s, "its signature has a high S"},
        {undefined_hash_type, "its signature has an undefined hash type"},
        {wrong_signature, "its signature is wrong"},
    });
    return kTexts[error];
}

bool is_verifiable(ScriptType type) {
    return type == ScriptType::p2wpkh || type == ScriptType::p2sh || type == ScriptType::p2pkh ||
           type == ScriptType::p2tr;
}

Result verify_input(const SighashCache& cache, std::size_t input_index, const TxOutput& spent) {
    assert(input_index < cache.transaction().inputs.size());
    switch (classify(spent.script_pubkey)) {
        case ScriptType::p2wpkh:
            return check_p2wpkh(cache, input_index, spent);
        case ScriptType::p2sh:
            return check_p2sh(cache, input_index, spent);
        case ScriptType::p2pkh:
            return check_p2pkh(cache, input_index, spent);
        case ScriptType::p2tr:
            return check_p2tr(cache, input_index, spent);
        default:
            return Unexpected(InputError::unsupported);
    }
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
    for (std::size_t i = 0; i < spent_outputs.size(); ++i) {
        if (!spent_outputs[i]) continue;
        const auto verdict = verify_input(cache, i, *spent_outputs[i]);
        if (!verdict) return InvalidInput{i, verdict.error()};
    }
    return std::nullopt;
}

}  // namespace petal::chain
