/// The rules by which scripts are run.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace petal::chain {

/// Bitcoin Core's script verification flags (interpreter.h, script_verify_flag_name). A script that
/// is valid with a flag is valid without the flag.
enum class ScriptFlag : std::uint8_t {
    p2sh,                        ///< run the redeem script (BIP16)
    strict_encoding,             ///< strict DER, named hash types, usual keys
    der_signatures,              ///< strict DER (BIP66)
    low_s,                       ///< the lower of the two values of S (BIP62 rule 5)
    null_dummy,                  ///< the item below the signatures of a multisig is empty (BIP147)
    push_only,                   ///< the scriptSig only pushes (BIP62 rule 2)
    minimal_data,                ///< the shortest pushes and numbers (BIP62 rules 3 and 4)
    discourage_nops,             ///< no OP_NOP1 to OP_NOP10 that has no meaning yet
    clean_stack,                 ///< exactly one item remains (BIP62 rule 6). Needs p2sh, witness
    check_lock_time_verify,      ///< BIP65
    check_sequence_verify,       ///< BIP112
    witness,                     ///< BIP141, BIP143. Needs p2sh
    discourage_witness_program,  ///< no witness program of an undefined version
    minimal_if,                  ///< OP_IF takes only an empty item or 1 (segwit version 0)
    null_fail,                   ///< a signature that does not match is empty (BIP146)
    witness_key_type,            ///< compressed keys in segwit version 0
    const_script_code,           ///< before segwit: no OP_CODESEPARATOR, no FindAndDelete
    taproot,                     ///< BIP341, BIP342
    discourage_taproot_version,  ///< no leaf of an undefined version
    discourage_op_success,       ///< no OP_SUCCESS in tapscript
    discourage_key_type,         ///< no key of an undefined type in tapscript
};

class ScriptFlags {
public:
    constexpr ScriptFlags() = default;
    constexpr ScriptFlags(std::initializer_list<ScriptFlag> flags) {
        for (const ScriptFlag flag : flags) bits_ |= bit(flag);
    }

    constexpr bool has(ScriptFlag flag) const { return (bits_ & bit(flag)) != 0; }
    constexpr ScriptFlags operator|(ScriptFlags other) const { return of(bits_ | other.bits_); }
    constexpr ScriptFlags without(ScriptFlags other) const { return of(bits_ & ~other.bits_); }
    friend constexpr bool operator==(ScriptFlags, ScriptFlags) = default;

private:
    static constexpr std::uint32_t bit(ScriptFlag flag) {
        return std::uint32_t{1} << static_cast<unsigned>(flag);
    }
    static constexpr ScriptFlags of(std::uint32_t bits) {
        ScriptFlags flags;
        flags.bits_ = bits;
        return flags;
    }

    std::uint32_t bits_ = 0;
};

/// The rules of blocks (Bitcoin Core: MANDATORY_SCRIPT_VERIFY_FLAGS), except in the blocks before
/// the soft forks.
inline constexpr ScriptFlags kConsensusFlags = {ScriptFlag::p2sh,
                                                ScriptFlag::der_signatures,
                                                ScriptFlag::null_dummy,
                                                ScriptFlag::check_lock_time_verify,
                                                ScriptFlag::check_sequence_verify,
                                                ScriptFlag::witness,
                                                ScriptFlag::taproot};

/// The rules of relaying nodes (Bitcoin Core: STANDARD_SCRIPT_VERIFY_FLAGS).
inline constexpr ScriptFlags kStandardFlags =
    kConsensusFlags | ScriptFlags{ScriptFlag::strict_encoding,
                                  ScriptFlag::minimal_data,
                                  ScriptFlag::discourage_nops,
                                  ScriptFlag::clean_stack,
                                  ScriptFlag::minimal_if,
                                  ScriptFlag::null_fail,
                                  ScriptFlag::low_s,
                                  ScriptFlag::discourage_witness_program,
                                  ScriptFlag::witness_key_type,
                                  ScriptFlag::const_script_code,
                                  ScriptFlag::discourage_taproot_version,
                                  ScriptFlag::discourage_op_success,
                                  ScriptFlag::discourage_key_type};

}  // namespace petal::chain
