/// Hierarchical deterministic keys (BIP32).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/keys/hmac_sha512.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// Added to an index to derive a hardened child, which the public key alone can't derive.
inline constexpr std::uint32_t kHardened = 0x8000'0000;

/// The first four bytes of the HASH160 of a compressed public key.
using Fingerprint = std::array<chain::Byte, 4>;

/// Why a text is no extended key (BIP32's import checks).
enum class ExtendedKeyError : std::uint8_t {
    not_base58,
    wrong_checksum,
    wrong_length,
    wrong_kind,        ///< private instead of public, or vice versa
    wrong_network,     ///< an extended key of another network
    unknown_version,   ///< of no network, or of a kind that petal does not support (SLIP132)
    wrong_key_prefix,  ///< the key's first byte does not go with the version
    key_out_of_range,  ///< a private key of 0, or not below the curve's order
    point_not_on_curve,
    root_with_parent,  ///< depth 0, but the fingerprint of a parent
    root_with_index,   ///< depth 0, but a child number
};

std::string_view describe(ExtendedKeyError error);

enum class DerivationError : std::uint8_t {
    wrong_seed_length,  ///< not 16 to 64 bytes
    hardened_from_public,
    too_deep,       ///< below depth 255
    invalid_child,  ///< there is no such key (chance below 2^-127); BIP32 continues with the next
                    ///< index
};

std::string_view describe(DerivationError error);

/// The position of a key in its tree, and the chain code from which its children are derived. The
/// chain code alone is not secret, but together with the public key it reveals all of the wallet's
/// addresses.
struct KeyPosition {
    std::uint8_t depth = 0;
    Fingerprint parent_fingerprint{};
    std::uint32_t child_number = 0;
    std::array<chain::Byte, 32> chain_code{};

    friend bool operator==(const KeyPosition&, const KeyPosition&) = default;
};

/// A public key from which all non-hardened descendants follow.
class ExtendedPublicKey {
public:
    /// Reads the text form, as xpub… or tpub…, with all of BIP32's checks.
    static chain::Expected<ExtendedPublicKey, ExtendedKeyError> parse(
        std::string_view text, const chain::NetworkParams& network);

    /// The text form, 111 characters.
    std::string to_string(const chain::NetworkParams& network) const;

    chain::Expected<ExtendedPublicKey, DerivationError> derive(std::uint32_t index) const;

    const PublicKey& key() const { return key_; }
    const KeyPosition& position() const { return position_; }
    Fingerprint fingerprint() const;

    friend bool operator==(const ExtendedPublicKey&, const ExtendedPublicKey&) = default;

private:
    friend class ExtendedPrivateKey;
    ExtendedPublicKey(const PublicKey& key, const KeyPosition& position)
        : key_(key), position_(position) {}

    PublicKey key_;
    KeyPosition position_;
};

/// Derives many public keys of one parent, without their chain codes. The part that depends only on
/// the parent is computed once. Takes about 15 microseconds a key. Not thread-safe.
class PublicChildren {
public:
    explicit PublicChildren(const ExtendedPublicKey& parent);

    chain::Expected<PublicKey, DerivationError> key(std::uint32_t index);
    /// The tweak that is added to the parent's key, public or private, to get the child.
    chain::Expected<KeyTweak, DerivationError> tweak(std::uint32_t index);

private:
    PublicKey parent_;
    std::uint8_t parent_depth_;
    HmacSha512 hmac_;
};

/// A private key from which all descendants follow. Wiped when it is destroyed.
class ExtendedPrivateKey {
public:
    /// The master key of a seed of 16 to 64 bytes.
    static chain::Expected<ExtendedPrivateKey, DerivationError> from_seed(chain::ByteView seed);

    /// Reads the text form, as xprv… or tprv…, with all of BIP32's checks.
    static chain::Expected<ExtendedPrivateKey, ExtendedKeyError> parse(
        std::string_view text, const chain::NetworkParams& network);

    /// The text form, 111 characters.
    SecretString to_string(const chain::NetworkParams& network) const;

    chain::Expected<ExtendedPrivateKey, DerivationError> derive(std::uint32_t index) const;

    /// Derives the child at each step of a path, e.g. of account_path().
    chain::Expected<ExtendedPrivateKey, DerivationError> derive_path(
        std::span<const std::uint32_t> path) const;

    ExtendedPublicKey public_key() const;

    const PrivateKey& key() const { return key_; }
    const KeyPosition& position() const { return position_; }
    Fingerprint fingerprint() const { return public_key().fingerprint(); }

private:
    ExtendedPrivateKey(const PrivateKey& key, const KeyPosition& position)
        : key_(key), position_(position) {}

    PrivateKey key_;
    KeyPosition position_;
};

/// Derives many private keys of one parent that are not hardened, like PublicChildren. Wiped when
/// it is destroyed. Not thread-safe.
class PrivateChildren {
public:
    explicit PrivateChildren(const ExtendedPrivateKey& parent)
        : parent_(parent.key()), children_(parent.public_key()) {}

    chain::Expected<PrivateKey, DerivationError> key(std::uint32_t index);

private:
    PrivateKey parent_;
    PublicChildren children_;
};

}  // namespace petal::wallet
