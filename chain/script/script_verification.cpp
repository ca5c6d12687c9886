// Facts from Bitcoin Core's VerifyScript (script/interpreter.cpp), BIP16, BIP141, BIP341 and
// BIP342.
#include "chain/script/script_verification.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/hash.h"
#include "chain/script/interpreter.h"
#include "chain/script/opcode.h"
#include "chain/script/script.h"
#include "chain/script/script_number.h"
#include "chain/script/script_operations.h"
#include "chain/script/taproot.h"

namespace petal::chain {

namespace {

// The maximum number of items that one operation removes: OP_CHECKMULTISIGVERIFY with 20 keys and
// 20 signatures, their counts, and the additional item.
constexpr std::size_t kMaxRemovedItems = 43;

ByteView pop(std::vector<ByteView>& items) {
    const ByteView top = items.back();
    items.pop_back();
    return top;
}

ScriptResult judge_top(const ScriptStack& stack) {
    if (stack.empty() || !is_true(stack.top())) return Unexpected(ScriptError::eval_false);
    return {};
}

// Runs a script of a witness. Exactly one item, which is true, must remain.
ScriptResult run_witness_script(ScriptContext& context, const std::vector<ByteView>& items,
                                ByteView script) {
    // Each further item would exceed kMaxStackItems after the first operation. Not copied, because
    // a witness may have a million items.
    if (items.size() > kMaxStackItems + kMaxRemovedItems) {
        return Unexpected(ScriptError::stack_size);
    }
    const auto is_large = [](ByteView item) { return item.size() > kMaxPushBytes; };
    if (std::ranges::any_of(items, is_large)) return Unexpected(ScriptError::push_size);
    ScriptStack stack{items};
    const auto result = run_script(context, stack, script);
    if (!result) return result;
    if (stack.size() != 1) return Unexpected(ScriptError::clean_stack);
    return judge_top(stack);
}

class ScriptVerification {
public:
    ScriptVerification(const SignatureChecker& checker, ScriptFlags flags)
        : checker_(checker), flags_(flags), input_(checker.input()) {}

    ScriptResult run() {
        assert(has(ScriptFlag::p2sh) || !has(ScriptFlag::witness));
        assert(has(ScriptFlag::witness) || !has(ScriptFlag::clean_stack));
        const ByteView script_sig = input_.script_sig;
        const ByteView script_pubkey = checker_.spent().script_pubkey;
        if (has(ScriptFlag::push_only) && !is_push_only(script_sig)) {
            return Unexpected(ScriptError::push_only);
        }
        ScriptStack stack;
        if (const auto result = run_legacy(stack, script_sig); !result) return result;
        const bool is_p2sh = has(ScriptFlag::p2sh) && classify(script_pubkey) == ScriptType::p2sh;
        ScriptStack pushed = is_p2sh ? stack : ScriptStack{};
        if (const auto result = run_legacy(stack, script_pubkey); !result) return result;
        if (const auto result = judge_top(stack); !result) return result;
        std::size_t remaining = stack.size();
        bool takes_witness = false;
        if (is_witness_program(script_pubkey)) {
            if (!script_sig.empty()) return Unexpected(ScriptError::witness_malleated);
            if (const auto result = check_program(script_pubkey, false); !result) return result;
            takes_witness = true;
            remaining = 1;
        } else if (is_p2sh) {
            const auto result = check_redeem_script(std::move(pushed), takes_witness, remaining);
            if (!result) return result;
        }
        if (has(ScriptFlag::clean_stack) && remaining != 1) {
            return Unexpected(ScriptError::clean_stack);
        }
        if (has(ScriptFlag::witness) && !takes_witness && !input_.witness.empty()) {
            return Unexpected(ScriptError::witness_unexpected);
        }
        return {};
    }

private:
    bool has(ScriptFlag flag) const { return flags_.has(flag); }

    bool is_witness_program(ByteView script) const {
        return has(ScriptFlag::witness) && !witness_program(script).empty();
    }

    ScriptResult run_legacy(ScriptStack& stack, ByteView script) const {
        ScriptContext context{checker_, flags_, ScriptVersion::legacy, {}, 0};
        return run_script(context, stack, script);
    }

    /// Runs the script that the scriptSig pushed last on the items below (BIP16).
    ScriptResult check_redeem_script(ScriptStack stack, bool& takes_witness,
                                     std::size_t& remaining) const {
        if (!is_push_only(input_.script_sig)) return Unexpected(ScriptError::push_only);
        const Bytes redeem_script = stack.pop();
        if (const auto result = run_legacy(stack, redeem_script); !result) return result;
        if (const auto result = judge_top(stack); !result) return result;
        remaining = stack.size();
        if (!is_witness_program(redeem_script)) return {};
        if (!std::ranges::equal(input_.script_sig, push_data(redeem_script))) {
            return Unexpected(ScriptError::witness_malleated_p2sh);
        }
        takes_witness = true;
        remaining = 1;
        return check_program(redeem_script, true);
    }

    /// Checks the witness of a witness program (Bitcoin Core: VerifyWitnessProgram).
    ScriptResult check_program(ByteView script, bool in_p2sh) const {
        const ByteView program = witness_program(script);
        const ScriptType type = classify(script);
        if (type == ScriptType::p2wpkh) return check_p2wpkh(program);
        if (type == ScriptType::p2wsh) return check_p2wsh(program);
        if (script[0] == kOp0) return Unexpected(ScriptError::witness_program_length);
        if (type == ScriptType::p2tr && !in_p2sh) {
            return has(ScriptFlag::taproot) ? check_p2tr(program) : ScriptResult{};
        }
        if (type == ScriptType::anchor && !in_p2sh) return {};
        if (has(ScriptFlag::discourage_witness_program)) {
            return Unexpected(ScriptError::discourage_witness_program);
        }
        return {};
    }

    ScriptResult check_p2wpkh(ByteView key_hash) const {
        if (input_.witness.size() != 2) return Unexpected(ScriptError::witness_mismatch);
        Hash160 hash;
        std::ranges::copy(key_hash, hash.begin());
        ScriptContext context{checker_, flags_, ScriptVersion::witness_v0, {}, 0};
        return run_witness_script(context, input_.witness.items(), p2pkh_script(hash));
    }

    ScriptResult check_p2wsh(ByteView script_hash) const {
        auto items = input_.witness.items();
        if (items.empty()) return Unexpected(ScriptError::witness_empty);
        const ByteView script = pop(items);
        if (!std::ranges::equal(sha256(script), script_hash)) {
            return Unexpected(ScriptError::witness_mismatch);
        }
        ScriptContext context{checker_, flags_, ScriptVersion::witness_v0, {}, 0};
        return run_witness_script(context, items, script);
    }

    ScriptResult check_p2tr(ByteView key) const {
        auto items = input_.witness.items();
        if (items.empty()) return Unexpected(ScriptError::witness_empty);
        TaprootSpend spend;
        if (has_annex(items)) spend.annex_hash = hash_annex(pop(items));
        if (items.size() == 1) return checker_.check_schnorr(items[0], key, spend);
        const ByteView control_block = pop(items);
        const ByteView script = pop(items);
        if (!has_control_block_size(control_block)) return Unexpected(ScriptError::control_size);
        const std::uint8_t version = leaf_version(control_block);
        spend.leaf_hash = tapleaf_hash(version, script);
        if (!commits_to_leaf(key, control_block, *spend.leaf_hash)) {
            return Unexpected(ScriptError::witness_mismatch);
        }
        if (version == kTapscriptVersion) return run_tapscript(items, script, spend);
        if (has(ScriptFlag::discourage_taproot_version)) {
            return Unexpected(ScriptError::discourage_taproot_version);
        }
        return {};
    }

    ScriptResult run_tapscript(const std::vector<ByteView>& items, ByteView script,
                               const TaprootSpend& spend) const {
        ScriptWalker walker{script};
        while (const auto operation = walker.next()) {
            if (!is_op_success(operation->opcode)) continue;
            if (has(ScriptFlag::discourage_op_success)) {
                return Unexpected(ScriptError::discourage_op_success);
            }
            return {};
        }
        if (walker.malformed()) return Unexpected(ScriptError::bad_opcode);
        if (items.size() > kMaxStackItems) return Unexpected(ScriptError::stack_size);
        const std::size_t witness_bytes =
            compact_size_bytes(input_.witness.size()) + input_.witness.serialized_items().size();
        ScriptContext context{checker_, flags_, ScriptVersion::tapscript, spend,
                              static_cast<std::int64_t>(witness_bytes) + kAdditionalWeight};
        return run_witness_script(context, items, script);
    }

    const SignatureChecker& checker_;
    ScriptFlags flags_;
    const TxInput& input_;
};

}  // namespace

ScriptResult verify_script(const SignatureChecker& checker, ScriptFlags flags) {
    return ScriptVerification(checker, flags).run();
}

}  // namespace petal::chain
