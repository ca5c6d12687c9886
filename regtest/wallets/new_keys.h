/// The keys of a new wallet.
#pragma once

#include "wallet/descriptors/new_descriptors.h"

namespace petal::regtest::wallets {

/// The descriptors of a new random master key, as in Bitcoin Core: account 0 of each address type,
/// with a receive and a change chain. The default type comes first (P2WPKH).
wallet::NewDescriptors make_new_keys();

}  // namespace petal::regtest::wallets
