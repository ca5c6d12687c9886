/// Verifies that the inputs of a transaction may spend their prevouts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "chain/script/script_error.h"
#include "chain/script/script_flags.h"
#include "chain/script/signature_hash.h"
#include "chain/transaction.h"

namespace petal::chain {

/// Whether the input may still be valid in a block: data is missing, or the input uses what is
/// reserved for soft forks (discourage_…). The peer that sent the transaction must not be punished.
/// After any other error of the standard flags, no node relays the input, not even with Bitcoin
/// Core's -acceptnonstdtxn.
bool is_inconclusive(ScriptError error);

/// verify_script() of the input at `input_index` of the cache's transaction, which spends `spent`.
/// The error is missing_witness if the transaction has no witness at all, and the input needs one.
///
/// A spend of one key costs one signature check (about 50 microseconds), a multisig script at most
/// 20. For other limits see run_script(), for the cost of hashing SighashCache.
ScriptResult verify_input(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                          ScriptFlags flags = kStandardFlags);

/// What to do if an input is_inconclusive() before signatures are verified. With `return_at_once`,
/// a peer cannot cause signature checks by transactions that are discarded anyway.
enum class IfInconclusive : std::uint8_t { verify_signatures, return_at_once };

/// An input that is not known to be a valid spend.
struct InvalidInput {
    std::size_t index = 0;
    ScriptError error = ScriptError::missing_witness;
};

/// Finds an input with a known spent output that is invalid by the standard flags. Empty without
/// such an input. An invalid input is preferred to an inconclusive input, and among inconclusive
/// inputs one with a missing witness: an inconclusive input must not hide an invalid input.
///
/// All inputs are first verified with assumed signatures (SignatureMode), so that an input with
/// another fault than a wrong signature costs no signature check. After 4,000 signatures (0.2 s),
/// the next input is inconclusive: too_many_signatures.
///
/// spent_outputs     the output that each input spends, in the order of the inputs. Empty if
///                   unknown
/// if_inconclusive   with return_at_once, an inconclusive input hides wrong signatures of other
///                   inputs
std::optional<InvalidInput> find_invalid_input(
    const Transaction& transaction, std::span<const std::optional<TxOutput>> spent_outputs,
    IfInconclusive if_inconclusive = IfInconclusive::verify_signatures);

}  // namespace petal::chain
