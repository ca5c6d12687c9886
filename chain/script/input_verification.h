/// Verifies that an input may spend its prevout. Supports the standard templates with one key and
/// multisig, bare and within P2SH and P2WSH, and P2A, which anyone may spend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "chain/expected.h"
#include "chain/script/script.h"
#include "chain/script/signature_hash.h"
#include "chain/transaction.h"

namespace petal::chain {

/// Why an input is not known to be a valid spend. The first errors are inconclusive
/// (is_inconclusive()). After any later error, no node relays the input, not even with Bitcoin
/// Core's -acceptnonstdtxn.
enum class InputError : std::uint8_t {
    unsupported,      ///< a template that is not verified here
    missing_witness,  ///< the transaction has no witness at all, e.g. from a peer without BIP144
    unknown_outputs,  ///< the signature covers all spent outputs, and some are not known
    not_push_only,    ///< the scriptSig has operations: valid but not standard
    annex,            ///< taproot: reserved by BIP341, valid but not standard

    malformed_script_sig,   ///< a push exceeds the script's end
    forbidden_operation,    ///< P2SH: the scriptSig has operations (BIP16)
    script_too_large,       ///< more than 10,000 bytes
    push_too_large,         ///< an item above 520 bytes, before taproot
    stack_too_large,        ///< more than 1,000 items, including pushes of the output's script
    unexpected_script_sig,  ///< differs from the scriptSig that the template requires
    longer_push,            ///< a push of the scriptSig is not the shortest encoding
    unexpected_witness,     ///< the output is not a segwit output
    wrong_witness_items,    ///< not exactly a signature and a key. For taproot: no items
    wrong_redeem_script,    ///< P2SH: the script does not match the output's hash
    wrong_witness_script,   ///< P2WSH: the script does not match the output's hash
    wrong_key,              ///< the key does not match the output's hash
    uncompressed_key,       ///< segwit requires compressed keys
    malformed_key,          ///< neither the compressed nor the uncompressed form
    invalid_key,            ///< valid form, but not a point of the curve
    empty_signature,        ///< multisig: all signatures are empty
    malformed_signature,    ///< not strict DER (BIP66). Taproot: not 64 or 65 bytes
    high_s,                 ///< the larger of the two possible values of S (BIP62)
    undefined_hash_type,    ///< not one of the six named types
    wrong_signature,        ///< for another key, transaction or amount. Multisig: any signature
    too_few_items,          ///< in a scriptSig, or for a multisig script with its dummy item
    too_many_items,  ///< P2PK, P2PKH, multisig: unused items (before segwit: only not standard)
    nonzero_dummy,   ///< multisig: the item before the signatures is not empty (BIP147)
};

/// Whether the input may still be valid in a block: either data is missing, or only policy forbids
/// the input. The peer that sent the transaction must not be punished.
bool is_inconclusive(InputError error);

/// Part of a sentence about the input: "its witness is missing".
std::string_view describe(InputError error);

/// Whether verify_input() can verify spends of this template. Limits:
/// - P2SH and P2WSH: only around P2PK, P2PKH and multisig
/// - P2SH: also around P2WPKH, and around a P2WSH within these limits
/// - P2TR: only the key path
bool can_be_verified(ScriptType type);

/// The rules for valid spends: of relaying nodes (standard) or of blocks (consensus). Only the
/// standard rules forbid:
/// - a high S, undefined hash types, keys of other forms, pushes that are not the shortest
/// - an annex
/// - unused items below the items that a script takes from its scriptSig
enum class ScriptRules : std::uint8_t { standard, consensus };

/// Checks that the input at `input_index` of the cache's transaction may spend `spent`, the output
/// of its prevout, as far as can_be_verified(). Follows Bitcoin Core's VerifyScript
/// (script/interpreter.cpp) with STANDARD_SCRIPT_VERIFY_FLAGS or the flags for blocks, and for P2TR
/// also IsWitnessStandard (policy/policy.cpp). Does not check lock times, amounts, and whether the
/// output is unspent.
///
/// Costs at most one signature check (about 50 microseconds), or one for each key of a multisig
/// script (at most 20). For the cost of hashing see SighashCache.
Expected<void, InputError> verify_input(const SighashCache& cache, std::size_t input_index,
                                        const TxOutput& spent,
                                        ScriptRules rules = ScriptRules::standard);

/// What to do if the form of an input is_inconclusive(). With `return_at_once`, a peer cannot cause
/// signature checks by transactions that are discarded anyway.
enum class IfInconclusive : std::uint8_t { verify_signatures, return_at_once };

/// An input that is not known to be a valid spend.
struct InvalidInput {
    std::size_t index = 0;
    InputError error = InputError::missing_witness;
};

/// Finds an input with a known spent output that verify_input() does not accept. Empty without such
/// an input. An invalid input is preferred to an inconclusive input, and among inconclusive inputs
/// one with a missing witness: an inconclusive input must not hide an invalid input.
///
/// The encoding of all inputs is checked before the first signature, so that a malformed input
/// costs no signature check.
///
/// spent_outputs     the output that each input spends, in the order of the inputs. Empty if
///                   unknown
/// if_inconclusive   with return_at_once, an inconclusive input hides wrong signatures of other
///                   inputs
std::optional<InvalidInput> find_invalid_input(
    const Transaction& transaction, std::span<const std::optional<TxOutput>> spent_outputs,
    IfInconclusive if_inconclusive = IfInconclusive::verify_signatures);

}  // namespace petal::chain
