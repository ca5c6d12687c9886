// Signatures of scripts from before taproot (Bitcoin Core: script/interpreter.cpp,
// EvalChecksigPreTapscript).
#include "chain/script/ecdsa_check.h"

#include <secp256k1.h>

#include "chain/script/signature_encoding.h"

namespace petal::chain {

namespace {

// Parses a DER signature without the hash type.
Expected<secp256k1_ecdsa_signature, InputError> parse_signature(ByteView der, ScriptRules rules) {
    secp256k1_ecdsa_signature signature;
    if (!is_strict_der(der) ||
        secp256k1_ecdsa_signature_parse_der(verification_context(), &signature, der.data(),
                                            der.size()) != 1) {
        return Unexpected(InputError::malformed_signature);
    }
    // libsecp256k1 verifies only signatures with the lower S.
    const bool is_high =
        secp256k1_ecdsa_signature_normalize(verification_context(), &signature, &signature) == 1;
    if (is_high && rules == ScriptRules::standard) {
        return Unexpected(InputError::high_s);
    }
    return signature;
}

// Bitcoin Core: IsCompressedOrUncompressedPubKey, IsCompressedPubKey.
Expected<void, InputError> check_key_form(ByteView bytes, bool needs_compressed_key) {
    const bool is_compressed = bytes.size() == 33 && (bytes[0] == 2 || bytes[0] == 3);
    const bool is_uncompressed = bytes.size() == 65 && bytes[0] == 4;
    if (!is_compressed && !is_uncompressed) return Unexpected(InputError::malformed_key);
    if (!is_compressed && needs_compressed_key) return Unexpected(InputError::uncompressed_key);
    return {};
}

// Parses a key, and checks the form if the rules restrict the form.
Expected<secp256k1_pubkey, InputError> parse_key(const EcdsaSpend& spend) {
    const ByteView bytes = spend.public_key;
    if (spend.rules == ScriptRules::standard) {
        const auto form = check_key_form(bytes, spend.needs_compressed_key);
        if (!form) return Unexpected(form.error());
    }
    secp256k1_pubkey key;
    const auto* const context = verification_context();
    if (secp256k1_ec_pubkey_parse(context, &key, bytes.data(), bytes.size()) != 1) {
        return Unexpected(InputError::invalid_key);
    }
    return key;
}

}  // namespace

Expected<ParsedEcdsa, InputError> parse_ecdsa(const EcdsaSpend& spend) {
    // The key's form is checked even if the signature is empty.
    const bool is_signed = !spend.signature.empty();
    Expected<secp256k1_ecdsa_signature, InputError> signature =
        Unexpected(InputError::empty_signature);
    if (is_signed) {
        signature = parse_signature(spend.signature.first(spend.signature.size() - 1), spend.rules);
        if (!signature) return Unexpected(signature.error());
        const bool any_type = spend.rules == ScriptRules::consensus;
        if (!any_type && !is_defined_hash_type(spend.signature.back())) {
            return Unexpected(InputError::undefined_hash_type);
        }
    }
    const auto key = parse_key(spend);
    if (!key) return Unexpected(key.error());
    if (!signature) return Unexpected(signature.error());
    return ParsedEcdsa{*signature, *key, spend.signature.back()};
}

Expected<void, InputError> verify_ecdsa(const ParsedEcdsa& parsed, const HashOf& hash_of) {
    const Hash256 hash = hash_of(parsed.hash_type);
    if (secp256k1_ecdsa_verify(verification_context(), &parsed.signature, hash.bytes.data(),
                               &parsed.key) != 1) {
        return Unexpected(InputError::wrong_signature);
    }
    return {};
}

Expected<void, InputError> check_ecdsa(const EcdsaSpend& spend, const HashOf& hash_of) {
    const auto parsed = parse_ecdsa(spend);
    if (!parsed) return Unexpected(parsed.error());
    return verify_ecdsa(*parsed, hash_of);
}

}  // namespace petal::chain
