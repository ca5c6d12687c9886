/// The signatures of a multisig script.
#pragma once

#include <span>

#include "chain/script/ecdsa_check.h"
#include "chain/script/script.h"

namespace petal::chain {

/// Whether `items`, pushed by the scriptSig or held by the witness before its script, satisfy a
/// multisig script (Bitcoin Core: OP_CHECKMULTISIG with STANDARD_SCRIPT_VERIFY_FLAGS or those of a
/// block): an empty item (BIP147), then the required number of signatures, in the order of their
/// keys. Makes at most one signature check for each key.
/// is_segwit   in P2WSH: keys are compressed (standard rules) and, under consensus rules too, the
///             stack holds no further items
Expected<void, InputError> check_multisig(const MultisigTemplate& script,
                                          std::span<const ByteView> items, bool is_segwit,
                                          ScriptRules rules, const HashOf& hash_of);

}  // namespace petal::chain
