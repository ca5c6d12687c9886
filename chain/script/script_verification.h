/// The validity of a spend by its scripts.
#pragma once

#include "chain/script/script_error.h"
#include "chain/script/script_flags.h"
#include "chain/script/signature_checker.h"

namespace petal::chain {

/// Runs the scriptSig, the scriptPubKey and, depending on the flags, the redeem script, the witness
/// program and the tapscript of the checker's input (Bitcoin Core: VerifyScript). The flags must
/// contain those that a flag needs.
///
/// Does not check the transaction's own lock times, amounts, and whether the output is unspent.
ScriptResult verify_script(const SignatureChecker& checker, ScriptFlags flags);

}  // namespace petal::chain
