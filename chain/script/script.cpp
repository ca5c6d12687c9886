// Parsing, classifying and writing scripts.
#include "chain/script/script.h"

#include <cassert>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/enum_table.h"
#include "chain/script/script_number.h"

namespace petal::chain {

namespace {

// The key of `KEY OP_CHECKSIG`. Empty for any other script.
ByteView p2pk_key(ByteView script) {
    if (script.size() != 35 && script.size() != 67) return {};
    const ByteView key = script.subspan(1, script.size() - 2);
    const bool follows = script.front() == key.size() && script.back() == kOpCheckSig;
    return follows && is_public_key_sized(key) ? key : ByteView{};
}

bool is_p2pkh(ByteView script) {
    return script.size() == 25 && script[0] == kOpDup && script[1] == kOpHash160 &&
           script[2] == 20 && script[23] == kOpEqualVerify && script[24] == kOpCheckSig;
}

bool is_p2sh(ByteView script) {
    return script.size() == 23 && script[0] == kOpHash160 && script[1] == 20 &&
           script[22] == kOpEqual;
}

ScriptType classify_witness(std::uint8_t version_opcode, ByteView program) {
    if (version_opcode == kOp0) {
        if (program.size() == 20) return ScriptType::p2wpkh;
        if (program.size() == 32) return ScriptType::p2wsh;
        return ScriptType::other;
    }
    if (version_opcode == kOp1 && program.size() == 32) return ScriptType::p2tr;
    const bool is_anchor = program.size() == 2 && program[0] == 0x4e && program[1] == 0x73;
    return version_opcode == kOp1 && is_anchor ? ScriptType::anchor : ScriptType::witness_unknown;
}

// The number from 1 to 20 that an operation of a multisig script encodes. Empty for any other
// operation.
std::optional<unsigned> multisig_count(const ScriptWalker::Operation& operation) {
    if (operation.opcode >= kOp1 && operation.opcode <= kOp16) return operation.opcode - kOp1 + 1U;
    const bool above_16 = operation.opcode == 1 && operation.data[0] > 16;
    if (above_16 && operation.data[0] <= kMaxMultisigKeys) return operation.data[0];
    return std::nullopt;
}

bool is_null_data(ByteView script) {
    return !script.empty() && script.front() == kOpReturn && is_push_only(script.subspan(1));
}

// The size of the push of `opcode`. Reads the length after the opcode, if there is one.
std::size_t read_push_size(std::uint8_t opcode, ByteReader& reader) {
    switch (opcode) {
        case kOpPushData1:
            return reader.read_u8();
        case kOpPushData2:
            return reader.read_u16();
        case kOpPushData4:
            return reader.read_u32();
        default:
            return opcode < kOpPushData1 ? opcode : 0;
    }
}

}  // namespace

bool is_public_key_sized(ByteView key) {
    if (key.empty()) return false;
    switch (key.front()) {
        case 2:
        case 3:
            return key.size() == 33;
        case 4:
        case 6:
        case 7:
            return key.size() == 65;
        default:
            return false;
    }
}

std::optional<ScriptWalker::Operation> ScriptWalker::next() {
    if (rest_.empty() || malformed_) return std::nullopt;
    ByteReader reader{rest_};
    Operation operation;
    operation.opcode = reader.read_u8();
    operation.data = reader.read_view(read_push_size(operation.opcode, reader));
    malformed_ = !reader.ok();
    if (malformed_) return std::nullopt;
    rest_ = reader.rest();
    return operation;
}

std::string_view describe(ScriptType type) {
    using enum ScriptType;
    static constexpr auto kTexts = enum_table<ScriptType, std::string_view>({
        {p2pk, "p2pk"},
        {p2pkh, "p2pkh"},
        {p2sh, "p2sh"},
        {p2wpkh, "p2wpkh"},
        {p2wsh, "p2wsh"},
        {p2tr, "p2tr"},
        {witness_unknown, "witness_unknown"},
        {anchor, "anchor"},
        {bare_multisig, "bare_multisig"},
        {null_data, "null_data"},
        {other, "other"},
    });
    return kTexts[type];
}

ScriptType classify(ByteView script_pubkey) {
    if (is_p2sh(script_pubkey)) return ScriptType::p2sh;
    const ByteView program = witness_program(script_pubkey);
    if (!program.empty()) return classify_witness(script_pubkey[0], program);
    if (is_null_data(script_pubkey)) return ScriptType::null_data;
    if (!p2pk_key(script_pubkey).empty()) return ScriptType::p2pk;
    if (is_p2pkh(script_pubkey)) return ScriptType::p2pkh;
    if (parse_multisig(script_pubkey)) return ScriptType::bare_multisig;
    return ScriptType::other;
}

std::optional<MultisigTemplate> parse_multisig(ByteView script) {
    if (script.empty() || script.back() != kOpCheckMultisig) return std::nullopt;
    ScriptWalker walker{script};
    auto operation = walker.next();
    const auto required = operation ? multisig_count(*operation) : std::nullopt;
    if (!required) return std::nullopt;

    MultisigTemplate result{*required, {}};
    while ((operation = walker.next()) && is_public_key_sized(operation->data)) {
        result.keys.push_back(operation->data);
    }
    const auto claimed = operation ? multisig_count(*operation) : std::nullopt;
    if (!claimed || *claimed != result.keys.size() || *required > *claimed) return std::nullopt;

    operation = walker.next();
    const bool is_last = operation && operation->opcode == kOpCheckMultisig && !walker.next();
    if (!is_last || walker.malformed()) return std::nullopt;
    return result;
}

ByteView watch_element(ByteView script_pubkey) {
    switch (classify(script_pubkey)) {
        case ScriptType::p2pk:
            return p2pk_key(script_pubkey);
        case ScriptType::p2pkh:
            return script_pubkey.subspan(3, 20);
        case ScriptType::p2sh:
            return script_pubkey.subspan(2, 20);
        case ScriptType::p2wpkh:
        case ScriptType::p2wsh:
        case ScriptType::p2tr:
        case ScriptType::witness_unknown:
            return witness_program(script_pubkey);
        case ScriptType::anchor:
        case ScriptType::bare_multisig:
        case ScriptType::null_data:
        case ScriptType::other:
            return {};
    }
    assert(false);
    return {};
}

ByteView witness_program(ByteView script) {
    if (script.size() < 4 || script.size() > 42) return {};
    const bool has_version = script[0] == kOp0 || (script[0] >= kOp1 && script[0] <= kOp16);
    return has_version && script[1] == script.size() - 2 ? script.subspan(2) : ByteView{};
}

bool allows_witness(ByteView script_sig) {
    if (script_sig.empty()) return true;
    const ByteView pushed = script_sig.subspan(1);
    return script_sig[0] == pushed.size() && !witness_program(pushed).empty();
}

bool is_unspendable(ByteView script_pubkey) {
    return script_pubkey.size() > kMaxScriptBytes ||
           (!script_pubkey.empty() && script_pubkey[0] == kOpReturn);
}

bool is_push_only(ByteView script) {
    ScriptWalker walker{script};
    while (const auto operation = walker.next()) {
        if (operation->opcode > kOp16) return false;
    }
    return !walker.malformed();
}

Bytes p2pk_script(ByteView public_key) {
    assert(is_public_key_sized(public_key));
    return ByteWriter{}.var_bytes(public_key).u8(kOpCheckSig).take();
}

Bytes p2pkh_script(const Hash160& key_hash) {
    return ByteWriter{25}
        .u8(kOpDup)
        .u8(kOpHash160)
        .var_bytes(key_hash)
        .u8(kOpEqualVerify)
        .u8(kOpCheckSig)
        .take();
}

Bytes p2sh_script(const Hash160& script_hash) {
    return ByteWriter{23}.u8(kOpHash160).var_bytes(script_hash).u8(kOpEqual).take();
}

Bytes p2wpkh_script(const Hash160& key_hash) {
    return witness_program_script(0, key_hash);
}

Bytes witness_program_script(std::uint8_t version, ByteView program) {
    assert(version <= 16 && program.size() >= 2 && program.size() <= 40);
    const auto opcode = static_cast<std::uint8_t>(version == 0 ? kOp0 : kOp1 + version - 1);
    return ByteWriter{42}.u8(opcode).var_bytes(program).take();
}

Bytes push_data(ByteView data) {
    assert(data.size() <= 0xffff);
    ByteWriter writer{data.size() + 3};
    if (data.size() == 1 && data[0] >= 1 && data[0] <= 16) {
        return writer.u8(static_cast<std::uint8_t>(kOp1 + data[0] - 1)).take();
    }
    if (data.size() == 1 && data[0] == 0x81) return writer.u8(kOp1Negate).take();
    if (data.size() < kOpPushData1) {
        writer.u8(static_cast<std::uint8_t>(data.size()));
    } else if (data.size() <= 0xff) {
        writer.u8(kOpPushData1).u8(static_cast<std::uint8_t>(data.size()));
    } else {
        writer.u8(kOpPushData2).u16(static_cast<std::uint16_t>(data.size()));
    }
    return writer.bytes(data).take();
}

bool is_shortest_push(const ScriptWalker::Operation& operation) {
    assert(operation.opcode <= kOpPushData4);
    // No push above 65,535 bytes is longer than needed.
    if (operation.data.size() > 0xffff) return true;
    const std::size_t size = operation.data.size();
    if (size == 0) return operation.opcode == kOp0;
    const bool is_number = size == 1 && ((operation.data[0] >= 1 && operation.data[0] <= 16) ||
                                         operation.data[0] == 0x81);
    if (is_number) return false;
    if (size < kOpPushData1) return operation.opcode == size;
    return operation.opcode == (size <= 0xff ? kOpPushData1 : kOpPushData2);
}

Bytes push_number(std::int64_t number) {
    return push_data(write_script_number(number));
}

}  // namespace petal::chain
