/// The inputs to watch or import: descriptors, extended keys, addresses and keys.
#pragma once

#include <string_view>
#include <vector>

#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/descriptor_error.h"

namespace petal::wallet {

/// The descriptors for a text, each of a single path:
///   descriptor            one for each of its paths
///   xpub, tpub            pkh(KEY/0/*) and pkh(KEY/1/*), as SLIP132 and Electrum
///   ypub, upub            the same with sh(wpkh())
///   zpub, vpub            the same with wpkh()
///   address               addr(ADDRESS)
///   public key in hex     pk(KEY). The key has other outputs, too, but only one form may be in a
///                         filter: give pkh(KEY) and others as descriptors.
///   private key in WIF    pkh(KEY), the outputs for which WIF was designed
///
/// Private extended keys (xprv, yprv, zprv and their test forms) are read as the public ones,
/// unless the options refuse private keys. Bare keys have no checksum of descriptors, even if the
/// options require one. SLIP132's multisig versions (Ypub, Zpub, Upub, Vpub) are refused, as they
/// do not state the other keys.
chain::Expected<std::vector<Descriptor>, DescriptorError> parse_watchable(
    std::string_view text, const chain::NetworkParams& network, DescriptorOptions options = {});

}  // namespace petal::wallet
