// Signature hashes (Bitcoin Core: script/interpreter.cpp, SignatureHash).
#include "chain/script/signature_hash.h"

#include <cassert>
#include <span>

#include "chain/byte_writer.h"
#include "chain/script/script.h"

namespace petal::chain {

namespace {

bool is_none(std::uint32_t hash_type) {
    return (hash_type & kSighashOutputMask) == kSighashNone;
}

bool is_single(std::uint32_t hash_type) {
    return (hash_type & kSighashOutputMask) == kSighashSingle;
}

void write_output(ByteWriter& writer, const TxOutput& output) {
    writer.i64(output.value).var_bytes(output.script_pubkey);
}

std::array<Byte, 32> hash_outputs(std::span<const TxOutput> outputs) {
    ByteWriter writer;
    for (const TxOutput& output : outputs) write_output(writer, output);
    return sha256(writer.view());
}

Hash256 hash_again(const std::array<Byte, 32>& hash) {
    return {sha256(hash)};
}

// The script without OP_CODESEPARATORs. Bytes from a push that exceeds the end are kept: the script
// fails with any signature.
Bytes without_code_separators(ByteView script) {
    Bytes result;
    result.reserve(script.size());
    ByteView rest = script;
    ScriptWalker walker{script};
    while (const auto operation = walker.next()) {
        const ByteView bytes = rest.first(rest.size() - walker.rest().size());
        rest = walker.rest();
        if (operation->opcode == kOpCodeSeparator) continue;
        result.insert(result.end(), bytes.begin(), bytes.end());
    }
    result.insert(result.end(), rest.begin(), rest.end());
    return result;
}

/// Without scriptSigs and witnesses.
Bytes serialize_without_scripts(const Transaction& transaction) {
    ByteWriter writer;
    writer.i32(transaction.version).compact_size(transaction.inputs.size());
    for (const TxInput& input : transaction.inputs) {
        writer.bytes(input.prevout.serialize()).var_bytes({}).u32(input.sequence);
    }
    writer.compact_size(transaction.outputs.size());
    for (const TxOutput& output : transaction.outputs) write_output(writer, output);
    writer.u32(transaction.lock_time);
    return writer.take();
}

/// For hash types other than SIGHASH_ALL, which may exclude other inputs or their sequence numbers.
void write_legacy_inputs(ByteWriter& writer, const Transaction& transaction,
                         std::size_t input_index, ByteView script_code, std::uint32_t hash_type) {
    const auto write_own = [&] {
        const TxInput& input = transaction.inputs[input_index];
        writer.bytes(input.prevout.serialize())
            .var_bytes(without_code_separators(script_code))
            .u32(input.sequence);
    };
    if (!covers_other_inputs(hash_type)) {
        writer.compact_size(1);
        write_own();
        return;
    }
    writer.compact_size(transaction.inputs.size());
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        if (i == input_index) {
            write_own();
            continue;
        }
        writer.bytes(transaction.inputs[i].prevout.serialize()).var_bytes({}).u32(0);
    }
}

void write_legacy_outputs(ByteWriter& writer, const Transaction& transaction,
                          std::size_t input_index, std::uint32_t hash_type) {
    if (is_none(hash_type)) {
        writer.compact_size(0);
        return;
    }
    const bool single = is_single(hash_type);
    const std::size_t count = single ? input_index + 1 : transaction.outputs.size();
    const TxOutput blank{-1, {}};
    writer.compact_size(count);
    for (std::size_t i = 0; i < count; ++i) {
        write_output(writer, single && i != input_index ? blank : transaction.outputs[i]);
    }
}

}  // namespace

bool is_defined_hash_type(std::uint32_t hash_type) {
    const std::uint32_t outputs = hash_type & ~kSighashAnyoneCanPay;
    return outputs >= kSighashAll && outputs <= kSighashSingle;
}

std::array<Byte, 32> hash_annex(ByteView annex) {
    return sha256(ByteWriter().var_bytes(annex).view());
}

bool covers_other_inputs(std::uint32_t hash_type) {
    return (hash_type & kSighashAnyoneCanPay) == 0;
}

SighashCache::SighashCache(const Transaction& transaction, std::span<const TxOutput> spent_outputs)
    : transaction_(transaction), knows_spent_outputs_(!spent_outputs.empty()) {
    ByteWriter prevouts{transaction.inputs.size() * 36};
    ByteWriter sequences{transaction.inputs.size() * 4};
    for (const TxInput& input : transaction.inputs) {
        prevouts.bytes(input.prevout.serialize());
        sequences.u32(input.sequence);
    }
    prevouts_ = sha256(prevouts.view());
    sequences_ = sha256(sequences.view());
    outputs_ = hash_outputs(transaction.outputs);
    if (!knows_spent_outputs_) return;
    assert(spent_outputs.size() == transaction.inputs.size());
    ByteWriter amounts{spent_outputs.size() * 8};
    ByteWriter scripts;
    for (const TxOutput& output : spent_outputs) {
        amounts.i64(output.value);
        scripts.var_bytes(output.script_pubkey);
    }
    amounts_ = sha256(amounts.view());
    scripts_ = sha256(scripts.view());
}

Hash256 SighashCache::legacy_hash(std::size_t input_index, ByteView script_code,
                                  std::uint32_t hash_type) const {
    assert(input_index < transaction_.inputs.size());
    if (is_single(hash_type) && input_index >= transaction_.outputs.size()) return Hash256{{1}};
    const bool covers_all =
        covers_other_inputs(hash_type) && !is_none(hash_type) && !is_single(hash_type);
    if (covers_all) return legacy_hash_of_all(input_index, script_code, hash_type);
    ByteWriter writer;
    writer.i32(transaction_.version);
    write_legacy_inputs(writer, transaction_, input_index, script_code, hash_type);
    write_legacy_outputs(writer, transaction_, input_index, hash_type);
    writer.u32(transaction_.lock_time).u32(hash_type);
    return sha256d(writer.view());
}

Hash256 SighashCache::legacy_hash_of_all(std::size_t input_index, ByteView script_code,
                                         std::uint32_t hash_type) const {
    constexpr std::size_t kOutpointBytes = 36;
    constexpr std::size_t kBareInputBytes = kOutpointBytes + 1 + 4;
    if (without_scripts_.empty()) without_scripts_ = serialize_without_scripts(transaction_);
    // This input's empty script is one byte: the length.
    const std::size_t place = 4 + compact_size_bytes(transaction_.inputs.size()) +
                              input_index * kBareInputBytes + kOutpointBytes;
    const ByteView whole = without_scripts_;
    ByteWriter script;
    script.var_bytes(without_code_separators(script_code));
    ByteWriter type;
    type.u32(hash_type);
    if (prefix_.size() > place) prefix_ = {};
    prefix_.append(whole.subspan(prefix_.size(), place - prefix_.size()));
    return hash_again(prefix_.sha256({script.view(), whole.subspan(place + 1), type.view()}));
}

const std::array<Byte, 32>& SighashCache::single_output_hash(std::size_t index) const {
    if (single_index_ != index) {
        single_hash_ = hash_outputs({&transaction_.outputs[index], 1});
        single_index_ = index;
    }
    return single_hash_;
}

Hash256 SighashCache::outputs_hash(std::size_t input_index, std::uint32_t hash_type) const {
    if (is_none(hash_type)) return {};
    if (!is_single(hash_type)) return hash_again(outputs_);
    if (input_index >= transaction_.outputs.size()) return {};
    return hash_again(single_output_hash(input_index));
}

Hash256 SighashCache::segwit_hash(std::size_t input_index, ByteView script_code, Satoshis amount,
                                  std::uint32_t hash_type) const {
    assert(input_index < transaction_.inputs.size());
    const bool covers_others = covers_other_inputs(hash_type);
    const bool covers_sequences = covers_others && !is_none(hash_type) && !is_single(hash_type);
    const TxInput& input = transaction_.inputs[input_index];
    ByteWriter writer;
    writer.i32(transaction_.version)
        .bytes((covers_others ? hash_again(prevouts_) : Hash256{}).view())
        .bytes((covers_sequences ? hash_again(sequences_) : Hash256{}).view())
        .bytes(input.prevout.serialize())
        .var_bytes(script_code)
        .i64(amount)
        .u32(input.sequence)
        .bytes(outputs_hash(input_index, hash_type).view())
        .u32(transaction_.lock_time)
        .u32(hash_type);
    return sha256d(writer.view());
}

bool SighashCache::has_taproot_hash(std::size_t input_index, std::uint32_t hash_type) const {
    constexpr std::uint32_t kDefault = 0;
    if (hash_type != kDefault && !is_defined_hash_type(hash_type)) return false;
    return !is_single(hash_type) || input_index < transaction_.outputs.size();
}

std::optional<std::array<Byte, 32>> SighashCache::taproot_hash(std::size_t input_index,
                                                               const TxOutput& spent,
                                                               std::uint32_t hash_type,
                                                               const TaprootSpend& spend) const {
    assert(input_index < transaction_.inputs.size());
    constexpr std::uint8_t kEpoch = 0;
    constexpr std::uint8_t kKeyVersion = 0;  // of keys of 32 bytes
    constexpr unsigned kHasAnnex = 1;
    constexpr unsigned kScriptPath = 2;
    if (!has_taproot_hash(input_index, hash_type)) return std::nullopt;

    const TxInput& input = transaction_.inputs[input_index];
    ByteWriter message;
    message.u8(kEpoch).u8(static_cast<std::uint8_t>(hash_type));
    message.i32(transaction_.version).u32(transaction_.lock_time);
    if (covers_other_inputs(hash_type)) {
        assert(knows_spent_outputs_);
        message.bytes(prevouts_).bytes(amounts_).bytes(scripts_).bytes(sequences_);
    }
    if (!is_none(hash_type) && !is_single(hash_type)) message.bytes(outputs_);
    message.u8(static_cast<std::uint8_t>((spend.leaf_hash ? kScriptPath : 0) |
                                         (spend.annex_hash ? kHasAnnex : 0)));
    if (covers_other_inputs(hash_type)) {
        message.u32(static_cast<std::uint32_t>(input_index));
    } else {
        message.bytes(input.prevout.serialize());
        write_output(message, spent);
        message.u32(input.sequence);
    }
    if (spend.annex_hash) message.bytes(*spend.annex_hash);
    if (is_single(hash_type)) message.bytes(single_output_hash(input_index));
    if (spend.leaf_hash) {
        message.bytes(*spend.leaf_hash).u8(kKeyVersion).u32(spend.code_separator);
    }
    return tagged_hash("TapSighash", message.view());
}

}  // namespace petal::chain
