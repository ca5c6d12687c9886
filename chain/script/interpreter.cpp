// Facts from Bitcoin Core's EvalScript (script/interpreter.cpp), BIP65, BIP112, BIP141 and BIP342.
#include "chain/script/interpreter.h"

#include <cassert>
#include <cstdint>
#include <optional>

#include "chain/lock_time.h"
#include "chain/script/opcode.h"
#include "chain/script/script.h"
#include "chain/script/script_number.h"
#include "chain/script/script_operations.h"

namespace petal::chain {

namespace {

Unexpected<ScriptError> failed(ScriptError error) {
    return Unexpected(error);
}

// The nested OP_IFs. A script may nest as many as it has bytes, so only the depth is stored, and
// the outermost branch that is skipped. Branches within that branch are skipped, too.
class Branches {
public:
    bool is_executed() const { return skipped_ == 0; }
    bool empty() const { return depth_ == 0; }

    void enter(bool is_executed) {
        ++depth_;
        if (skipped_ == 0 && !is_executed) skipped_ = depth_;
    }
    void change_branch() {
        assert(depth_ > 0);
        if (skipped_ == 0) {
            skipped_ = depth_;
        } else if (skipped_ == depth_) {
            skipped_ = 0;
        }
    }
    void leave() {
        assert(depth_ > 0);
        if (skipped_ == depth_) skipped_ = 0;
        --depth_;
    }

private:
    std::size_t depth_ = 0;
    std::size_t skipped_ = 0;  // the depth of the skipped branch, or 0
};

bool is_branch_operation(std::uint8_t opcode) {
    // OP_VERIF and OP_VERNOTIF lie between, and fail even in a branch that is skipped.
    return opcode >= kOpIf && opcode <= kOpEndIf;
}

class Interpreter {
public:
    Interpreter(ScriptContext& context, ScriptStack& stack, ByteView script)
        : context_(context), stack_(stack), script_(script), script_code_(script) {}

    ScriptResult run() {
        if (is_limited() && script_.size() > kMaxScriptBytes) {
            return failed(ScriptError::script_size);
        }
        context_.taproot.code_separator = TaprootSpend{}.code_separator;
        ScriptWalker walker{script_};
        for (std::uint32_t position = 0; !walker.rest().empty(); ++position) {
            const auto operation = walker.next();
            if (!operation) return failed(ScriptError::bad_opcode);
            const auto result = step(*operation, walker.rest(), position);
            if (!result) return result;
            if (stack_.size() + alt_stack_.size() > kMaxStackItems) {
                return failed(ScriptError::stack_size);
            }
        }
        if (!branches_.empty()) return failed(ScriptError::unbalanced_conditional);
        return {};
    }

private:
    bool has(ScriptFlag flag) const { return context_.flags.has(flag); }
    bool needs_minimal() const { return has(ScriptFlag::minimal_data); }
    /// Whether the limits apply that tapscript does not have.
    bool is_limited() const { return context_.version != ScriptVersion::tapscript; }

    /// The rules that also apply to operations that are not executed, then the operation.
    ScriptResult step(const ScriptWalker::Operation& operation, ByteView rest,
                      std::uint32_t position) {
        const std::uint8_t opcode = operation.opcode;
        if (operation.data.size() > kMaxPushBytes) return failed(ScriptError::push_size);
        if (is_limited() && opcode > kOp16 && ++operations_ > kMaxOperations) {
            return failed(ScriptError::op_count);
        }
        if (is_disabled(opcode)) return failed(ScriptError::disabled_opcode);
        const bool is_legacy = context_.version == ScriptVersion::legacy;
        if (opcode == kOpCodeSeparator && is_legacy && has(ScriptFlag::const_script_code)) {
            return failed(ScriptError::code_separator);
        }
        if (is_branch_operation(opcode)) return run_branch_operation(opcode);
        if (!branches_.is_executed()) return {};
        if (opcode <= kOpPushData4) return push(operation);
        if (opcode == kOpCodeSeparator) {
            script_code_ = rest;
            context_.taproot.code_separator = position;
            return {};
        }
        return execute(opcode);
    }

    ScriptResult push(const ScriptWalker::Operation& operation) {
        if (needs_minimal() && !is_shortest_push(operation)) {
            return failed(ScriptError::minimal_data);
        }
        stack_.push_copy(operation.data);
        return {};
    }

    ScriptResult run_branch_operation(std::uint8_t opcode) {
        switch (opcode) {
            case kOpIf:
            case kOpNotIf:
                return enter_branch(opcode);
            case kOpElse:
                if (branches_.empty()) return failed(ScriptError::unbalanced_conditional);
                branches_.change_branch();
                return {};
            case kOpEndIf:
                if (branches_.empty()) return failed(ScriptError::unbalanced_conditional);
                branches_.leave();
                return {};
            default:
                return failed(ScriptError::bad_opcode);
        }
    }

    ScriptResult enter_branch(std::uint8_t opcode) {
        if (!branches_.is_executed()) {
            branches_.enter(false);
            return {};
        }
        if (stack_.empty()) return failed(ScriptError::invalid_stack_operation);
        const Bytes& condition = stack_.top();
        const bool is_minimal = condition.empty() || (condition.size() == 1 && condition[0] == 1);
        if (context_.version == ScriptVersion::tapscript && !is_minimal) {
            return failed(ScriptError::tapscript_minimal_if);
        }
        const bool is_v0 = context_.version == ScriptVersion::witness_v0;
        if (is_v0 && has(ScriptFlag::minimal_if) && !is_minimal) {
            return failed(ScriptError::minimal_if);
        }
        branches_.enter(is_true(stack_.pop()) == (opcode == kOpIf));
        return {};
    }

    /// An operation that is neither a push of bytes nor a branch.
    ScriptResult execute(std::uint8_t opcode) {
        if (stack_.size() < items_needed(opcode)) {
            return failed(ScriptError::invalid_stack_operation);
        }
        if (opcode == kOp1Negate || (opcode >= kOp1 && opcode <= kOp16)) {
            stack_.push(write_script_number(std::int64_t{opcode} - kOp1 + 1));
            return {};
        }
        if ((opcode >= kOp2Drop && opcode <= kOpTuck) || opcode == kOpSize) {
            return run_stack_operation(opcode, stack_, needs_minimal());
        }
        const bool is_number_operation = opcode >= kOp1Add && opcode <= kOpWithin;
        if (is_number_operation) return run_number_operation(opcode, stack_, needs_minimal());
        if (opcode >= kOpRipemd160 && opcode <= kOpHash256) {
            run_hash_operation(opcode, stack_);
            return {};
        }
        return execute_other(opcode);
    }

    ScriptResult execute_other(std::uint8_t opcode) {
        switch (opcode) {
            case kOpNop:
                return {};
            case kOpVerify:
                if (!is_true(stack_.top())) return failed(ScriptError::verify);
                stack_.drop(1);
                return {};
            case kOpReturn:
                return failed(ScriptError::op_return);
            case kOpToAltStack:
                alt_stack_.push(stack_.pop());
                return {};
            case kOpFromAltStack:
                if (alt_stack_.empty()) return failed(ScriptError::invalid_alt_stack_operation);
                stack_.push(alt_stack_.pop());
                return {};
            case kOpEqual:
            case kOpEqualVerify:
                return compare(opcode);
            case kOpCheckLockTimeVerify:
                return check_lock_time();
            case kOpCheckSequenceVerify:
                return check_sequence();
            default:
                break;
        }
        if (opcode >= kOpCheckSig && opcode <= kOpCheckMultisigVerify) {
            return run_signature_operation(opcode);
        }
        if (opcode == kOpCheckSigAdd) return add_signature();
        if (opcode >= kOpNop1 && opcode <= kOpNop10) {
            if (has(ScriptFlag::discourage_nops)) return failed(ScriptError::discourage_nops);
            return {};
        }
        return failed(ScriptError::bad_opcode);
    }

    ScriptResult compare(std::uint8_t opcode) {
        const bool is_equal = stack_.item(0) == stack_.item(1);
        stack_.drop(2);
        return finish(is_equal, opcode == kOpEqualVerify, ScriptError::equal_verify);
    }

    /// Pushes a result, or fails with `error` if the operation verifies the result.
    ScriptResult finish(bool result, bool verifies, ScriptError error) {
        if (verifies && !result) return failed(error);
        if (!verifies) stack_.push_bool(result);
        return {};
    }

    /// The lock time on the top of the stack, which stays there.
    Expected<std::int64_t, ScriptError> read_lock_time() const {
        if (stack_.empty()) return failed(ScriptError::invalid_stack_operation);
        const auto number = read_script_number(stack_.top(), needs_minimal(), kMaxLockTimeBytes);
        if (!number) return failed(ScriptError::script_number);
        if (*number < 0) return failed(ScriptError::negative_lock_time);
        return *number;
    }

    ScriptResult check_lock_time() const {
        if (!has(ScriptFlag::check_lock_time_verify)) return {};
        const auto lock_time = read_lock_time();
        if (!lock_time) return failed(lock_time.error());
        if (context_.checker.check_lock_time(*lock_time)) return {};
        return failed(ScriptError::unsatisfied_lock_time);
    }

    ScriptResult check_sequence() const {
        if (!has(ScriptFlag::check_sequence_verify)) return {};
        const auto sequence = read_lock_time();
        if (!sequence) return failed(sequence.error());
        const bool is_disabled = (*sequence & kSequenceDisabled) != 0;
        if (is_disabled || context_.checker.check_sequence(*sequence)) return {};
        return failed(ScriptError::unsatisfied_lock_time);
    }

    ScriptResult run_signature_operation(std::uint8_t opcode) {
        const bool is_multisig = opcode >= kOpCheckMultisig;
        const bool verifies = opcode == kOpCheckSigVerify || opcode == kOpCheckMultisigVerify;
        const auto valid =
            is_multisig ? check_multisig(context_, stack_, script_code_, operations_)
                        : check_signature(context_, stack_.item(1), stack_.item(0), script_code_);
        if (!valid) return failed(valid.error());
        if (!is_multisig) stack_.drop(2);
        return finish(
            *valid, verifies,
            is_multisig ? ScriptError::check_multisig_verify : ScriptError::check_sig_verify);
    }

    /// OP_CHECKSIGADD of BIP342.
    ScriptResult add_signature() {
        if (context_.version != ScriptVersion::tapscript) return failed(ScriptError::bad_opcode);
        if (stack_.size() < 3) return failed(ScriptError::invalid_stack_operation);
        const auto number = read_script_number(stack_.item(1), needs_minimal());
        if (!number) return failed(ScriptError::script_number);
        const auto valid = check_signature(context_, stack_.item(2), stack_.item(0), script_code_);
        if (!valid) return failed(valid.error());
        stack_.drop(3);
        stack_.push(write_script_number(*number + (*valid ? 1 : 0)));
        return {};
    }

    ScriptContext& context_;
    ScriptStack& stack_;
    ScriptStack alt_stack_;
    ByteView script_;
    ByteView script_code_;
    Branches branches_;
    std::size_t operations_ = 0;
};

}  // namespace

ScriptResult run_script(ScriptContext& context, ScriptStack& stack, ByteView script) {
    return Interpreter(context, stack, script).run();
}

}  // namespace petal::chain
