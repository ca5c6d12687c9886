/// From descriptors to scripts and keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/secp256k1.h"

namespace petal::wallet {

/// A public key that scripts of a descriptor have, and where it is derived from.
struct DerivedKey {
    PublicKey key;
    KeyForm form = KeyForm::compressed;  ///< as it is in the script; x_only: the internal key
    KeyOrigin origin;                    ///< path included
};

/// One output script of a descriptor.
struct DerivedScript {
    chain::Bytes script_pubkey;
    chain::Bytes redeem_script;   ///< what a P2SH output commits to; else empty
    chain::Bytes witness_script;  ///< what a P2WSH output commits to; else empty
    /// Scripts of one descriptor with different groups must not be in one filter: their elements
    /// are computed from each other (pubkey, key hash and script hash of combo()). chain's
    /// watch_element() has each script's element.
    std::size_t filter_group = 0;

    friend bool operator==(const DerivedScript&, const DerivedScript&) = default;
};

/// All that a descriptor has at one index.
struct Derivation {
    std::vector<DerivedScript> scripts;  ///< one, but 2 or 4 for combo()
    std::vector<DerivedKey> keys;        ///< in the order of the descriptor
};

/// Derives a descriptor's scripts, index by index. What does not depend on the index is derived
/// once: then a single-key script takes about 30 microseconds. Holds private keys only for hardened
/// wildcards. Not thread-safe.
class ScriptDeriver {
public:
    /// `descriptor` has a single path and is derivable. Fails only for a path deeper than 255
    /// steps, or by chance once in 2^127.
    static chain::Expected<ScriptDeriver, DerivationError> create(const Descriptor& descriptor);

    /// `index` is below kHardened; it does not matter unless the descriptor is a range.
    chain::Expected<Derivation, DerivationError> derive(std::uint32_t index);

    /// The scriptPubKeys alone, in the order of Derivation::scripts.
    chain::Expected<std::vector<chain::Bytes>, DerivationError> script_pubkeys(std::uint32_t index);
};

/// The private keys at `index`, in the order of the descriptor's keys; none where the descriptor
/// has the public one only. The descriptor has a single path.
chain::Expected<std::vector<std::optional<PrivateKey>>, DerivationError> derive_private_keys(
    const Descriptor& descriptor, std::uint32_t index);

/// Whether the elements of two descriptors would betray each other in one filter, as they are
/// computed from the same keys (wpkh() and sh(wpkh()) of one key). A constant key that is also
/// derived from a range is recognised only if it is written by the same extended key.
bool must_not_share_filter(const Descriptor& a, const Descriptor& b);

}  // namespace petal::wallet
