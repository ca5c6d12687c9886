/// Extended keys with a version that states the type of outputs: ypub, zpub etc. (SLIP132).
#pragma once

#include <optional>
#include <string_view>

#include "chain/network_params.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// The meaning of a version.
struct Slip132Key {
    ScriptKind kind = ScriptKind::pkh;
    bool is_multisig = false;    ///< for multisig in P2WSH or P2SH-P2WSH
    bool is_of_network = true;   ///< for the requested network (mainnet or a test network)
    SecretString ordinary = {};  ///< the same key as xpub, xprv, tpub or tprv
};

/// Reads a Base58Check text with a version of SLIP132 except xpub, xprv, tpub and tprv. Empty for
/// any other text. Does not check the key (ExtendedPublicKey::parse()).
std::optional<Slip132Key> parse_slip132(std::string_view text, const chain::NetworkParams& network);

}  // namespace petal::wallet
