#include "tests/integration/random_scripts.h"

#include <array>
#include <utility>

#include "chain/byte_writer.h"
#include "chain/hash.h"
#include "chain/script/opcode.h"
#include "chain/script/script.h"
#include "chain/script/signature_hash.h"
#include "chain/script/taproot.h"
#include "tests/support/script_path.h"
#include "tests/support/signing.h"

namespace petal::test {
namespace {

using chain::Bytes;
using chain::ByteView;
using chain::ScriptVersion;

constexpr chain::Satoshis kScriptValue = 20'000;
constexpr chain::Satoshis kScriptFee = 5'000;

/// The items that an operation needs and leaves.
struct OperationRow {
    std::uint8_t opcode;
    unsigned needs;
    unsigned leaves;
};
constexpr std::array kOperations = {
    OperationRow{chain::kOpNop, 0, 0},
    OperationRow{chain::kOp2Drop, 2, 0},
    OperationRow{chain::kOp2Dup, 2, 4},
    OperationRow{chain::kOp3Dup, 3, 6},
    OperationRow{chain::kOp2Over, 4, 6},
    OperationRow{chain::kOp2Rot, 6, 6},
    OperationRow{chain::kOp2Swap, 4, 4},
    OperationRow{chain::kOpIfDup, 1, 2},
    OperationRow{chain::kOpDepth, 0, 1},
    OperationRow{chain::kOpDrop, 1, 0},
    OperationRow{chain::kOpDup, 1, 2},
    OperationRow{chain::kOpNip, 2, 1},
    OperationRow{chain::kOpOver, 2, 3},
    OperationRow{chain::kOpRot, 3, 3},
    OperationRow{chain::kOpSwap, 2, 2},
    OperationRow{chain::kOpTuck, 2, 3},
    OperationRow{chain::kOpSize, 1, 2},
    OperationRow{chain::kOpEqual, 2, 1},
    OperationRow{chain::kOp1Add, 1, 1},
    OperationRow{chain::kOp1Sub, 1, 1},
    OperationRow{chain::kOpNegate, 1, 1},
    OperationRow{chain::kOpAbs, 1, 1},
    OperationRow{chain::kOpNot, 1, 1},
    OperationRow{chain::kOp0NotEqual, 1, 1},
    OperationRow{chain::kOpAdd, 2, 1},
    OperationRow{chain::kOpSub, 2, 1},
    OperationRow{chain::kOpBoolAnd, 2, 1},
    OperationRow{chain::kOpBoolOr, 2, 1},
    OperationRow{chain::kOpNumEqual, 2, 1},
    OperationRow{chain::kOpNumNotEqual, 2, 1},
    OperationRow{chain::kOpLessThan, 2, 1},
    OperationRow{chain::kOpGreaterThan, 2, 1},
    OperationRow{chain::kOpLessThanOrEqual, 2, 1},
    OperationRow{chain::kOpGreaterThanOrEqual, 2, 1},
    OperationRow{chain::kOpMin, 2, 1},
    OperationRow{chain::kOpMax, 2, 1},
    OperationRow{chain::kOpWithin, 3, 1},
    OperationRow{chain::kOpRipemd160, 1, 1},
    OperationRow{chain::kOpSha1, 1, 1},
    OperationRow{chain::kOpSha256, 1, 1},
    OperationRow{chain::kOpHash160, 1, 1},
    OperationRow{chain::kOpHash256, 1, 1},
};

Bytes raw_push(const Bytes& bytes) {
    Bytes push = {static_cast<chain::Byte>(bytes.size())};
    push.insert(push.end(), bytes.begin(), bytes.end());
    return push;
}

}  // namespace

RandomScript::RandomScript(std::uint32_t seed) : random_(seed) {
    place_ = static_cast<Place>(pick(5));
    for (unsigned count = pick(4); count > 0; --count) items_.push_back(random_item());
    depth_ = items_.size();
    if (once_in(8)) {
        write(chain::kOpCodeSeparator);
        code_start_ = 1;
    }
    for (unsigned count = pick(3); count > 0; --count) write_check();
    write_body(0);
    write_end();
    switch (place_) {
        case Place::bare:
            output_ = {kScriptValue, script_};
            break;
        case Place::p2sh:
            output_ = {kScriptValue, output_script_of(ScriptPlace::p2sh, script_)};
            break;
        case Place::p2wsh:
            output_ = {kScriptValue, output_script_of(ScriptPlace::p2wsh, script_)};
            break;
        case Place::p2sh_p2wsh:
            output_ = {kScriptValue, output_script_of(ScriptPlace::p2sh_p2wsh, script_)};
            break;
        case Place::tapscript: {
            const auto leaf_version = static_cast<std::uint8_t>(once_in(20) ? 0xc2 : 0xc0);
            const ScriptPath path(script_, leaf_version);
            output_ = {kScriptValue, path.script_pubkey};
            control_block_ = path.control_block;
            break;
        }
    }
}

ScriptVersion RandomScript::version() const {
    if (place_ == Place::tapscript) return ScriptVersion::tapscript;
    const bool is_legacy = place_ == Place::bare || place_ == Place::p2sh;
    return is_legacy ? ScriptVersion::legacy : ScriptVersion::witness_v0;
}

void RandomScript::write(const Bytes& bytes) {
    script_.insert(script_.end(), bytes.begin(), bytes.end());
}

Bytes RandomScript::random_item() {
    if (once_in(3)) return {};
    if (once_in(2)) return {static_cast<chain::Byte>(1 + pick(3))};
    Bytes item(once_in(12) ? 60 + pick(40) : 1 + pick(5));
    for (auto& byte : item) byte = static_cast<chain::Byte>(pick(256));
    return item;
}

Bytes RandomScript::key_of(std::uint32_t private_key) {
    const Bytes secret = test::private_key(private_key);
    if (version() == ScriptVersion::tapscript) {
        if (once_in(12)) return Bytes(pick(3), 7);  // of an undefined type, or empty
        const Bytes script = script_of(chain::ScriptType::p2tr, secret);
        const ByteView key = chain::watch_element(script);
        return {key.begin(), key.end()};
    }
    const unsigned form = pick(16);
    Bytes key = public_key_of(secret, /*compressed=*/form > 1);
    if (form == 1) key[0] = static_cast<chain::Byte>(6 + (key.back() & 1));  // hybrid
    if (form == 2) key[0] = 5;
    return key;
}

/// The last signature is on the top of the stack, so it is checked first.
void RandomScript::write_check() {
    const Check check{1 + pick(5), version() != ScriptVersion::tapscript && once_in(3)};
    checks_.push_back(check);
    if (check.is_multisig) {
        write(chain::kOp1);
        const unsigned before = pick(2);
        if (before > 0) write(raw_push(key_of(9)));
        write(raw_push(key_of(check.private_key)));
        write(static_cast<std::uint8_t>(chain::kOp1 + before));
        write(once_in(3) ? chain::kOpCheckMultisig : chain::kOpCheckMultisigVerify);
    } else if (version() == ScriptVersion::tapscript && once_in(2)) {
        write(static_cast<std::uint8_t>(chain::kOp1 + pick(3)));
        write(raw_push(key_of(check.private_key)));
        write(chain::kOpCheckSigAdd);
        write(chain::kOpDrop);
    } else {
        write(raw_push(key_of(check.private_key)));
        write(once_in(3) ? chain::kOpCheckSig : chain::kOpCheckSigVerify);
    }
    const bool leaves_result =
        script_.back() == chain::kOpCheckSig || script_.back() == chain::kOpCheckMultisig;
    if (leaves_result) {
        // A further signature would be below the result.
        write(once_in(4) ? chain::kOpNot : chain::kOpNop);
        write(once_in(4) ? chain::kOpDrop : chain::kOpVerify);
    }
}

void RandomScript::write_push() {
    const Bytes item = random_item();
    if (once_in(40)) {
        write(chain::kOpPushData1);
        write(raw_push(item));
    } else {
        write(once_in(40) ? raw_push(item) : chain::push_data(item));
    }
    ++depth_;
}

void RandomScript::write_operation() {
    // No push beyond the end: Bitcoin Core hashes only a part of such a script, which fails anyway.
    if (once_in(60)) {
        return write(static_cast<std::uint8_t>(chain::kOp1Negate + pick(256 - chain::kOp1Negate)));
    }
    const OperationRow& row = kOperations.at(pick(kOperations.size()));
    if (row.needs > depth_ && !once_in(60)) return write_push();
    write(row.opcode);
    depth_ = depth_ < row.needs ? 0 : depth_ - row.needs + row.leaves;
}

/// OP_CHECKLOCKTIMEVERIFY or OP_CHECKSEQUENCEVERIFY, of a time around those of spend().
void RandomScript::write_lock_time() {
    static constexpr std::array<std::int64_t, 10> kTimes = {
        0, 1, 2, 100, 101, 1 << 22, (1 << 22) + 1, 500'000'000, std::int64_t{1} << 31, -1};
    write(chain::push_number(kTimes.at(pick(kTimes.size()))));
    write(once_in(2) ? chain::kOpCheckLockTimeVerify : chain::kOpCheckSequenceVerify);
    write(chain::kOpDrop);
}

void RandomScript::write_branch(int depth) {
    write(once_in(4) ? chain::push_data(random_item())
                     : Bytes{once_in(2) ? chain::kOp1 : chain::kOp0});
    write(once_in(2) ? chain::kOpIf : chain::kOpNotIf);
    write_body(depth + 1);
    if (once_in(2)) {
        write(chain::kOpElse);
        write_body(depth + 1);
    }
    if (!once_in(40)) write(chain::kOpEndIf);
}

void RandomScript::write_body(int depth) {
    for (unsigned count = pick(depth == 0 ? 12 : 4); count > 0; --count) {
        const unsigned kind = pick(12);
        if (kind == 0 && depth < 3) {
            write_branch(depth);
        } else if (kind == 1) {
            write_lock_time();
        } else if (kind == 2) {
            write(chain::kOpToAltStack);
            write(chain::kOpFromAltStack);
            if (depth_ == 0) write_push();
        } else if (kind < 6) {
            write_push();
        } else {
            write_operation();
        }
    }
}

/// Leaves one item, if the depth is right.
void RandomScript::write_end() {
    if (once_in(10)) return;
    for (; depth_ > 0; --depth_) write(chain::kOpDrop);
    write(once_in(12) ? chain::kOp0 : chain::kOp1);
}

Bytes RandomScript::sign_before_taproot(const chain::Transaction& transaction,
                                        std::uint32_t private_key) {
    static constexpr std::array<std::uint32_t, 8> kTypes = {1, 1, 1, 1, 2, 3, 0x81, 0x83};
    const std::uint32_t type = once_in(16) ? pick(256) : kTypes.at(pick(kTypes.size()));
    const chain::SighashCache cache{transaction};
    const ByteView code = ByteView{script_}.subspan(code_start_);
    const auto hash = version() == ScriptVersion::legacy
                          ? cache.legacy_hash(0, code, type)
                          : cache.segwit_hash(0, code, output_.value, type);
    Bytes signature = sign_hash(hash, test::private_key(private_key));
    signature.push_back(static_cast<chain::Byte>(type));
    return once_in(16) ? with_high_s(signature) : signature;
}

Bytes RandomScript::sign_tapscript(const chain::Transaction& transaction,
                                   std::uint32_t private_key) {
    static constexpr std::array<std::uint32_t, 6> kTypes = {0, 0, 1, 2, 3, 0x81};
    const std::uint32_t type = kTypes.at(pick(kTypes.size()));
    chain::TaprootSpend spend;
    spend.leaf_hash = chain::tapleaf_hash(chain::kTapscriptVersion, script_);
    if (code_start_ > 0) spend.code_separator = 0;
    const chain::SighashCache cache{transaction, {&output_, 1}};
    Bytes signature = sign_taproot_hash(*cache.taproot_hash(0, output_, type, spend),
                                        test::private_key(private_key));
    if (type != 0 || once_in(30)) signature.push_back(static_cast<chain::Byte>(type));
    return signature;
}

Bytes RandomScript::sign(const chain::Transaction& transaction, std::uint32_t private_key) {
    if (once_in(16)) return {};
    const std::uint32_t signer = once_in(16) ? 6 : private_key;
    Bytes signature = version() == ScriptVersion::tapscript
                          ? sign_tapscript(transaction, signer)
                          : sign_before_taproot(transaction, signer);
    if (once_in(20)) signature[pick(static_cast<unsigned>(signature.size()))] ^= 1;
    if (once_in(40)) signature.pop_back();
    return signature;
}

void RandomScript::put_items(chain::TxInput& input, std::vector<Bytes> items) {
    if (place_ == Place::tapscript) {
        items.push_back(script_);
        items.push_back(control_block_);
        for (const Bytes& item : items) input.witness.push_back(item);
        if (once_in(12)) input.witness.push_back(Bytes{0x50, 1});  // an annex
        return;
    }
    put_script_items(input, static_cast<ScriptPlace>(place_), script_, items);
    if (once_in(30)) input.script_sig.insert(input.script_sig.begin(), chain::kOp1);
    if (once_in(30)) input.script_sig.push_back(chain::kOpNop);
}

chain::Transaction RandomScript::spend(const chain::Outpoint& outpoint) {
    // Both nodes count these relative locks as over.
    static constexpr std::array<std::uint32_t, 6> kSequences = {0xffffffff, 0xfffffffe, 0,
                                                                1,          1U << 22U,  1U << 31U};
    static constexpr std::array<std::uint32_t, 3> kLockTimes = {0, 1, 100};
    chain::Transaction transaction;
    transaction.version = 1 + static_cast<std::int32_t>(pick(2));
    transaction.lock_time = kLockTimes.at(pick(kLockTimes.size()));
    transaction.inputs = {{outpoint, {}, kSequences.at(pick(kSequences.size())), {}}};
    transaction.outputs = {{kScriptValue - kScriptFee, p2wpkh_script_of(test::private_key())}};
    std::vector<Bytes> items = items_;
    for (std::size_t i = checks_.size(); i > 0; --i) {
        const Check& check = checks_[i - 1];
        if (check.is_multisig) items.push_back(once_in(20) ? Bytes{1} : Bytes{});
        items.push_back(sign(transaction, check.private_key));
    }
    put_items(transaction.inputs[0], std::move(items));
    return transaction;
}

}  // namespace petal::test
