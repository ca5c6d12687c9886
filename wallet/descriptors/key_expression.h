/// Key expressions of output descriptors: a key, its origin, and the path below it (BIP380,
/// BIP389).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chain/bytes.h"
#include "chain/network_params.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// How a public key is written.
enum class KeyForm : std::uint8_t { compressed, uncompressed, x_only };

/// 33, 65 or 32 bytes.
chain::Bytes serialize(const PublicKey& key, KeyForm form);

/// A constant public key.
struct ConstantPublicKey {
    PublicKey key;
    KeyForm form = KeyForm::compressed;
};

/// A constant private key, from WIF.
struct ConstantPrivateKey {
    PrivateKey key;
    KeyForm form = KeyForm::compressed;  ///< of the public key
};

/// The end of a path.
enum class RangeKind : std::uint8_t { none, normal, hardened };

/// Alternatives for one step of a path: <0;1>.
struct Multipath {
    std::size_t step = 0;                ///< its index in the path
    std::vector<std::uint32_t> numbers;  ///< at least two, all different

    friend bool operator==(const Multipath&, const Multipath&) = default;
};

/// A key of a descriptor: [fingerprint/path]KEY/path/*.
struct KeyExpression {
    using Key =
        std::variant<ConstantPublicKey, ConstantPrivateKey, ExtendedPublicKey, ExtendedPrivateKey>;

    Key key;
    std::optional<KeyOrigin> origin = {};
    /// The child numbers below an extended key; for a multipath, its first number.
    std::vector<std::uint32_t> path = {};
    std::optional<Multipath> multipath = {};
    RangeKind range = RangeKind::none;

    bool is_private() const;
    /// The form of the written public key. Extended keys are compressed; in tr() every key is
    /// x-only, whatever this returns.
    KeyForm form() const;
    /// Whether public keys can be derived: there is no hardened step below an extended public key.
    bool is_derivable() const;
    /// The public key that the path begins at.
    PublicKey root_key() const;
    /// The origin of that key; without a written origin it counts as a master key.
    KeyOrigin root_origin() const;

    /// 1, or the number of alternatives.
    std::size_t path_count() const { return multipath ? multipath->numbers.size() : 1; }
    /// The expression with the alternative of this number; the expression itself if it has no
    /// alternatives.
    KeyExpression with_path(std::size_t number) const;
};

/// As text, without private keys, and with h for hardened steps.
std::string to_string(const KeyExpression& key, const chain::NetworkParams& network);
/// As text, with the private key if there is one.
SecretString to_private_string(const KeyExpression& key, const chain::NetworkParams& network);

}  // namespace petal::wallet
