/// Extended keys whose version states the type of outputs: ypub, zpub and others (SLIP132).
#pragma once

#include <optional>
#include <string_view>

#include "chain/network_params.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// The meaning of a version, apart from the network.
struct Slip132Key {
    ScriptKind kind = ScriptKind::pkh;
    bool is_multisig = false;    ///< of several such keys, in P2WSH or P2SH-P2WSH
    bool is_of_network = true;   ///< of mainnet, or of a test network, as asked for
    SecretString ordinary = {};  ///< the same key with the version of xpub or xprv
};

/// The key of a text in Base58Check with a version of SLIP132 other than xpub, xprv, tpub and tprv;
/// empty for other texts. ExtendedPublicKey::parse() checks whether the key itself is valid.
std::optional<Slip132Key> parse_slip132(std::string_view text, const chain::NetworkParams& network);

}  // namespace petal::wallet
