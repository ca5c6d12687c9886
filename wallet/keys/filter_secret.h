/// The secret that pads a wallet's filters.
#pragma once

#include <array>

#include "chain/bytes.h"
#include "wallet/keys/extended_key.h"

namespace petal::wallet {

/// A secret derived from the account's extended public key, from which the key can't be computed:
/// HKDF-SHA256 (RFC 5869) of chain code and public key, with a label. So a restored wallet has the
/// same secret, and so does a watch-only one. Throws std::runtime_error if OpenSSL fails, e.g. out
/// of memory.
std::array<chain::Byte, 32> filter_secret(const ExtendedPublicKey& account);

}  // namespace petal::wallet
