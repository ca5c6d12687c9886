/// Why a script fails.
#pragma once

#include <cstdint>
#include <string_view>

#include "chain/expected.h"

namespace petal::chain {

/// The errors of Bitcoin Core's interpreter (script_error.h), except for the first three.
enum class ScriptError : std::uint8_t {
    missing_witness,  ///< the transaction has no witness at all, e.g. from a peer without BIP144
    unknown_outputs,  ///< taproot: the signature covers all spent outputs, and some are not known
    too_many_signatures,  ///< the transaction has more than are verified

    eval_false,
    op_return,
    script_number,
    script_size,
    push_size,
    op_count,
    stack_size,
    signature_count,
    key_count,
    verify,
    equal_verify,
    check_multisig_verify,
    check_sig_verify,
    num_equal_verify,
    bad_opcode,
    disabled_opcode,
    invalid_stack_operation,
    invalid_alt_stack_operation,
    unbalanced_conditional,
    negative_lock_time,
    unsatisfied_lock_time,
    signature_hash_type,
    signature_der,
    minimal_data,
    push_only,
    high_s,
    null_dummy,
    key_type,
    clean_stack,
    minimal_if,
    null_fail,
    discourage_nops,
    discourage_witness_program,
    discourage_taproot_version,
    discourage_op_success,
    discourage_key_type,
    witness_program_length,
    witness_empty,
    witness_mismatch,
    witness_malleated,
    witness_malleated_p2sh,
    witness_unexpected,
    witness_key_type,
    schnorr_size,
    schnorr_hash_type,
    schnorr_signature,
    control_size,
    validation_weight,
    tapscript_multisig,
    tapscript_minimal_if,
    tapscript_empty_key,
    code_separator,
    find_and_delete,
};

/// Bitcoin Core's text for the error, as in its reject reasons (ScriptErrorString). The texts of
/// the first three errors are parts of sentences.
std::string_view describe(ScriptError error);

using ScriptResult = Expected<void, ScriptError>;

}  // namespace petal::chain
