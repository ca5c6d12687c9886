/// Whether an input may spend the output that it names. Verifies the standard templates with one
/// key, and multisig, in outputs themselves and within P2SH and P2WSH; and P2A, which anyone may
/// spend.
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

/// Why an input is not known to be a valid spend. With the first errors the input could not be
/// judged (is_inconclusive). With the others no node relays it, not even one that accepts
/// nonstandard transactions (Bitcoin Core: -acceptnonstdtxn).
enum class InputError : std::uint8_t {
    unsupported,      ///< the spent output needs another template than those verified here
    missing_witness,  ///< the transaction has no witness at all, e.g. from a peer without BIP144
    unknown_outputs,  ///< the signature covers outputs spent by other inputs, which are not known
    not_push_only,    ///< the scriptSig has operations, which is valid but not standard
    annex,            ///< taproot: reserved by BIP341 for later use; valid but not standard

    malformed_script_sig,   ///< it ends inside a push, or is no script
    forbidden_operation,    ///< P2SH: the scriptSig has operations (BIP16)
    script_too_large,       ///< of more than 10,000 bytes
    push_too_large,         ///< an item of more than 520 bytes, before taproot
    stack_too_large,        ///< more than 1,000 items, those that the output's script pushes too
    unexpected_script_sig,  ///< differs from the scriptSig that the template needs
    longer_push,            ///< a push of the scriptSig is not the shortest encoding
    unexpected_witness,     ///< of an output that is none of segwit
    wrong_witness_items,    ///< not exactly a signature and a key; for taproot, no items
    wrong_redeem_script,    ///< P2SH: the script has not the hash that the output names
    wrong_witness_script,   ///< P2WSH: the script has not the hash that the output names
    wrong_key,              ///< the key has not the hash that the output names
    uncompressed_key,       ///< but segwit allows compressed keys only
    malformed_key,          ///< neither the compressed nor the uncompressed form
    invalid_key,            ///< of the right form, but no point of the curve
    empty_signature,        ///< for multisig: all signatures are empty
    malformed_signature,    ///< not strict DER (BIP66); with taproot, not 64 or 65 bytes
    high_s,                 ///< the larger of the two numbers that S may be (BIP62)
    undefined_hash_type,    ///< none that has a name
    wrong_signature,        ///< of another key, transaction or amount; for multisig, any of the
                            ///< signatures
    too_few_items,          ///< in a scriptSig, or for multisig and the item before its signatures
    too_many_items,  ///< P2PK, P2PKH, multisig: more than the script takes; before segwit, not
                     ///< standard
    nonzero_dummy,   ///< multisig: the item before the signatures is not empty (BIP147)
};

/// True if the input may be a valid spend in a block: it can't be judged without more knowledge, or
/// only policy forbids it. The peer that sent it is not punished.
bool is_inconclusive(InputError error);

/// Part of a sentence about the input: "its witness is missing".
std::string_view describe(InputError error);

/// Whether verify_input() can judge the signatures of spends of this template: of P2SH and P2WSH
/// those around P2PK, P2PKH, multisig, and of P2SH those around P2WPKH and such a P2WSH, too; of
/// P2TR those by the key.
bool can_be_verified(ScriptType type);

/// The rules for valid spends: those of relaying nodes, or only those for blocks. Only the standard
/// rules forbid other encodings of S, hash types, keys and pushes, an annex, and items that a
/// scriptSig leaves below those that the script takes.
enum class ScriptRules : std::uint8_t { standard, consensus };

/// Checks that the input at `input_index` of the cache's transaction may spend `spent`, which is
/// the output that its prevout names, as far as can_be_verified(). Follows Bitcoin Core's
/// script/interpreter.cpp, VerifyScript with STANDARD_SCRIPT_VERIFY_FLAGS or those of a block, and
/// for P2TR policy/policy.cpp, IsWitnessStandard. Lock times, amounts and whether the output is
/// still unspent are not checked. At most one signature check, at about 50 microseconds; with
/// multisig, at most one for each of its up to 20 keys. For the cost of hashing see SighashCache.
Expected<void, InputError> verify_input(const SighashCache& cache, std::size_t input_index,
                                        const TxOutput& spent,
                                        ScriptRules rules = ScriptRules::standard);

/// What to do if an input is_inconclusive() by its form. Signatures of the others are not worth
/// verifying if the transaction is of no use then: a peer could send such transactions without end.
enum class IfInconclusive : std::uint8_t { verify_signatures, return_at_once };

/// An input that is not known to be a valid spend.
struct InvalidInput {
    std::size_t index = 0;
    InputError error = InputError::missing_witness;
};

/// An input with a known spent output that verify_input() does not accept; nothing if there is
/// none. Prefers an invalid input to one that is_inconclusive(), and among the latter a missing
/// witness, because an input that cannot be judged must not hide an invalid one. Checks the
/// encoding of every input before the first signature, so that only a wrong signature costs the
/// verification of those before it.
/// spent_outputs     the outputs that the inputs spend, in their order; nothing for an unknown one
/// if_inconclusive   return_at_once: an inconclusive input hides wrong signatures of others
std::optional<InvalidInput> find_invalid_input(
    const Transaction& transaction, std::span<const std::optional<TxOutput>> spent_outputs,
    IfInconclusive if_inconclusive = IfInconclusive::verify_signatures);

}  // namespace petal::chain
