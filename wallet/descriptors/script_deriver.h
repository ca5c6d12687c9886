/// Derives scripts and keys from descriptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/key_expression.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/secp256k1.h"

namespace petal::wallet {

/// A public key of a descriptor, and its origin.
struct DerivedKey {
    PublicKey key;
    KeyForm form = KeyForm::compressed;  ///< in the script. x_only is the internal key of tr()
    KeyOrigin origin;                    ///< with the complete path to this key
};

/// An output script of a descriptor.
struct DerivedScript {
    chain::Bytes script_pubkey;
    chain::Bytes redeem_script = {};   ///< of a P2SH output
    chain::Bytes witness_script = {};  ///< of a P2WSH output
    /// Scripts of different groups must not share a filter (filter_sharing.h). Only combo() has
    /// several groups, because its public key, key hash and script hash can be computed from each
    /// other.
    std::size_t filter_group = 0;

    friend bool operator==(const DerivedScript&, const DerivedScript&) = default;
};

/// All scripts and keys of a descriptor at one index.
struct Derivation {
    /// One script. For combo(): P2PK, P2PKH and, for a compressed key, P2WPKH and P2SH-P2WPKH.
    std::vector<DerivedScript> scripts;
    std::vector<DerivedKey> keys;  ///< in the order of the descriptor, also for sortedmulti()
};

/// Derives a descriptor's scripts, index by index. Parts that do not depend on the index are
/// derived once. A script then takes about 30 microseconds per ranged key. Keeps private keys only
/// for hardened wildcards. Not thread-safe.
class ScriptDeriver {
public:
    /// `descriptor` must have a single path and be derivable. Fails by chance once in 2^127.
    static chain::Expected<ScriptDeriver, DerivationError> create(const Descriptor& descriptor);

    /// `index` must be below kHardened, and is ignored unless the descriptor is a range. Fails by
    /// chance once in 2^127: the index then has no scripts.
    chain::Expected<Derivation, DerivationError> derive(std::uint32_t index);

    /// The scriptPubKeys in the order of Derivation::scripts.
    chain::Expected<std::vector<chain::Bytes>, DerivationError> script_pubkeys(std::uint32_t index);

private:
    /// The source of the public keys of one key expression.
    struct Source {
        std::variant<PublicKey, PublicChildren, ExtendedPrivateKey> parent;
        KeyForm form = KeyForm::compressed;
        KeyOrigin origin;  ///< of the parent
        RangeKind range = RangeKind::none;
    };

    ScriptDeriver() = default;
    static chain::Expected<Source, DerivationError> source_of(const KeyExpression& key);
    static chain::Expected<PublicKey, DerivationError> key_at(Source& source, std::uint32_t index);
    chain::Expected<std::vector<DerivedKey>, DerivationError> keys_at(std::uint32_t index);

    ScriptFunction function_ = ScriptFunction::raw;
    ScriptWrapping wrapping_ = ScriptWrapping::none;
    std::size_t threshold_ = 0;
    chain::Bytes script_;
    std::vector<Source> sources_;
};

}  // namespace petal::wallet
