/// The check of one ECDSA signature of an input.
#pragma once

#include <secp256k1.h>

#include <cstdint>
#include <functional>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"
#include "chain/script/input_verification.h"
#include "chain/script/signature_encoding.h"

namespace petal::chain {

/// A signature and the key that must have made the signature.
struct EcdsaSpend {
    ByteView signature;  ///< DER, followed by the hash type
    ByteView public_key;
    bool needs_compressed_key = false;  ///< in segwit
    ScriptRules rules = ScriptRules::standard;
};

/// Returns the signature hash of a hash type.
using HashOf = std::function<Hash256(std::uint32_t)>;

/// A signature and a key with valid encodings.
struct ParsedEcdsa {
    secp256k1_ecdsa_signature signature;
    secp256k1_pubkey key;
    std::uint32_t hash_type = 0;
};

/// Checks the encodings of signature and key. Errors, the first that applies:
/// - consensus rules: malformed_signature. A high S is then normalised.
/// - standard rules: malformed_signature, high_s, undefined_hash_type, malformed_key,
///   uncompressed_key, with which Bitcoin Core fails the script at once (CheckSignatureEncoding,
///   CheckPubKeyEncoding)
/// - then, under both rules: empty_signature, invalid_key, with which OP_CHECKSIG pushes false
Expected<ParsedEcdsa, InputError> parse_ecdsa(const EcdsaSpend& spend);

/// Fails with wrong_signature, with which OP_CHECKSIG pushes false.
Expected<void, InputError> verify_ecdsa(const ParsedEcdsa& parsed, const HashOf& hash_of);

/// parse_ecdsa(), then the signature check.
Expected<void, InputError> check_ecdsa(const EcdsaSpend& spend, const HashOf& hash_of);

}  // namespace petal::chain
