/// A secret under a password: scrypt (RFC 7914) makes the key, ChaCha20-Poly1305 (RFC 8439) seals.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// How much work each guess at the password takes: 128 * r * 2^log2_n bytes of memory, at most 256
/// MiB, p times.
struct ScryptCost {
    std::uint8_t log2_n = 17;  ///< from 1 to below 32 and 16 r
    std::uint8_t r = 8;        ///< at least 1
    std::uint8_t p = 1;        ///< 1 to 4

    friend bool operator==(const ScryptCost&, const ScryptCost&) = default;
};

/// A hash of the secret's context, e.g. of the public keys derived from it. It is authenticated
/// together with the secret, so that neither can be exchanged without the password.
using SecretOwner = std::array<chain::Byte, 32>;

enum class SecretBoxError : std::uint8_t {
    damaged,  ///< not a box, or its bytes have changed since it was sealed
    newer_version,
    unsupported_cost,  ///< none of scrypt, or more than 256 MiB or 4 passes
    other_owner,       ///< it was sealed for another SecretOwner
    wrong_password,    ///< or someone changed the box on purpose and mended its checksum
};

std::string_view describe(SecretBoxError error);

/// Seals a secret of at most kMaxSecretBytes with a fresh salt. A cost outside of its limits fails
/// an assertion. Takes about 0.4 s and 128 MiB, as does opening. Throws std::runtime_error if the
/// system has no randomness or no memory.
chain::Bytes seal_secret(chain::ByteView secret, std::string_view password,
                         const SecretOwner& owner, ScryptCost cost = {});

/// The secret in the box. A box of version 1 has no owner, and opens for any owner. Never takes
/// more than 256 MiB. Thread-safe, so that it can run beside a thread that must not block. Throws
/// as seal_secret does.
chain::Expected<SecretBytes, SecretBoxError> open_secret(chain::ByteView box,
                                                         std::string_view password,
                                                         const SecretOwner& owner);

inline constexpr std::size_t kMaxSecretBytes = 65'536;

}  // namespace petal::wallet
