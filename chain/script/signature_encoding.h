/// The encodings of ECDSA signatures and public keys.
#pragma once

#include <secp256k1.h>

#include <cstdint>
#include <functional>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/script/script_error.h"
#include "chain/script/script_flags.h"

namespace petal::chain {

/// The version of a script (Bitcoin Core: SigVersion).
enum class ScriptVersion : std::uint8_t { legacy, witness_v0, tapscript };

/// libsecp256k1's static context, for verification. The first call runs the library's self-test.
const secp256k1_context* verification_context();

/// Checks a signature and its hash type, which may be empty, as far as the flags demand (Bitcoin
/// Core: CheckSignatureEncoding).
ScriptResult check_signature_encoding(ByteView signature, ScriptFlags flags);

/// Checks the form of a key as far as the flags demand (Bitcoin Core: CheckPubKeyEncoding).
ScriptResult check_key_encoding(ByteView key, ScriptFlags flags, ScriptVersion version);

/// Whether a signature without its hash type is valid. Accepts the encodings from before BIP66, and
/// both values of S (Bitcoin Core: CPubKey::Verify).
bool verify_ecdsa_signature(ByteView der, ByteView key, const Hash256& hash);

/// Returns the signature hash of a hash type.
using HashOf = std::function<Hash256(std::uint32_t)>;

/// Whether a signature, which ends with its hash type, is valid by the standard flags.
bool is_standard_signature(ByteView signature, ByteView key, ScriptVersion version,
                           const HashOf& hash_of);

}  // namespace petal::chain
