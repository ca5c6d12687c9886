#include "chain/script/script_error.h"

#include "chain/enum_table.h"

namespace petal::chain {

std::string_view describe(ScriptError error) {
    using enum ScriptError;
    static constexpr auto kTexts = enum_table<ScriptError, std::string_view>({
        {missing_witness, "its witness is missing"},
        {unknown_outputs, "its signature covers what other inputs spend, which is not known"},
        {too_many_signatures, "the transaction has too many signatures"},
        {eval_false,
         "Script evaluated without error but finished with a false/empty top stack element"},
        {op_return, "OP_RETURN was encountered"},
        {script_number, "Script number overflowed or is non-minimally encoded"},
        {script_size, "Script is too big"},
        {push_size, "Push value size limit exceeded"},
        {op_count, "Operation limit exceeded"},
        {stack_size, "Stack size limit exceeded"},
        {signature_count, "Signature count negative or greater than pubkey count"},
        {key_count, "Pubkey count negative or limit exceeded"},
        {verify, "Script failed an OP_VERIFY operation"},
        {equal_verify, "Script failed an OP_EQUALVERIFY operation"},
        {check_multisig_verify, "Script failed an OP_CHECKMULTISIGVERIFY operation"},
        {check_sig_verify, "Script failed an OP_CHECKSIGVERIFY operation"},
        {num_equal_verify, "Script failed an OP_NUMEQUALVERIFY operation"},
        {bad_opcode, "Opcode missing or not understood"},
        {disabled_opcode, "Attempted to use a disabled opcode"},
        {invalid_stack_operation, "Operation not valid with the current stack size"},
        {invalid_alt_stack_operation, "Operation not valid with the current altstack size"},
        {unbalanced_conditional, "Invalid OP_IF construction"},
        {negative_lock_time, "Negative locktime"},
        {unsatisfied_lock_time, "Locktime requirement not satisfied"},
        {signature_hash_type, "Signature hash type missing or not understood"},
        {signature_der, "Non-canonical DER signature"},
        {minimal_data, "Data push larger than necessary"},
        {push_only, "Only push operators allowed in signatures"},
        {high_s, "Non-canonical signature: S value is unnecessarily high"},
        {null_dummy, "Dummy CHECKMULTISIG argument must be zero"},
        {key_type, "Public key is neither compressed or uncompressed"},
        {clean_stack, "Stack size must be exactly one after execution"},
        {minimal_if, "OP_IF/NOTIF argument must be minimal"},
        {null_fail, "Signature must be zero for failed CHECK(MULTI)SIG operation"},
        {discourage_nops, "NOPx reserved for soft-fork upgrades"},
        {discourage_witness_program, "Witness version reserved for soft-fork upgrades"},
        {discourage_taproot_version, "Taproot version reserved for soft-fork upgrades"},
        {discourage_op_success, "OP_SUCCESSx reserved for soft-fork upgrades"},
        {discourage_key_type, "Public key version reserved for soft-fork upgrades"},
        {witness_program_length, "Witness program has incorrect length"},
        {witness_empty, "Witness program was passed an empty witness"},
        {witness_mismatch, "Witness program hash mismatch"},
        {witness_malleated, "Witness requires empty scriptSig"},
        {witness_malleated_p2sh, "Witness requires only-redeemscript scriptSig"},
        {witness_unexpected, "Witness provided for non-witness script"},
        {witness_key_type, "Using non-compressed keys in segwit"},
        {schnorr_size, "Invalid Schnorr signature size"},
        {schnorr_hash_type, "Invalid Schnorr signature hash type"},
        {schnorr_signature, "Invalid Schnorr signature"},
        {control_size, "Invalid Taproot control block size"},
        {validation_weight, "Too much signature validation relative to witness weight"},
        {tapscript_multisig, "OP_CHECKMULTISIG(VERIFY) is not available in tapscript"},
        {tapscript_minimal_if, "OP_IF/NOTIF argument must be minimal in tapscript"},
        {tapscript_empty_key, "Empty public key in tapscript"},
        {code_separator, "Using OP_CODESEPARATOR in non-witness script"},
        {find_and_delete, "Signature is found in scriptCode"},
    });
    return kTexts[error];
}

}  // namespace petal::chain
