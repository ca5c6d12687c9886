/// Signature hashes, each computed from the whole transaction as the BIPs describe it, for
/// comparison with SighashCache, which shares data between the inputs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/transaction.h"

namespace petal::fuzz {

/// The rules by which the signatures of an input hash the transaction.
enum class SighashScheme : std::uint8_t { legacy, bip143, bip341 };

/// The last byte of a signature. Before taproot, consensus reads every value of the byte as one of
/// these types.
struct HashType {
    std::uint8_t byte = 0;

    bool is_none() const { return (byte & 0x1fU) == 2; }
    bool is_single() const { return (byte & 0x1fU) == 3; }
    bool is_all() const { return !is_none() && !is_single(); }
    bool anyone_can_pay() const { return (byte & 0x80U) != 0; }
};

/// The changed copy of the transaction that nodes hash since the first version.
inline chain::Hash256 plain_legacy_hash(chain::Transaction copy, std::size_t input_index,
                                        const chain::Bytes& script_code, HashType type) {
    if (type.is_single() && input_index >= copy.outputs.size()) return {{1}};
    for (std::size_t i = 0; i < copy.inputs.size(); ++i) {
        chain::TxInput& input = copy.inputs[i];
        const bool is_own = i == input_index;
        input.script_sig = is_own ? script_code : chain::Bytes{};
        if (!is_own && !type.is_all()) input.sequence = 0;
    }
    if (type.is_none()) copy.outputs.clear();
    if (type.is_single()) {
        copy.outputs.resize(input_index + 1);
        std::fill_n(copy.outputs.begin(), input_index, chain::TxOutput{-1, {}});
    }
    if (type.anyone_can_pay()) copy.inputs = std::vector{chain::TxInput{copy.inputs[input_index]}};
    chain::ByteWriter writer;
    writer.bytes(copy.serialize_without_witness()).u32(type.byte);
    return chain::sha256d(writer.view());
}

/// The parts of a transaction that BIP143 and BIP341 hash by themselves.
class PlainParts {
public:
    explicit PlainParts(const chain::Transaction& transaction) : transaction_(transaction) {}

    chain::Bytes prevouts() const {
        chain::ByteWriter writer;
        for (const auto& input : transaction_.inputs) writer.bytes(input.prevout.serialize());
        return writer.take();
    }
    chain::Bytes sequences() const {
        chain::ByteWriter writer;
        for (const auto& input : transaction_.inputs) writer.u32(input.sequence);
        return writer.take();
    }
    chain::Bytes outputs() const {
        chain::ByteWriter writer;
        for (const auto& output : transaction_.outputs) write(writer, output);
        return writer.take();
    }
    /// The output at this index, which exists.
    chain::Bytes output(std::size_t index) const {
        chain::ByteWriter writer;
        write(writer, transaction_.outputs.at(index));
        return writer.take();
    }
    static void write(chain::ByteWriter& writer, const chain::TxOutput& output) {
        writer.i64(output.value).var_bytes(output.script_pubkey);
    }

private:
    const chain::Transaction& transaction_;
};

/// BIP143.
inline chain::Hash256 plain_segwit_hash(const chain::Transaction& transaction,
                                        std::size_t input_index, const chain::Bytes& script_code,
                                        chain::Satoshis amount, HashType type) {
    const PlainParts parts{transaction};
    const chain::TxInput& input = transaction.inputs.at(input_index);
    chain::Hash256 prevouts;
    chain::Hash256 sequences;
    chain::Hash256 outputs;
    if (!type.anyone_can_pay()) prevouts = chain::sha256d(parts.prevouts());
    if (!type.anyone_can_pay() && type.is_all()) sequences = chain::sha256d(parts.sequences());
    if (type.is_all()) outputs = chain::sha256d(parts.outputs());
    if (type.is_single() && input_index < transaction.outputs.size()) {
        outputs = chain::sha256d(parts.output(input_index));
    }
    chain::ByteWriter writer;
    writer.i32(transaction.version).bytes(prevouts.view()).bytes(sequences.view());
    writer.bytes(input.prevout.serialize()).var_bytes(script_code).i64(amount);
    writer.u32(input.sequence).bytes(outputs.view()).u32(transaction.lock_time).u32(type.byte);
    return chain::sha256d(writer.view());
}

/// Whether BIP341 allows this hash type at this input.
inline bool has_plain_taproot_hash(const chain::Transaction& transaction, std::size_t input_index,
                                   HashType type) {
    constexpr std::array<std::uint8_t, 7> kTypes{0x00, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83};
    if (std::ranges::find(kTypes, type.byte) == kTypes.end()) return false;
    return !type.is_single() || input_index < transaction.outputs.size();
}

/// BIP341, key path, if has_plain_taproot_hash().
/// spent   the outputs that the inputs spend
/// annex   the last item of the witness, with the tag, if the item is an annex
inline std::array<chain::Byte, 32> plain_taproot_hash(const chain::Transaction& transaction,
                                                      const std::vector<chain::TxOutput>& spent,
                                                      std::size_t input_index, HashType type,
                                                      const std::optional<chain::Bytes>& annex) {
    const PlainParts parts{transaction};
    const chain::TxInput& input = transaction.inputs.at(input_index);
    chain::ByteWriter message;
    message.u8(0).u8(type.byte).i32(transaction.version).u32(transaction.lock_time);
    if (!type.anyone_can_pay()) {
        chain::ByteWriter amounts;
        chain::ByteWriter scripts;
        for (const chain::TxOutput& output : spent) {
            amounts.i64(output.value);
            scripts.var_bytes(output.script_pubkey);
        }
        message.bytes(chain::sha256(parts.prevouts())).bytes(chain::sha256(amounts.view()));
        message.bytes(chain::sha256(scripts.view())).bytes(chain::sha256(parts.sequences()));
    }
    if (type.is_all()) message.bytes(chain::sha256(parts.outputs()));
    message.u8(annex ? 1 : 0);
    if (type.anyone_can_pay()) {
        message.bytes(input.prevout.serialize());
        PlainParts::write(message, spent.at(input_index));
        message.u32(input.sequence);
    } else {
        message.u32(static_cast<std::uint32_t>(input_index));
    }
    if (annex) {
        chain::ByteWriter sized;
        sized.var_bytes(*annex);
        message.bytes(chain::sha256(sized.view()));
    }
    if (type.is_single()) message.bytes(chain::sha256(parts.output(input_index)));
    return chain::tagged_hash("TapSighash", message.view());
}

}  // namespace petal::fuzz
