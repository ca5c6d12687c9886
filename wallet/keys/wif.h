/// Wallet import format: a private key as text (Bitcoin Core: key_io).
#pragma once

#include <cstdint>
#include <string_view>

#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// A private key, and the form of the public key in outputs.
struct WifKey {
    PrivateKey key;
    bool compressed = true;
};

enum class WifError : std::uint8_t {
    not_base58,
    wrong_checksum,
    wrong_length,
    wrong_network,      ///< a private key of another network
    not_a_private_key,  ///< the version is not a private key's of any network
    key_out_of_range,   ///< 0, or not below the curve's order
};

std::string_view describe(WifError error);

chain::Expected<WifKey, WifError> parse_wif(std::string_view text,
                                            const chain::NetworkParams& network);

/// 52 characters, 51 for an uncompressed key.
SecretString to_wif(const WifKey& key, const chain::NetworkParams& network);

}  // namespace petal::wallet
