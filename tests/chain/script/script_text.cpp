#include "tests/chain/script/script_text.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

#include "chain/byte_writer.h"
#include "chain/enum_table.h"
#include "chain/script/script.h"
#include "tests/support/hex.h"

namespace petal::test {
namespace {

using chain::ScriptError;
using chain::ScriptFlag;

const std::map<std::string, std::uint8_t>& opcodes() {
    static const auto kOpcodes = [] {
        // From OP_NOP on, in the order of the opcodes.
        std::istringstream names{
            "NOP VER IF NOTIF VERIF VERNOTIF ELSE ENDIF VERIFY RETURN TOALTSTACK FROMALTSTACK "
            "2DROP "
            "2DUP 3DUP 2OVER 2ROT 2SWAP IFDUP DEPTH DROP DUP NIP OVER PICK ROLL ROT SWAP TUCK CAT "
            "SUBSTR LEFT RIGHT SIZE INVERT AND OR XOR EQUAL EQUALVERIFY RESERVED1 RESERVED2 1ADD "
            "1SUB 2MUL 2DIV NEGATE ABS NOT 0NOTEQUAL ADD SUB MUL DIV MOD LSHIFT RSHIFT BOOLAND "
            "BOOLOR NUMEQUAL NUMEQUALVERIFY NUMNOTEQUAL LESSTHAN GREATERTHAN LESSTHANOREQUAL "
            "GREATERTHANOREQUAL MIN MAX WITHIN RIPEMD160 SHA1 SHA256 HASH160 HASH256 CODESEPARATOR "
            "CHECKSIG CHECKSIGVERIFY CHECKMULTISIG CHECKMULTISIGVERIFY NOP1 CHECKLOCKTIMEVERIFY "
            "CHECKSEQUENCEVERIFY NOP4 NOP5 NOP6 NOP7 NOP8 NOP9 NOP10"};
        std::map<std::string, std::uint8_t> result{{"RESERVED", chain::kOpReserved}};
        std::uint8_t opcode = chain::kOpNop;
        for (std::string name; names >> name;) result[name] = opcode++;
        return result;
    }();
    return kOpcodes;
}

bool is_decimal(const std::string& word) {
    const std::size_t first = word.size() > 1 && word[0] == '-' ? 1 : 0;
    return word.find_first_not_of("0123456789", first) == std::string::npos;
}

void write_word(chain::ByteWriter& script, const std::string& word) {
    if (is_decimal(word)) {
        script.bytes(chain::push_number(std::stoll(word)));
    } else if (word.starts_with("0x")) {
        script.bytes(bytes_from_hex(word.substr(2)));
    } else if (word.size() >= 2 && word.front() == '\'' && word.back() == '\'') {
        const std::string text = word.substr(1, word.size() - 2);
        if (text.size() == 1) {
            script.u8(1).bytes(chain::as_bytes(text));
        } else {
            script.bytes(chain::push_data(chain::as_bytes(text)));
        }
    } else {
        const auto opcode = opcodes().find(word.starts_with("OP_") ? word.substr(3) : word);
        if (opcode == opcodes().end()) throw std::invalid_argument("not an opcode: " + word);
        script.u8(opcode->second);
    }
}

}  // namespace

chain::Bytes script_from_text(const std::string& text) {
    chain::ByteWriter script;
    std::istringstream words{text};
    for (std::string word; words >> word;) write_word(script, word);
    return script.take();
}

const std::vector<NamedFlag>& named_flags() {
    static const std::vector<NamedFlag> kFlags = {
        {"P2SH", ScriptFlag::p2sh},
        {"STRICTENC", ScriptFlag::strict_encoding},
        {"DERSIG", ScriptFlag::der_signatures},
        {"LOW_S", ScriptFlag::low_s},
        {"NULLDUMMY", ScriptFlag::null_dummy},
        {"SIGPUSHONLY", ScriptFlag::push_only},
        {"MINIMALDATA", ScriptFlag::minimal_data},
        {"DISCOURAGE_UPGRADABLE_NOPS", ScriptFlag::discourage_nops},
        {"CLEANSTACK", ScriptFlag::clean_stack},
        {"CHECKLOCKTIMEVERIFY", ScriptFlag::check_lock_time_verify},
        {"CHECKSEQUENCEVERIFY", ScriptFlag::check_sequence_verify},
        {"WITNESS", ScriptFlag::witness},
        {"DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM", ScriptFlag::discourage_witness_program},
        {"MINIMALIF", ScriptFlag::minimal_if},
        {"NULLFAIL", ScriptFlag::null_fail},
        {"WITNESS_PUBKEYTYPE", ScriptFlag::witness_key_type},
        {"CONST_SCRIPTCODE", ScriptFlag::const_script_code},
        {"TAPROOT", ScriptFlag::taproot},
        {"DISCOURAGE_UPGRADABLE_TAPROOT_VERSION", ScriptFlag::discourage_taproot_version},
        {"DISCOURAGE_OP_SUCCESS", ScriptFlag::discourage_op_success},
        {"DISCOURAGE_UPGRADABLE_PUBKEYTYPE", ScriptFlag::discourage_key_type},
    };
    return kFlags;
}

chain::ScriptFlags all_flags() {
    chain::ScriptFlags flags;
    for (const NamedFlag& row : named_flags()) flags = flags | chain::ScriptFlags{row.flag};
    return flags;
}

chain::ScriptFlags flags_from_text(const std::string& text) {
    chain::ScriptFlags flags;
    std::istringstream words{text == "NONE" ? "" : text};
    for (std::string word; std::getline(words, word, ',');) {
        const auto row = std::ranges::find(named_flags(), word, &NamedFlag::name);
        if (row == named_flags().end()) throw std::invalid_argument("not a flag: " + word);
        flags = flags | chain::ScriptFlags{row->flag};
    }
    return flags;
}

std::string_view name_of(const chain::ScriptResult& result) {
    using enum ScriptError;
    static constexpr auto kNames = chain::enum_table<ScriptError, std::string_view>({
        {missing_witness, ""},
        {unknown_outputs, ""},
        {too_many_signatures, ""},
        {eval_false, "EVAL_FALSE"},
        {op_return, "OP_RETURN"},
        {script_number, "SCRIPTNUM"},
        {script_size, "SCRIPT_SIZE"},
        {push_size, "PUSH_SIZE"},
        {op_count, "OP_COUNT"},
        {stack_size, "STACK_SIZE"},
        {signature_count, "SIG_COUNT"},
        {key_count, "PUBKEY_COUNT"},
        {verify, "VERIFY"},
        {equal_verify, "EQUALVERIFY"},
        {check_multisig_verify, "CHECKMULTISIGVERIFY"},
        {check_sig_verify, "CHECKSIGVERIFY"},
        {num_equal_verify, "NUMEQUALVERIFY"},
        {bad_opcode, "BAD_OPCODE"},
        {disabled_opcode, "DISABLED_OPCODE"},
        {invalid_stack_operation, "INVALID_STACK_OPERATION"},
        {invalid_alt_stack_operation, "INVALID_ALTSTACK_OPERATION"},
        {unbalanced_conditional, "UNBALANCED_CONDITIONAL"},
        {negative_lock_time, "NEGATIVE_LOCKTIME"},
        {unsatisfied_lock_time, "UNSATISFIED_LOCKTIME"},
        {signature_hash_type, "SIG_HASHTYPE"},
        {signature_der, "SIG_DER"},
        {minimal_data, "MINIMALDATA"},
        {push_only, "SIG_PUSHONLY"},
        {high_s, "SIG_HIGH_S"},
        {null_dummy, "SIG_NULLDUMMY"},
        {key_type, "PUBKEYTYPE"},
        {clean_stack, "CLEANSTACK"},
        {minimal_if, "MINIMALIF"},
        {null_fail, "NULLFAIL"},
        {discourage_nops, "DISCOURAGE_UPGRADABLE_NOPS"},
        {discourage_witness_program, "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM"},
        {discourage_taproot_version, "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION"},
        {discourage_op_success, "DISCOURAGE_OP_SUCCESS"},
        {discourage_key_type, "DISCOURAGE_UPGRADABLE_PUBKEYTYPE"},
        {witness_program_length, "WITNESS_PROGRAM_WRONG_LENGTH"},
        {witness_empty, "WITNESS_PROGRAM_WITNESS_EMPTY"},
        {witness_mismatch, "WITNESS_PROGRAM_MISMATCH"},
        {witness_malleated, "WITNESS_MALLEATED"},
        {witness_malleated_p2sh, "WITNESS_MALLEATED_P2SH"},
        {witness_unexpected, "WITNESS_UNEXPECTED"},
        {witness_key_type, "WITNESS_PUBKEYTYPE"},
        {schnorr_size, "SCHNORR_SIG_SIZE"},
        {schnorr_hash_type, "SCHNORR_SIG_HASHTYPE"},
        {schnorr_signature, "SCHNORR_SIG"},
        {control_size, "TAPROOT_WRONG_CONTROL_SIZE"},
        {validation_weight, "TAPSCRIPT_VALIDATION_WEIGHT"},
        {tapscript_multisig, "TAPSCRIPT_CHECKMULTISIG"},
        {tapscript_minimal_if, "TAPSCRIPT_MINIMALIF"},
        {tapscript_empty_key, "TAPSCRIPT_EMPTY_PUBKEY"},
        {code_separator, "OP_CODESEPARATOR"},
        {find_and_delete, "SIG_FINDANDDELETE"},
    });
    return result ? "OK" : kNames[result.error()];
}

}  // namespace petal::test
