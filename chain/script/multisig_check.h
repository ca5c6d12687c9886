/// The check of a multisig script's signatures.
#pragma once

#include <span>

#include "chain/script/ecdsa_check.h"
#include "chain/script/script.h"

namespace petal::chain {

/// Checks that `items` satisfy a multisig script (Bitcoin Core: OP_CHECKMULTISIG with
/// STANDARD_SCRIPT_VERIFY_FLAGS or the flags for blocks). The items are pushed by the scriptSig, or
/// precede the script in the witness: an empty item (BIP147), then the required number of
/// signatures, in the order of the keys. Makes at most one signature check for each key.
///
/// is_segwit   within P2WSH. Keys must be compressed (standard rules), and unused items are an
///             error (also under consensus rules)
Expected<void, InputError> check_multisig(const MultisigTemplate& script,
                                          std::span<const ByteView> items, bool is_segwit,
                                          ScriptRules rules, const HashOf& hash_of);

}  // namespace petal::chain
