/// Reads the values of records in a PSBT's maps, whose format Psbt::parse() has checked.
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

/// Whether an input has a final scriptSig or witness.
bool is_final(const PsbtMap& input);
/// Whether an input has a signature, or is final.
bool is_signed(const PsbtMap& input);

/// The hash type that the input requires. Empty if there is none.
std::optional<std::uint32_t> hash_type_of(const PsbtMap& input);

chain::Witness final_witness(const PsbtMap& input);
chain::Bytes written_witness(const chain::Witness& witness);

/// The value of a record. Empty if there is no record.
chain::Bytes value_of(const PsbtMap& map, chain::Byte type);

/// A public key and its origin.
struct KeyDerivation {
    chain::Bytes public_key;  ///< 33 or 65 bytes, for taproot 32
    KeyOrigin origin;

    friend bool operator==(const KeyDerivation&, const KeyDerivation&) = default;
};

/// The values of kDerivation records.
std::vector<KeyDerivation> derivations(const PsbtMap& map, chain::Byte type);
/// The values of kTaprootDerivation records, without the leaf hashes.
std::vector<KeyDerivation> taproot_derivations(const PsbtMap& map, chain::Byte type);

/// Reads a fingerprint, and a path up to the end.
KeyOrigin read_origin(chain::ByteReader& reader);
/// The value of a kDerivation record.
chain::Bytes written_origin(const KeyOrigin& origin);
/// The value of a kTaprootDerivation record for a key path spend.
chain::Bytes written_taproot_origin(const KeyOrigin& origin);

}  // namespace petal::wallet
