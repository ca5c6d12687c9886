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

/// Added to an index for a hardened child, which requires the private key.
inline constexpr std::uint32_t kHardened = 0x8000'0000;

/// The first four bytes of the HASH160 of a compressed public key.
using Fingerprint = std::array<chain::Byte, 4>;

/// Why a text is not an extended key (BIP32's import checks).
enum class ExtendedKeyError : std::uint8_t {
    not_base58,
    wrong_checksum,
    wrong_length,
    wrong_kind,        ///< private instead of public, or vice versa
    wrong_network,     ///< an extended key of another network
    unknown_version,   ///< of no network, or of an unsupported kind (SLIP132)
    wrong_key_prefix,  ///< the key's first byte does not match the version
    key_out_of_range,  ///< a private key that is 0 or not below the curve's order
    point_not_on_curve,
    root_with_parent,  ///< depth 0, but with a parent's fingerprint
    root_with_index,   ///< depth 0, but with a child number
};

std::string_view describe(ExtendedKeyError error);

enum class DerivationError : std::uint8_t {
    wrong_seed_length,  ///< not 16 to 64 bytes
    hardened_from_public,
    too_deep,       ///< a depth above 255
    invalid_child,  ///< the key does not exist (chance below 2^-127). BIP32 continues with the next
                    ///< index
};

std::string_view describe(DerivationError error);

/// The position of a key in the tree, and the chain code. The chain code alone is not secret, but
/// chain code and public key together reveal all addresses of the wallet.
struct KeyPosition {
    std::uint8_t depth = 0;
    Fingerprint parent_fingerprint{};
    std::uint32_t child_number = 0;
    std::array<chain::Byte, 32> chain_code{};

    friend bool operator==(const KeyPosition&, const KeyPosition&) = default;
};

/// A public key from which all non-hardened descendants can be derived.
class ExtendedPublicKey {
public:
    /// Reads the text form, xpub… or tpub…, with all checks of BIP32.
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

/// Derives many public keys of one parent, without chain codes. Work that depends only on the
/// parent is done once. Takes about 15 microseconds per key. Not thread-safe.
class PublicChildren {
public:
    explicit PublicChildren(const ExtendedPublicKey& parent);

    chain::Expected<PublicKey, DerivationError> key(std::uint32_t index);
    /// The tweak that is added to the parent's public or private key.
    chain::Expected<KeyTweak, DerivationError> tweak(std::uint32_t index);

private:
    PublicKey parent_;
    std::uint8_t parent_depth_;
    HmacSha512 hmac_;
};

/// A private key from which all descendants can be derived. Wiped by the destructor.
class ExtendedPrivateKey {
public:
    /// The master key of a seed of 16 to 64 bytes.
    static chain::Expected<ExtendedPrivateKey, DerivationError> from_seed(chain::ByteView seed);

    /// Reads the text form, xprv… or tprv…, with all checks of BIP32.
    static chain::Expected<ExtendedPrivateKey, ExtendedKeyError> parse(
        std::string_view text, const chain::NetworkParams& network);

    /// The text form, 111 characters.
    SecretString to_string(const chain::NetworkParams& network) const;

    chain::Expected<ExtendedPrivateKey, DerivationError> derive(std::uint32_t index) const;

    /// Derives the key at a path, e.g. account_path().
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

/// Derives many non-hardened private keys of one parent, like PublicChildren. Wiped by the
/// destructor. Not thread-safe.
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
