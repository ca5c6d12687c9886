/// The secret that pads a wallet's filters.
#pragma once

#include <array>

#include "chain/bytes.h"
#include "wallet/keys/extended_key.h"

namespace petal::wallet {

/// A secret that follows from the account's extended public key, and from which nothing follows of
/// the key: HKDF-SHA256 (RFC 5869) of chain code and public key, with a label. So a wallet that is
/// restored has it again, and so has one that only watches. Throws std::runtime_error where OpenSSL
/// refuses, as for lack of memory.
std::array<chain::Byte, 32> filter_secret(const ExtendedPublicKey& account);

}  // namespace petal::wallet
