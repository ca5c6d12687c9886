/// Addresses: scriptPubKeys as text, per network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/network_params.h"

namespace petal::wallet {

enum class AddressError : std::uint8_t {
    not_an_address,  ///< neither Base58Check nor Bech32 of any kind
    wrong_checksum,
    wrong_network,  ///< a valid address of another network
    wrong_length,   ///< a wrong length of the hash or witness program
    mixed_case,
    wrong_bech32_kind,  ///< Bech32 for a version that needs Bech32m, or vice versa (BIP350)
    unknown_version,
};

std::string_view describe(AddressError error);

/// The scriptPubKey of an address of this network (P2PKH, P2SH, witness versions 0 to 16).
chain::Expected<chain::Bytes, AddressError> parse_address(std::string_view text,
                                                          const chain::NetworkParams& network);

/// Whether the text starts like a segwit address of any network. No Base58 address does.
bool is_meant_as_segwit_address(std::string_view text);

/// The address of a scriptPubKey. Empty if the script has no address (P2PK, multisig, OP_RETURN
/// etc.).
std::string address_of(chain::ByteView script_pubkey, const chain::NetworkParams& network);

}  // namespace petal::wallet
