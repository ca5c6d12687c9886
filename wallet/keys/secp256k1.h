/// Keys on the curve secp256k1, implemented with libsecp256k1.
#pragma once

#include <secp256k1.h>

#include <array>
#include <cstdint>
#include <optional>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// 33 bytes: 02 or 03 for an even or odd y, then x, big-endian (SEC 1).
using CompressedKey = std::array<chain::Byte, 33>;

/// 65 bytes: 04, then x and y, big-endian (SEC 1).
using UncompressedKey = std::array<chain::Byte, 65>;

/// 32 bytes: x, big-endian, of the point with an even y (BIP340).
using XOnlyKey = std::array<chain::Byte, 32>;

/// 32 bytes that are added to a key, big-endian (BIP32: I_L).
using KeyTweak = SecretArray<32>;

/// A signature of BIP340: the nonce's x, then s.
using SchnorrSignature = std::array<chain::Byte, 64>;

/// An ECDSA signature from which the public key can be computed: R, S, and which of up to four
/// points with this R is the nonce's point.
struct RecoverableSignature {
    std::array<chain::Byte, 64> compact{};
    int recovery_id = 0;  ///< 0 to 3
};

/// A point of the curve, never infinity.
class PublicKey {
public:
    /// Reads a compressed key. Empty unless the bytes are 33 bytes of a point on the curve.
    static std::optional<PublicKey> parse(chain::ByteView bytes);
    /// Reads an uncompressed key. Empty unless the bytes are 04 and 64 bytes of a point on the
    /// curve.
    static std::optional<PublicKey> parse_uncompressed(chain::ByteView bytes);

    /// The key that has signed a hash. Empty if the signature is not valid for any key.
    static std::optional<PublicKey> recover(const RecoverableSignature& signature,
                                            const chain::Hash256& hash);

    UncompressedKey uncompressed() const;
    const CompressedKey& compressed() const { return compressed_; }

    /// This key + tweak·G. Empty if the tweak is not below the curve's order, or the sum is
    /// infinity.
    std::optional<PublicKey> add(const KeyTweak& tweak) const;

    /// The BIP340 public key.
    XOnlyKey x_only() const;

    /// The key of a taproot output without a script path (BIP86).
    XOnlyKey taproot_output_key() const;

    friend bool operator==(const PublicKey& a, const PublicKey& b) {
        return a.compressed_ == b.compressed_;
    }

private:
    friend class PrivateKey;
    explicit PublicKey(const secp256k1_pubkey& point);

    secp256k1_pubkey point_;
    CompressedKey compressed_;
};

/// A number from 1 to the curve's order - 1. Wiped by the destructor.
class PrivateKey {
public:
    /// Reads 32 bytes, big-endian. Empty for any other length or a number out of range. Throws
    /// std::runtime_error if the system has no randomness, which is needed to blind computations.
    static std::optional<PrivateKey> parse(chain::ByteView bytes);

    PublicKey public_key() const;

    /// This key + tweak, modulo the curve's order. Empty if the tweak is not below the order, or
    /// the sum is 0.
    std::optional<PrivateKey> add(const KeyTweak& tweak) const;

    /// A deterministic ECDSA signature (RFC 6979) in strict DER, with low S (BIP62) and low R
    /// (Bitcoin Core: CKey::Sign), so at most 70 bytes. Throws std::runtime_error if the signature
    /// does not verify with `public_key`, which must be this key's: a signature computed with a
    /// hardware fault may reveal the private key.
    chain::Bytes sign_ecdsa(const chain::Hash256& hash, const PublicKey& public_key) const;

    /// An ECDSA signature with low S and any R (Bitcoin Core: CKey::SignCompact). Throws like
    /// sign_ecdsa().
    RecoverableSignature sign_recoverable(const chain::Hash256& hash,
                                          const PublicKey& public_key) const;

    /// A BIP340 signature by the untweaked key, as in a taproot script path. Throws like
    /// sign_ecdsa().
    /// auxiliary   fresh random bytes. The same bytes give the same signature
    SchnorrSignature sign_schnorr(const std::array<chain::Byte, 32>& message,
                                  const XOnlyKey& public_key,
                                  const SecretArray<32>& auxiliary) const;

    /// A BIP340 signature for a taproot key path spend (BIP341). Empty if the output has another
    /// key. Throws like sign_ecdsa().
    /// output_key    public_key().taproot_output_key(), or the key of an output with a script tree
    /// merkle_root   32 bytes, or empty for no script path (BIP86)
    std::optional<SchnorrSignature> sign_taproot(const std::array<chain::Byte, 32>& message,
                                                 const XOnlyKey& output_key,
                                                 const SecretArray<32>& auxiliary,
                                                 chain::ByteView merkle_root = {}) const;

    /// 32 bytes, big-endian.
    chain::ByteView view() const { return bytes_.view(); }

private:
    explicit PrivateKey(chain::ByteView bytes) : bytes_(bytes) {}

    SecretArray<32> bytes_;
};

}  // namespace petal::wallet
