/// A secret encrypted with a password: scrypt (RFC 7914) derives the key, ChaCha20-Poly1305 (RFC
/// 8439) encrypts and authenticates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// The work for each guess of the password: 128 * r * 2^log2_n bytes of memory, at most 256 MiB, p
/// times.
struct ScryptCost {
    std::uint8_t log2_n = 17;  ///< at least 1, below 32 and 16 * r
    std::uint8_t r = 8;        ///< at least 1
    std::uint8_t p = 1;        ///< 1 to 4

    friend bool operator==(const ScryptCost&, const ScryptCost&) = default;
};

/// A hash of the secret's context, e.g. of the public keys derived from the secret. Secret and
/// context are authenticated together, so that neither can be replaced without the password.
using SecretOwner = std::array<chain::Byte, 32>;

enum class SecretBoxError : std::uint8_t {
    damaged,  ///< not a box, or the bytes were changed
    newer_version,
    unsupported_cost,  ///< not valid for scrypt, or more than 256 MiB or 4 passes
    other_owner,       ///< sealed for another SecretOwner
    wrong_password,    ///< or the box was changed on purpose, with a new checksum
};

std::string_view describe(SecretBoxError error);

/// Seals a secret of at most kMaxSecretBytes with a fresh salt. Asserts that the cost is within its
/// limits. Takes about 0.4 s and 128 MiB, like open_secret(). Throws std::runtime_error if the
/// system has no randomness or no memory.
chain::Bytes seal_secret(chain::ByteView secret, std::string_view password,
                         const SecretOwner& owner, ScryptCost cost = {});

/// Opens a box. A box of version 1 has no owner and opens for any owner. Takes at most 256 MiB.
/// Thread-safe. Throws like seal_secret().
chain::Expected<SecretBytes, SecretBoxError> open_secret(chain::ByteView box,
                                                         std::string_view password,
                                                         const SecretOwner& owner);

inline constexpr std::size_t kMaxSecretBytes = 65'536;

}  // namespace petal::wallet
