#include "regtest/mempool/script_checks.h"

#include <array>

#include "chain/enum_table.h"

namespace petal::regtest {
namespace {

using chain::InputError;
using chain::ScriptRules;
using chain::ScriptType;

constexpr std::array<std::string_view, 16> kCheckedSpends = {
    "p2pk",           "p2pkh",           "multisig",         "p2sh-p2pk",
    "p2sh-p2pkh",     "p2sh-multisig",   "p2wsh-p2pk",       "p2wsh-p2pkh",
    "p2wsh-multisig", "p2sh-p2wsh-p2pk", "p2sh-p2wsh-p2pkh", "p2sh-p2wsh-multisig",
    "p2wpkh",         "p2sh-p2wpkh",     "p2tr-key-path",    "p2a"};

constexpr std::string_view kMalleatedP2sh = "Witness requires only-redeemscript scriptSig";
constexpr std::string_view kMalleated = "Witness requires empty scriptSig";
constexpr std::string_view kUncleanStack = "Stack size must be exactly one after execution";
constexpr std::string_view kFalse =
    "Script evaluated without error but finished with a false/empty top stack element";
constexpr std::string_view kNotPushOnly = "Only push operators allowed in signatures";
constexpr std::string_view kEmptyWitness = "Witness program was passed an empty witness";
constexpr std::string_view kProgramMismatch = "Witness program hash mismatch";

/// Bitcoin Core's words for an error.
struct ErrorRow {
    std::string_view text;
    std::string_view of_taproot = "";  ///< for taproot, if different
};

/// The error of an input whose scriptSig or witness has too few or too many items for the output's
/// template.
/// program   the type of the output, or of the witness program in P2SH
std::string_view script_error_of_items(InputError error, ScriptType spent, ScriptType program) {
    if (error == InputError::unexpected_script_sig) {
        return spent == ScriptType::p2sh ? kMalleatedP2sh : kMalleated;
    }
    const bool needs_any = program == ScriptType::p2wsh || program == ScriptType::p2tr;
    return needs_any ? kEmptyWitness : kProgramMismatch;
}

/// The type of the output, or of the witness program that the scriptSig of a P2SH input pushes. The
/// scriptSig is assumed to be only this push.
ScriptType program_of(const chain::TxInput& input, ScriptType spent) {
    if (spent != ScriptType::p2sh || input.script_sig.empty()) return spent;
    return chain::classify(chain::ByteView{input.script_sig}.subspan(1));
}

/// Whether blocks with an input that fails like this by consensus rules are invalid, however the
/// script is run.
bool is_invalid_in_blocks(InputError error) {
    return error != InputError::unsupported && error != InputError::unknown_outputs &&
           error != InputError::not_push_only;
}

/// Bitcoin Core's text for the error of the spend (script_error.cpp). A scriptSig with operations
/// can fail in many ways. For these, the usual error is returned. In blocks, a wrong signature is
/// not an error by itself (NULLFAIL is policy).
std::string_view script_error_of(InputError error, const chain::TxInput& input,
                                 const chain::TxOutput& output, ScriptRules rules) {
    const ScriptType spent = chain::classify(output.script_pubkey);
    if (error == InputError::unexpected_script_sig || error == InputError::wrong_witness_items ||
        error == InputError::missing_witness) {
        return script_error_of_items(error, spent, program_of(input, spent));
    }

    using enum InputError;
    constexpr std::string_view kNullFail =
        "Signature must be zero for failed CHECK(MULTI)SIG operation";
    constexpr std::string_view kWrongSchnorr = "Invalid Schnorr signature";
    static constexpr auto kRows = chain::enum_table<InputError, ErrorRow>({
        {unsupported, {""}},
        {missing_witness, {kProgramMismatch}},
        {unknown_outputs, {""}},
        // Rare, because nonstandard spends are refused before.
        {not_push_only, {kNotPushOnly}},
        {annex, {""}},
        {malformed_script_sig, {"Opcode missing or not understood"}},
        {forbidden_operation, {kNotPushOnly}},
        {script_too_large, {"Script is too big"}},
        {push_too_large, {"Push value size limit exceeded"}},
        {stack_too_large, {"Stack size limit exceeded"}},
        {unexpected_script_sig, {kMalleated}},
        {longer_push, {"Data push larger than necessary"}},
        {unexpected_witness, {"Witness provided for non-witness script"}},
        {wrong_witness_items, {kProgramMismatch}},
        {wrong_redeem_script, {kFalse}},
        {wrong_witness_script, {kProgramMismatch}},
        {wrong_key, {"Script failed an OP_EQUALVERIFY operation"}},
        {uncompressed_key, {"Using non-compressed keys in segwit"}},
        {malformed_key, {"Public key is neither compressed or uncompressed"}},
        {invalid_key, {kNullFail, kWrongSchnorr}},
        {empty_signature, {kFalse}},
        {malformed_signature, {"Non-canonical DER signature", "Invalid Schnorr signature size"}},
        {high_s, {"Non-canonical signature: S value is unnecessarily high"}},
        {undefined_hash_type,
         {"Signature hash type missing or not understood", "Invalid Schnorr signature hash type"}},
        {wrong_signature, {kNullFail, kWrongSchnorr}},
        {too_few_items, {"Operation not valid with the current stack size"}},
        {too_many_items, {kUncleanStack}},
        {nonzero_dummy, {"Dummy CHECKMULTISIG argument must be zero"}},
    });
    const ErrorRow& row = kRows[error];
    if (spent == ScriptType::p2tr && !row.of_taproot.empty()) return row.of_taproot;
    const bool pushes_false = error == wrong_signature || error == invalid_key;
    if (pushes_false && rules == ScriptRules::consensus) return kFalse;
    return row.text;
}

}  // namespace

std::span<const std::string_view> checked_spends() {
    return kCheckedSpends;
}

std::optional<Rejection> find_wrong_script(const chain::Transaction& transaction,
                                           std::span<const chain::TxOutput> spent,
                                           UnjudgedScripts unjudged, ScriptRules rules) {
    const chain::SighashCache cache{transaction, spent};
    bool all_judged = true;
    for (std::size_t i = 0; i < spent.size(); ++i) {
        const auto verdict = chain::verify_input(cache, i, spent[i], rules);
        if (verdict) continue;
        const bool is_judged = rules == ScriptRules::standard
                                   ? verdict.error() != InputError::unsupported
                                   : is_invalid_in_blocks(verdict.error());
        if (is_judged) {
            return Rejection{
                RejectReason::wrong_script,
                script_error_of(verdict.error(), transaction.inputs[i], spent[i], rules), i};
        }
        all_judged = false;
    }
    if (all_judged || unjudged == UnjudgedScripts::accepted) return std::nullopt;
    return Rejection{RejectReason::unjudged_script};
}

}  // namespace petal::regtest
