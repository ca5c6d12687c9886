/// HMAC-SHA512 with one key for many messages (RFC 2104, BIP32).
#pragma once

#include <openssl/evp.h>

#include <initializer_list>
#include <memory>

#include "chain/bytes.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// Hashes the key only once. Not thread-safe.
class HmacSha512 {
public:
    /// Throws std::runtime_error if OpenSSL fails, e.g. out of memory.
    explicit HmacSha512(chain::ByteView key);

    /// The authentication code of the concatenation of `parts`.
    SecretArray<64> digest(std::initializer_list<chain::ByteView> parts);

private:
    struct Free {
        void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
    };

    std::unique_ptr<EVP_MAC_CTX, Free> context_;
};

}  // namespace petal::wallet
