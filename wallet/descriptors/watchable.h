/// What a user may give to be watched: descriptors, extended keys, addresses and public keys.
#pragma once

#include <string_view>
#include <vector>

#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/descriptors/descriptor.h"

namespace petal::wallet {

/// The descriptors for a text, each of a single path:
///   descriptor            as it is, one for each of its paths
///   xpub, tpub            pkh(KEY/<0;1>/*), by SLIP132's meaning of the version
///   ypub, upub            sh(wpkh(KEY/<0;1>/*))
///   zpub, vpub            wpkh(KEY/<0;1>/*)
///   address               addr(ADDRESS)
///   public key in hex     pk(KEY): the key itself and nothing else goes into filters
///   WIF, and the private forms of extended keys likewise, unless the options refuse private keys
/// Multisig versions of SLIP132 (Ypub, Zpub, Upub, Vpub) are refused: they lack the other keys.
chain::Expected<std::vector<Descriptor>, DescriptorError> parse_watchable(
    std::string_view text, const chain::NetworkParams& network, DescriptorOptions options = {});

}  // namespace petal::wallet
