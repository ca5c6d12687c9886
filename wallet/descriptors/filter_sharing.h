/// Which scripts a Bloom filter can find, and which must not be in one filter together.
#pragma once

#include "chain/bytes.h"
#include "wallet/descriptors/descriptor.h"

namespace petal::wallet {

/// The element by which a filter finds outputs of this script: chain::watch_element() where there
/// is one, the first key of bare multisig, and else the longest push. Nothing more of the script
/// belongs into the filter. Empty for a script without pushes, which no filter finds.
chain::ByteView filter_element(chain::ByteView script_pubkey);

/// Whether elements of the two descriptors would betray each other in one filter: a server that
/// finds both elements of one key, as the key hash of wpkh() and the script hash of sh(wpkh()),
/// knows that neither is a false positive. pkh() and wpkh() of one key have the same element and
/// may share a filter. Both descriptors are derivable.
///
/// Keys are compared as they are written: of a key in hexadecimal, nothing tells that it is derived
/// from an extended key. Addresses and scripts are compared with each other and with single keys;
/// of an address, nothing tells that its key is one of a range.
bool must_not_share_filter(const Descriptor& a, const Descriptor& b);

}  // namespace petal::wallet
