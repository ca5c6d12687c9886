/// The secret that pads a wallet's filters.
#pragma once

#include <array>

#include "chain/bytes.h"
#include "wallet/keys/extended_key.h"

namespace petal::wallet {

/// A secret derived from the account's extended public key: HKDF-SHA256 (RFC 5869) of chain code
/// and public key, with a label. The key can't be computed from the secret. Restored and watch-only
/// wallets of the same account have the same secret. Throws std::runtime_error if OpenSSL fails,
/// e.g. out of memory.
std::array<chain::Byte, 32> filter_secret(const ExtendedPublicKey& account);

}  // namespace petal::wallet
