/// The last roles: from signatures to the signed transaction.
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

/// The items that satisfy the innermost script of an input, from its valid signatures. Wrong ones
/// are left out. Fails with `unsupported`, `unknown_outputs` or `incomplete`; with
/// `wrong_signature`, if signatures are wrong and the valid ones do not suffice; with
/// `wrong_hash_type`, if any signature has another type than the input demands (BIP174); with
/// `wrong_final_scripts`, if the script refuses valid signatures, e.g. for another key's form.
/// checked   the result of PsbtVerifier::check_signatures()
chain::Expected<std::vector<chain::Bytes>, PsbtInputError> find_solution(
    const Psbt& psbt, std::size_t input, const SpentScript& spent, const CheckedSignatures& checked,
    PsbtVerifier& verifier);

/// Builds the final scriptSig and witness of each input that has all of its signatures: P2PK,
/// P2PKH, P2WPKH and multisig, also within P2SH and P2WSH, and the key path of P2TR. Removes the
/// input's other records, except UTXOs, unknown records and those that version 2 requires. Returns
/// the reason for each input that is not final then. Each signature is verified first: a wrong one
/// is left out if the script does not need it. Inputs after one that is_wrong() are skipped.
std::vector<PsbtInputError> finalize(Psbt& psbt);

/// Whether an input has a signature that can't be valid.
bool is_wrong(PsbtInputFault fault);

/// Whether each input has the signatures that it needs, and none of them is known to be wrong.
bool is_complete(Psbt psbt);

/// Removes the records that a final input does not need any more.
void keep_final_records(PsbtMap& input);

/// The signed transaction, once each input is final (`incomplete`). Fails with `wrong_signature` if
/// an input is known to be invalid, and with a TransactionFlaw like chain::check_transaction().
chain::Expected<chain::Transaction, PsbtFlaw> extract(const Psbt& psbt);

}  // namespace petal::wallet
