#include "net/sync/filters/matched_output.h"

#include <cassert>
#include <cstddef>

#include "chain/enum_table.h"
#include "chain/script/script.h"

namespace petal::net {

namespace {

// The byte of each template in a checkpoint. 0: an output of this template is not remembered.
struct Stored {
    std::uint8_t byte = 0;
};
constexpr auto kStored = chain::enum_table<chain::ScriptType, Stored>({
    {chain::ScriptType::p2pk, {7}},
    {chain::ScriptType::p2pkh, {2}},
    {chain::ScriptType::p2sh, {3}},
    {chain::ScriptType::p2wpkh, {1}},
    {chain::ScriptType::p2wsh, {5}},
    {chain::ScriptType::p2tr, {4}},
    {chain::ScriptType::witness_unknown, {0}},
    {chain::ScriptType::anchor, {0}},
    {chain::ScriptType::bare_multisig, {6}},
    {chain::ScriptType::null_data, {0}},
    {chain::ScriptType::other, {0}},
});

// Multisig of more keys is not standard (Bitcoin Core: IsStandard), and takes long to verify.
constexpr std::size_t kMaxBareKeys = 3;
constexpr std::size_t kMaxBareScriptBytes = 3 + kMaxBareKeys * 66;

bool is_small_multisig(chain::ByteView script) {
    const auto multisig = chain::parse_multisig(script);
    return multisig && multisig->keys.size() <= kMaxBareKeys;
}

chain::Bytes read_bare_multisig(chain::ByteReader& reader) {
    const std::uint8_t size = reader.read_u8();
    if (size > kMaxBareScriptBytes) reader.fail(chain::DecodeError::invalid_value);
    chain::Bytes script = reader.read_bytes(size);
    if (!is_small_multisig(script)) reader.fail(chain::DecodeError::invalid_value);
    return script;
}

chain::Bytes read_p2pk(chain::ByteReader& reader) {
    const chain::Bytes key = reader.read_bytes(reader.read_u8());
    if (!chain::is_public_key_sized(key)) reader.fail(chain::DecodeError::invalid_value);
    return reader.ok() ? chain::p2pk_script(key) : chain::Bytes{};
}

chain::Bytes script_with(chain::ScriptType type, chain::ByteReader& reader) {
    using enum chain::ScriptType;
    switch (type) {
        case bare_multisig:
            return read_bare_multisig(reader);
        case p2pk:
            return read_p2pk(reader);
        case p2tr:
            return chain::witness_program_script(1, reader.read_array<32>());
        case p2wsh:
            return chain::witness_program_script(0, reader.read_array<32>());
        case p2pkh:
            return chain::p2pkh_script(reader.read_array<20>());
        case p2sh:
            return chain::p2sh_script(reader.read_array<20>());
        case p2wpkh:
            return chain::p2wpkh_script(reader.read_array<20>());
        case witness_unknown:
        case anchor:
        case null_data:
        case other:
            break;
    }
    reader.fail(chain::DecodeError::invalid_value);
    return {};
}

}  // namespace

std::optional<chain::TxOutput> remembered_output(const chain::TxOutput& output) {
    const chain::ScriptType type = chain::classify(output.script_pubkey);
    if (kStored[type].byte == 0) return std::nullopt;
    // Only a peer's proof is known of the transaction, which an invalid block may contain.
    if (output.value < 0 || output.value > chain::kMaxMoney) return std::nullopt;
    if (type == chain::ScriptType::bare_multisig && !is_small_multisig(output.script_pubkey)) {
        return std::nullopt;
    }
    return output;
}

void write_output(chain::ByteWriter& writer, const std::optional<chain::TxOutput>& output) {
    if (!output) {
        writer.u8(0);
        return;
    }
    const chain::ScriptType type = chain::classify(output->script_pubkey);
    assert(kStored[type].byte != 0);
    writer.u8(kStored[type].byte);
    writer.u64(static_cast<std::uint64_t>(output->value));
    const bool is_multisig = type == chain::ScriptType::bare_multisig;
    const chain::ByteView data = is_multisig ? chain::ByteView(output->script_pubkey)
                                             : chain::watch_element(output->script_pubkey);
    if (is_multisig || type == chain::ScriptType::p2pk) {
        writer.u8(static_cast<std::uint8_t>(data.size()));
    }
    writer.bytes(data);
}

std::optional<chain::TxOutput> read_output(chain::ByteReader& reader) {
    const std::uint8_t byte = reader.read_u8();
    if (byte == 0 || !reader.ok()) return std::nullopt;
    const auto type = kStored.find(&Stored::byte, byte);
    if (!type) {
        reader.fail(chain::DecodeError::invalid_value);
        return std::nullopt;
    }
    const std::uint64_t value = reader.read_u64();
    if (value > static_cast<std::uint64_t>(chain::kMaxMoney)) {
        reader.fail(chain::DecodeError::invalid_value);
    }
    return chain::TxOutput{static_cast<chain::Satoshis>(value), script_with(*type, reader)};
}

}  // namespace petal::net
