/// Key expressions of output descriptors: origin, key and path (BIP380, BIP389).
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
    std::size_t step = 0;                ///< the index of the step in the path
    std::vector<std::uint32_t> numbers;  ///< at least two, all different

    friend bool operator==(const Multipath&, const Multipath&) = default;
};

/// A key of a descriptor: [fingerprint/path]KEY/path/*.
struct KeyExpression {
    using Key =
        std::variant<ConstantPublicKey, ConstantPrivateKey, ExtendedPublicKey, ExtendedPrivateKey>;

    Key key;
    std::optional<KeyOrigin> origin = {};
    /// The child numbers below an extended key, with the first alternative of a multipath.
    std::vector<std::uint32_t> path = {};
    std::optional<Multipath> multipath = {};
    RangeKind range = RangeKind::none;

    bool is_private() const;
    /// The form of the key as written. Extended keys are compressed. In tr() every key is used
    /// x-only, regardless of this form.
    KeyForm form() const;
    /// Whether public keys can be derived: there is no hardened step below an extended public key.
    bool is_derivable() const;
    /// The public key at the start of the path.
    PublicKey root_key() const;
    /// The origin of root_key(), which counts as a master key without a written origin.
    KeyOrigin root_origin() const;

    /// The number of alternatives, or 1.
    std::size_t path_count() const { return multipath ? multipath->numbers.size() : 1; }
    /// The expression with the alternative of this number, or the expression itself without
    /// alternatives.
    KeyExpression with_path(std::size_t number) const;
};

/// The text without private keys, with h for hardened steps.
std::string to_string(const KeyExpression& key, const chain::NetworkParams& network);
/// The text with the private key, if there is one.
SecretString to_private_string(const KeyExpression& key, const chain::NetworkParams& network);

}  // namespace petal::wallet
