/// The signatures of a multisig script.
#pragma once

#include <span>

#include "chain/script/ecdsa_check.h"
#include "chain/script/script.h"

namespace petal::chain {

/// Whether `items`, what the scriptSig pushes or the witness holds before its script, satisfy a
/// multisig script (Bitcoin Core: OP_CHECKMULTISIG with STANDARD_SCRIPT_VERIFY_FLAGS or those of a
/// block): an empty item (BIP147), then as many signatures as are required, in the order of their
/// keys. Checks as many signatures as there are keys at most. is_segwit   in P2WSH, whose keys are
/// compressed by the standard rules, and below whose items
///             there are no others by all rules
Expected<void, InputError> check_multisig(const MultisigTemplate& script,
                                          std::span<const ByteView> items, bool is_segwit,
                                          ScriptRules rules, const HashOf& hash_of);

}  // namespace petal::chain
