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
///   descriptor            those of its paths
///   xpub, tpub            pkh(KEY/0/*) and pkh(KEY/1/*), which is what SLIP132 has the version
///   for,
///                         and how Electrum reads it
///   ypub, upub            the same with sh(wpkh())
///   zpub, vpub            the same with wpkh()
///   address               addr(ADDRESS)
///   public key in hex     pk(KEY). The key has other outputs too, but one form is all that may be
///                         in a filter: pkh(KEY) and others are given as descriptors.
///   private key in WIF    pkh(KEY), the outputs that this form was made for
/// Private extended keys (xprv, yprv, zprv and their test forms) are read as the public ones,
/// unless the options refuse private keys. Bare keys have no checksum of descriptors, even if the
/// options require one. SLIP132's multisig versions (Ypub, Zpub, Upub, Vpub) are refused, as they
/// say nothing of the other keys.
chain::Expected<std::vector<Descriptor>, DescriptorError> parse_watchable(
    std::string_view text, const chain::NetworkParams& network, DescriptorOptions options = {});

}  // namespace petal::wallet
