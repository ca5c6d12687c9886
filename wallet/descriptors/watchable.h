/// Parses the texts that a user can watch or import: descriptors, extended keys, addresses and
/// keys.
#pragma once

#include <string_view>
#include <vector>

#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/descriptor_error.h"

namespace petal::wallet {

/// The descriptors of a text, each with a single path:
///   descriptor            one for each path
///   xpub, tpub            pkh(KEY/0/*) and pkh(KEY/1/*), as in SLIP132 and Electrum
///   ypub, upub            likewise with sh(wpkh())
///   zpub, vpub            likewise with wpkh()
///   address               addr(ADDRESS)
///   public key in hex     pk(KEY). Only one form of a key may be in a filter. For another form,
///   the user gives a descriptor, e.g. pkh(KEY).
///   private key in WIF    pkh(KEY), the outputs for which WIF was designed
///
/// Private extended keys (xprv, yprv, zprv, and their test network forms) are read like public
/// keys, unless the options refuse private keys. Bare keys have no descriptor checksum, even if the
/// options require a checksum. SLIP132's multisig versions (Ypub, Zpub, Upub, Vpub) are refused,
/// because they do not state all keys.
chain::Expected<std::vector<Descriptor>, DescriptorError> parse_watchable(
    std::string_view text, const chain::NetworkParams& network, DescriptorOptions options = {});

}  // namespace petal::wallet
