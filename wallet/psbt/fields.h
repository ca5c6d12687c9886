/// The values of the records in a PSBT's maps. Psbt::parse() has checked their format.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/transaction.h"
#include "wallet/keys/key_path.h"
#include "wallet/psbt/psbt_map.h"

namespace petal::wallet {

/// Whether an input has its final scriptSig or witness.
bool is_final(const PsbtMap& input);
/// Whether an input has a signature, or is final.
bool is_signed(const PsbtMap& input);

/// The required hash type of signatures; empty if there is none.
std::optional<std::uint32_t> hash_type_of(const PsbtMap& input);

chain::Witness final_witness(const PsbtMap& input);
chain::Bytes written_witness(const chain::Witness& witness);

/// The value of a record; empty if there is none.
chain::Bytes value_of(const PsbtMap& map, chain::Byte type);

/// A public key and its origin.
struct KeyDerivation {
    chain::Bytes public_key;  ///< 33 or 65 bytes; with taproot 32
    KeyOrigin origin;

    friend bool operator==(const KeyDerivation&, const KeyDerivation&) = default;
};

/// The values of kDerivation records.
std::vector<KeyDerivation> derivations(const PsbtMap& map, chain::Byte type);
/// The values of kTaprootDerivation records, without their leaves.
std::vector<KeyDerivation> taproot_derivations(const PsbtMap& map, chain::Byte type);

/// Reads a fingerprint and the path that follows it, up to the end.
KeyOrigin read_origin(chain::ByteReader& reader);
/// The value of a kDerivation record.
chain::Bytes written_origin(const KeyOrigin& origin);
/// The value of a kTaprootDerivation record of a key that spends by the key path.
chain::Bytes written_taproot_origin(const KeyOrigin& origin);

}  // namespace petal::wallet
