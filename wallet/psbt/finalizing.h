/// The last roles: from signatures to the signed transaction.
#pragma once

#include <cstddef>
#include <vector>

#include "chain/expected.h"
#include "chain/transaction.h"
#include "wallet/psbt/input_fault.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/spent_script.h"

namespace petal::wallet {

/// The items that satisfy the innermost script of an input, from its signatures, which are not
/// verified. Fails with `unsupported` or `incomplete`.
chain::Expected<std::vector<chain::Bytes>, PsbtInputFault> find_solution(const Psbt& psbt,
                                                                         std::size_t input,
                                                                         const SpentScript& spent);

/// Builds the final scriptSig and witness of each input that has all of its signatures: P2PK,
/// P2PKH, P2WPKH and multisig, also within P2SH and P2WSH, and the key path of P2TR. Removes the
/// input's other records, except UTXOs, unknown records and those that version 2 requires. Returns
/// the reason for each input that is not final then. Each signature is verified first; inputs after
/// one that is_wrong() are skipped.
std::vector<PsbtInputError> finalize(Psbt& psbt);

/// Whether an input has a signature that can't be valid.
bool is_wrong(PsbtInputFault fault);

/// Whether all signatures are present, and none is known to be wrong.
bool is_complete(Psbt psbt);

/// Removes the records that a final input does not need any more.
void keep_final_records(PsbtMap& input);

/// The signed transaction, once each input is final (`incomplete`). Fails with `wrong_signature` if
/// an input is known to be invalid, and with a TransactionFlaw like chain::check_transaction().
chain::Expected<chain::Transaction, PsbtFlaw> extract(const Psbt& psbt);

}  // namespace petal::wallet
