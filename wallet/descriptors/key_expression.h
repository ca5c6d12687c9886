/// Key expressions of output descriptors: a key, where it came from, and the path below it (BIP380,
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

/// How the public key is written in scripts.
enum class KeyForm : std::uint8_t { compressed, uncompressed, x_only };

/// A public key as it is.
struct ConstantPublicKey {
    PublicKey key;
    KeyForm form = KeyForm::compressed;
};

/// A private key as it is, from WIF.
struct ConstantPrivateKey {
    PrivateKey key;
    KeyForm form = KeyForm::compressed;
};

/// What a path ends in.
enum class RangeKind : std::uint8_t { none, normal, hardened };

/// A key of a descriptor: [fingerprint/path]KEY/path/*.
struct KeyExpression {
    using Key =
        std::variant<ConstantPublicKey, ConstantPrivateKey, ExtendedPublicKey, ExtendedPrivateKey>;

    std::optional<KeyOrigin> origin;
    Key key;
    /// The child numbers below the key. More than one where a multipath specifier chooses: all
    /// alternatives have the same length, and differ in one number.
    std::vector<std::vector<std::uint32_t>> paths{{}};
    RangeKind range = RangeKind::none;

    bool is_private() const;
    /// The form that scripts have this key in, but for tr(), where every key is x-only.
    KeyForm form() const;
    /// Whether public keys can be derived: not below an extended public key through hardened steps.
    bool is_derivable() const;
    /// The public key that the path begins at.
    PublicKey root_key() const;
    /// The origin of that key; where none is written, the key itself is the master.
    KeyOrigin root_origin() const;
};

/// As text, without private keys, with h for hardened steps. `form` is what a constant key is
/// written as.
std::string to_string(const KeyExpression& key, const chain::NetworkParams& network);
/// As text, with the private key where there is one.
SecretString to_private_string(const KeyExpression& key, const chain::NetworkParams& network);

}  // namespace petal::wallet
