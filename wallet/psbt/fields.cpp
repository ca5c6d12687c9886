#include "wallet/psbt/fields.h"

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {

KeyOrigin read_origin(chain::ByteReader& reader) {
    KeyOrigin origin;
    origin.fingerprint = reader.read_array<4>();
    while (reader.remaining() > 0 && reader.ok()) origin.path.push_back(reader.read_u32());
    return origin;
}

bool is_final(const PsbtMap& input) {
    return input.has(psbt_input::kFinalScriptSig) || input.has(psbt_input::kFinalWitness);
}

bool is_signed(const PsbtMap& input) {
    return is_final(input) || input.has(psbt_input::kPartialSignature) ||
           input.has(psbt_input::kTaprootKeySignature) ||
           input.has(psbt_input::kTaprootScriptSignature);
}

std::optional<std::uint32_t> hash_type_of(const PsbtMap& input) {
    const chain::Bytes* value = input.find(psbt_input::kHashType);
    if (value == nullptr) return std::nullopt;
    return chain::ByteReader(*value).read_u32();
}

chain::Witness final_witness(const PsbtMap& input) {
    const chain::Bytes* value = input.find(psbt_input::kFinalWitness);
    if (value == nullptr) return {};
    chain::ByteReader reader(*value);
    return chain::read_witness(reader);
}

chain::Bytes written_witness(const chain::Witness& witness) {
    return chain::ByteWriter{}
        .compact_size(witness.size())
        .bytes(witness.serialized_items())
        .take();
}

chain::Bytes value_of(const PsbtMap& map, chain::Byte type) {
    const chain::Bytes* value = map.find(type);
    return value == nullptr ? chain::Bytes{} : *value;
}

std::vector<KeyDerivation> derivations(const PsbtMap& map, chain::Byte type) {
    std::vector<KeyDerivation> result;
    for (const PsbtRecord* record : map.all(type)) {
        chain::ByteReader reader(record->value);
        const chain::ByteView key = record->key_data();
        result.push_back({{key.begin(), key.end()}, read_origin(reader)});
    }
    return result;
}

std::vector<KeyDerivation> taproot_derivations(const PsbtMap& map, chain::Byte type) {
    std::vector<KeyDerivation> result;
    for (const PsbtRecord* record : map.all(type)) {
        chain::ByteReader reader(record->value);
        reader.read_view(32 * reader.read_count(chain::kMaxCompactSize, 32));
        const chain::ByteView key = record->key_data();
        result.push_back({{key.begin(), key.end()}, read_origin(reader)});
    }
    return result;
}

chain::Bytes written_origin(const KeyOrigin& origin) {
    chain::ByteWriter writer;
    writer.bytes(origin.fingerprint);
    for (const std::uint32_t step : origin.path) writer.u32(step);
    return writer.take();
}

chain::Bytes written_taproot_origin(const KeyOrigin& origin) {
    return chain::ByteWriter{}.compact_size(0).bytes(written_origin(origin)).take();
}

}  // namespace petal::wallet
