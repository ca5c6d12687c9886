/// Keys on the curve secp256k1, by libsecp256k1.
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

/// 32 bytes: x, big-endian. Of the two points with this x, it stands for the one with an even y
/// (BIP340).
using XOnlyKey = std::array<chain::Byte, 32>;

/// 32 bytes that are added to a key, big-endian (BIP32: I_L).
using KeyTweak = SecretArray<32>;

/// A signature of BIP340: the nonce's x, then s.
using SchnorrSignature = std::array<chain::Byte, 64>;

/// An ECDSA signature from which its key can be computed: R, S, and which of the up to four points
/// with this R was the nonce's.
struct RecoverableSignature {
    std::array<chain::Byte, 64> compact{};
    int recovery_id = 0;  ///< 0 to 3
};

/// A point of the curve, never infinity.
class PublicKey {
public:
    /// Reads a compressed key; nothing unless it is 33 bytes of a point of the curve.
    static std::optional<PublicKey> parse(chain::ByteView bytes);
    /// Reads an uncompressed key; nothing unless it is 65 bytes of a point of the curve, the first
    /// being 04.
    static std::optional<PublicKey> parse_uncompressed(chain::ByteView bytes);

    /// The key that has signed a hash; nothing if the signature is not valid for any key.
    static std::optional<PublicKey> recover(const RecoverableSignature& signature,
                                            const chain::Hash256& hash);

    UncompressedKey uncompressed() const;
    const CompressedKey& compressed() const { return compressed_; }

    /// This + tweak·G; empty if the tweak is not below the curve's order, or the sum is infinity.
    std::optional<PublicKey> add(const KeyTweak& tweak) const;

    /// The x coordinate, which is a public key of BIP340.
    XOnlyKey x_only() const;

    /// The key of the taproot output that only this key can spend: no script path (BIP86).
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

/// A number from 1 to the curve's order less one. Wiped when it is destroyed.
class PrivateKey {
public:
    /// Reads 32 bytes, big-endian; empty for another length or for a number out of range. Throws
    /// std::runtime_error if the system has no randomness to blind computations with.
    static std::optional<PrivateKey> parse(chain::ByteView bytes);

    PublicKey public_key() const;

    /// This + tweak modulo the curve's order; empty if the tweak is not below it, or the sum is 0.
    std::optional<PrivateKey> add(const KeyTweak& tweak) const;

    /// An ECDSA signature in strict DER, at most 70 bytes long: with low S (BIP62) and, as in
    /// Bitcoin Core (CKey::Sign), low R. Deterministic (RFC 6979). Throws std::runtime_error if the
    /// signature does not verify under `public_key`, which is this key's: a signature computed with
    /// a hardware fault may reveal the key.
    chain::Bytes sign_ecdsa(const chain::Hash256& hash, const PublicKey& public_key) const;

    /// An ECDSA signature with low S, whatever its R (Bitcoin Core: CKey::SignCompact). Throws as
    /// sign_ecdsa().
    RecoverableSignature sign_recoverable(const chain::Hash256& hash,
                                          const PublicKey& public_key) const;

    /// A signature of BIP340 by the key itself, without taproot's tweak, as in a script path.
    /// Throws as sign_ecdsa().
    /// auxiliary   fresh random bytes; the same bytes give the same signature
    SchnorrSignature sign_schnorr(const std::array<chain::Byte, 32>& message,
                                  const XOnlyKey& public_key,
                                  const SecretArray<32>& auxiliary) const;

    /// A signature of BIP340 that spends a taproot output by its key (BIP341); nothing if this key
    /// is not the output's. Throws as sign_ecdsa().
    /// output_key    public_key().taproot_output_key(), or that of a script tree
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
