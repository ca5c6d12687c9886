/// One ECDSA signature of an input.
#pragma once

#include <secp256k1.h>

#include <cstdint>
#include <functional>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"
#include "chain/script/input_verification.h"

namespace petal::chain {

/// The context for verifying. libsecp256k1's static one needs no setup but a self-test, which runs
/// at the first call.
const secp256k1_context* verification_context();

/// A signature and the key that it should be of.
struct EcdsaSpend {
    ByteView signature;  ///< DER, followed by the hash type
    ByteView public_key;
    bool needs_compressed_key = false;  ///< in segwit
    ScriptRules rules = ScriptRules::standard;
};

/// The signature hash of a hash type.
using HashOf = std::function<Hash256(std::uint32_t)>;

/// A signature and a key of the right form.
struct ParsedEcdsa {
    secp256k1_ecdsa_signature signature;
    secp256k1_pubkey key;
    std::uint32_t hash_type = 0;
};

/// Checks the encoding of signature and key. By the consensus rules, of the following only
/// malformed_signature is an error; S is then normalised to its lower form. By the standard rules,
/// fails with malformed_signature, high_s, undefined_hash_type, malformed_key or uncompressed_key,
/// in this order, where Bitcoin Core fails a script at once (CheckSignatureEncoding,
/// CheckPubKeyEncoding); then with empty_signature or invalid_key, where OP_CHECKSIG pushes false.
Expected<ParsedEcdsa, InputError> parse_ecdsa(const EcdsaSpend& spend);

/// Fails with wrong_signature; OP_CHECKSIG then pushes false, too.
Expected<void, InputError> verify_ecdsa(const ParsedEcdsa& parsed, const HashOf& hash_of);

/// parse_ecdsa(), then the signature check.
Expected<void, InputError> check_ecdsa(const EcdsaSpend& spend, const HashOf& hash_of);

}  // namespace petal::chain
