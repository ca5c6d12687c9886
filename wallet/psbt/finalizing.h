/// The finalizer and the extractor: from signatures to the signed transaction.
#pragma once

#include <cstddef>
#include <vector>

#include "chain/expected.h"
#include "chain/transaction.h"
#include "wallet/psbt/input_fault.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/psbt_verifier.h"
#include "wallet/psbt/spent_script.h"

namespace petal::wallet {

/// The items that satisfy the innermost script of an input, from the valid signatures. Wrong
/// signatures are ignored. Errors:
/// - `unsupported`, `unknown_outputs`, `incomplete`
/// - `wrong_signature`: signatures are wrong, and the valid signatures do not suffice
/// - `wrong_hash_type`: a signature has another hash type than the input requires (BIP174)
/// - `wrong_final_scripts`: the script refuses valid signatures, e.g. for the form of another key
///
/// checked   the result of PsbtVerifier::check_signatures()
chain::Expected<std::vector<chain::Bytes>, PsbtInputError> find_solution(
    const Psbt& psbt, std::size_t input, const SpentScript& spent, const CheckedSignatures& checked,
    PsbtVerifier& verifier);

/// Builds the final scriptSig and witness of each input with all signatures: P2PK, P2PKH, P2WPKH
/// and multisig, also within P2SH and P2WSH, and the key path of P2TR. Verifies each signature, and
/// omits a wrong signature if enough valid signatures remain. Then calls keep_final_records().
/// Returns the reason for each input that is not final. Stops at the first input that is_wrong().
std::vector<PsbtInputError> finalize(Psbt& psbt);

/// Whether the fault is a signature that can't be valid.
bool is_wrong(PsbtInputFault fault);

/// Whether each input has all required signatures, and no signature is known to be wrong.
bool is_complete(Psbt psbt);

/// Removes the records of a final input, except the final scripts, UTXOs, unknown records and
/// records that version 2 requires (BIP174).
void keep_final_records(PsbtMap& input);

/// The signed transaction. Errors:
/// - `incomplete`: an input is not final
/// - `wrong_signature`: an input is known to be invalid
/// - a TransactionFlaw: see chain::check_transaction()
chain::Expected<chain::Transaction, PsbtFlaw> extract(const Psbt& psbt);

}  // namespace petal::wallet
