/// Keys on the curve secp256k1, implemented with libsecp256k1.
#include "wallet/keys/secp256k1.h"

#include <secp256k1_extrakeys.h>
#include <secp256k1_recovery.h>
#include <secp256k1_schnorrsig.h>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "chain/hash.h"
#include "wallet/keys/randomness.h"

namespace petal::wallet {

namespace {

/// The context for computations with private keys, blinded once against side channels. Never
/// changed later, so threads need no lock.
class SecretContext {
public:
    SecretContext() : context_(secp256k1_context_create(SECP256K1_CONTEXT_SIGN)) {
        SecretArray<32> blinding;
        fill_random(blinding.writable());
        if (secp256k1_context_randomize(context_.get(), blinding.data()) != 1) {
            throw std::runtime_error("libsecp256k1 could not be set up");
        }
    }

    const secp256k1_context* get() const { return context_.get(); }

private:
    struct Destroy {
        void operator()(secp256k1_context* context) const { secp256k1_context_destroy(context); }
    };

    std::unique_ptr<secp256k1_context, Destroy> context_;
};

const secp256k1_context* secret_context() {
    static const SecretContext context;
    return context.get();
}

/// The static context, for public keys. The first call runs the library's self-test.
const secp256k1_context* public_context() {
    static const bool tested = (secp256k1_selftest(), true);
    (void)tested;
    return secp256k1_context_static;
}

/// A key pair of libsecp256k1. Wiped by the destructor.
class KeyPair {
public:
    explicit KeyPair(const PrivateKey& key) {
        const int done = secp256k1_keypair_create(secret_context(), &pair_, key.view().data());
        assert(done == 1);  // the key was in range when it was made
        (void)done;
    }
    KeyPair(const KeyPair&) = delete;
    KeyPair& operator=(const KeyPair&) = delete;
    ~KeyPair() { OPENSSL_cleanse(&pair_, sizeof pair_); }

    secp256k1_keypair* get() { return &pair_; }

    XOnlyKey x_only() const {
        secp256k1_xonly_pubkey key;
        XOnlyKey bytes{};
        const bool done =
            secp256k1_keypair_xonly_pub(secret_context(), &key, nullptr, &pair_) == 1 &&
            secp256k1_xonly_pubkey_serialize(public_context(), bytes.data(), &key) == 1;
        assert(done);
        (void)done;
        return bytes;
    }

private:
    secp256k1_keypair pair_;
};

/// Whether R, as a signed number, needs no leading zero byte.
bool has_low_r(const secp256k1_ecdsa_signature& signature) {
    std::array<chain::Byte, 64> compact{};
    secp256k1_ecdsa_signature_serialize_compact(public_context(), compact.data(), &signature);
    return compact[0] < 0x80;
}

/// Tries further nonces until R is low (Bitcoin Core: CKey::Sign).
secp256k1_ecdsa_signature sign_with_low_r(const chain::Hash256& hash, const PrivateKey& key) {
    secp256k1_ecdsa_signature signature;
    std::array<chain::Byte, 32> entropy{};
    const void* data = nullptr;
    for (std::uint32_t tries = 1;; ++tries) {
        const int done = secp256k1_ecdsa_sign(secret_context(), &signature, hash.bytes.data(),
                                              key.view().data(), nullptr, data);
        assert(done == 1);  // the key was in range when it was made
        (void)done;
        if (has_low_r(signature)) return signature;
        for (std::size_t i = 0; i < sizeof tries; ++i) {
            entropy.at(i) = static_cast<chain::Byte>(tries >> (8 * i));
        }
        data = entropy.data();
    }
}

[[noreturn]] void throw_wrong_signature() {
    throw std::runtime_error(
        "a signature was computed wrongly, and is not used: the processor or memory may be faulty");
}

SchnorrSignature sign_with_pair(KeyPair& pair, const std::array<chain::Byte, 32>& message,
                                const XOnlyKey& public_key, const SecretArray<32>& auxiliary) {
    SchnorrSignature signature{};
    secp256k1_xonly_pubkey key;
    if (secp256k1_schnorrsig_sign32(secret_context(), signature.data(), message.data(), pair.get(),
                                    auxiliary.data()) != 1 ||
        secp256k1_xonly_pubkey_parse(public_context(), &key, public_key.data()) != 1 ||
        secp256k1_schnorrsig_verify(public_context(), signature.data(), message.data(),
                                    message.size(), &key) != 1) {
        throw_wrong_signature();
    }
    return signature;
}

constexpr std::size_t kScalarBytes = 32;

/// SEC 2, 2.4.1.
constexpr std::array<chain::Byte, 33> kGeneratorPoint{
    0x02, 0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0,
    0x62, 0x95, 0xce, 0x87, 0x0b, 0x07, 0x02, 0x9b, 0xfc, 0xdb, 0x2d,
    0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98};

secp256k1_pubkey sum_of_two(const secp256k1_pubkey& a, const secp256k1_pubkey& b) {
    const std::array<const secp256k1_pubkey*, 2> points{&a, &b};
    secp256k1_pubkey sum;
    const int done =
        secp256k1_ec_pubkey_combine(public_context(), &sum, points.data(), points.size());
    assert(done == 1);  // no multiple in the table is infinity
    (void)done;
    return sum;
}

/// The products of the generator with each value of each byte of a scalar, half a megabyte. A
/// multiplication adds one point for each byte, which takes half the time of libsecp256k1's
/// multiplication with its smaller tables. Creating the table takes as long as some 700
/// multiplications.
class GeneratorTable {
public:
    GeneratorTable();

    /// point + scalar·G. Empty if the sum is infinity. Not constant-time: the scalar must not be a
    /// private key.
    /// scalar   32 bytes, big-endian, above zero and below the curve's order
    std::optional<secp256k1_pubkey> add(const secp256k1_pubkey& point,
                                        chain::ByteView scalar) const;

private:
    /// The multiples by 1 to 255 times a power of 256.
    using Multiples = std::array<secp256k1_pubkey, 255>;

    std::vector<Multiples> multiples_;  ///< by ascending power
};

GeneratorTable::GeneratorTable() : multiples_(kScalarBytes) {
    secp256k1_pubkey base;
    const int done = secp256k1_ec_pubkey_parse(public_context(), &base, kGeneratorPoint.data(),
                                               kGeneratorPoint.size());
    assert(done == 1);
    (void)done;
    for (Multiples& multiples : multiples_) {
        multiples.front() = base;
        for (std::size_t i = 1; i < multiples.size(); ++i) {
            multiples[i] = sum_of_two(multiples[i - 1], base);
        }
        base = sum_of_two(multiples.back(), base);
    }
}

std::optional<secp256k1_pubkey> GeneratorTable::add(const secp256k1_pubkey& point,
                                                    chain::ByteView scalar) const {
    assert(scalar.size() == kScalarBytes);
    std::array<const secp256k1_pubkey*, kScalarBytes + 1> points{&point};
    std::size_t count = 1;
    for (std::size_t i = 0; i < kScalarBytes; ++i) {
        const chain::Byte digit = scalar[kScalarBytes - 1 - i];
        if (digit != 0) points[count++] = &multiples_[i][digit - 1U];
    }
    secp256k1_pubkey sum;
    if (secp256k1_ec_pubkey_combine(public_context(), &sum, points.data(), count) != 1) {
        return std::nullopt;
    }
    return sum;
}

/// Whether enough points were added that creating a table is worthwhile.
bool pays_for_a_table() {
    constexpr std::uint32_t kFewAdditions = 700;
    static std::atomic<std::uint32_t> additions = 0;
    if (additions >= kFewAdditions) return true;
    ++additions;
    return false;
}

/// point + tweak·G. Multiplying the generator with libsecp256k1's table is faster than
/// secp256k1_ec_pubkey_tweak_add.
/// tweak   above zero and below the curve's order
std::optional<secp256k1_pubkey> add_product(const secp256k1_pubkey& point, chain::ByteView tweak) {
    if (pays_for_a_table()) {
        static const GeneratorTable table;
        return table.add(point, tweak);
    }
    secp256k1_pubkey added;
    secp256k1_pubkey sum;
    const std::array<const secp256k1_pubkey*, 2> points{&point, &added};
    if (secp256k1_ec_pubkey_create(secret_context(), &added, tweak.data()) != 1 ||
        secp256k1_ec_pubkey_combine(public_context(), &sum, points.data(), points.size()) != 1) {
        return std::nullopt;
    }
    return sum;
}

/// point + tweak·G, with a tweak of 32 bytes. Empty if the result is not a valid key.
std::optional<secp256k1_pubkey> add_tweak(const secp256k1_pubkey& point, chain::ByteView tweak) {
    if (secp256k1_ec_seckey_verify(public_context(), tweak.data()) == 1) {
        return add_product(point, tweak);
    }
    secp256k1_pubkey sum = point;  // the tweak is zero, or out of range
    if (secp256k1_ec_pubkey_tweak_add(public_context(), &sum, tweak.data()) != 1) {
        return std::nullopt;
    }
    return sum;
}

XOnlyKey x_only_of(const secp256k1_pubkey& point) {
    secp256k1_xonly_pubkey key;
    XOnlyKey bytes{};
    const bool done =
        secp256k1_xonly_pubkey_from_pubkey(public_context(), &key, nullptr, &point) == 1 &&
        secp256k1_xonly_pubkey_serialize(public_context(), bytes.data(), &key) == 1;
    assert(done);
    (void)done;
    return bytes;
}

}  // namespace

PublicKey::PublicKey(const secp256k1_pubkey& point) : point_(point), compressed_{} {
    std::size_t size = compressed_.size();
    const int done = secp256k1_ec_pubkey_serialize(public_context(), compressed_.data(), &size,
                                                   &point_, SECP256K1_EC_COMPRESSED);
    assert(done == 1 && size == compressed_.size());
    (void)done;
}

std::optional<PublicKey> PublicKey::parse(chain::ByteView bytes) {
    if (bytes.size() != std::tuple_size_v<CompressedKey>) return std::nullopt;
    secp256k1_pubkey point;
    if (secp256k1_ec_pubkey_parse(public_context(), &point, bytes.data(), bytes.size()) != 1) {
        return std::nullopt;
    }
    return PublicKey{point};
}

std::optional<PublicKey> PublicKey::parse_uncompressed(chain::ByteView bytes) {
    // libsecp256k1 also reads hybrid keys, which start with 06 or 07.
    if (bytes.size() != std::tuple_size_v<UncompressedKey> || bytes[0] != 4) return std::nullopt;
    secp256k1_pubkey point;
    if (secp256k1_ec_pubkey_parse(public_context(), &point, bytes.data(), bytes.size()) != 1) {
        return std::nullopt;
    }
    return PublicKey{point};
}

std::optional<PublicKey> PublicKey::recover(const RecoverableSignature& signature,
                                            const chain::Hash256& hash) {
    assert(signature.recovery_id >= 0 && signature.recovery_id <= 3);
    secp256k1_ecdsa_recoverable_signature parsed;
    secp256k1_pubkey point;
    if (secp256k1_ecdsa_recoverable_signature_parse_compact(
            public_context(), &parsed, signature.compact.data(), signature.recovery_id) != 1 ||
        secp256k1_ecdsa_recover(public_context(), &point, &parsed, hash.bytes.data()) != 1) {
        return std::nullopt;
    }
    return PublicKey(point);
}

UncompressedKey PublicKey::uncompressed() const {
    UncompressedKey bytes{};
    std::size_t size = bytes.size();
    const int done = secp256k1_ec_pubkey_serialize(public_context(), bytes.data(), &size, &point_,
                                                   SECP256K1_EC_UNCOMPRESSED);
    assert(done == 1 && size == bytes.size());
    (void)done;
    return bytes;
}

std::optional<PublicKey> PublicKey::add(const KeyTweak& tweak) const {
    const auto sum = add_tweak(point_, tweak.view());
    if (!sum) return std::nullopt;
    return PublicKey{*sum};
}

XOnlyKey PublicKey::x_only() const {
    return x_only_of(point_);
}

XOnlyKey PublicKey::taproot_output_key() const {
    secp256k1_xonly_pubkey internal;
    XOnlyKey bytes{};
    int is_odd = 0;
    secp256k1_pubkey even = point_;
    const bool done =
        secp256k1_xonly_pubkey_from_pubkey(public_context(), &internal, &is_odd, &point_) == 1 &&
        secp256k1_xonly_pubkey_serialize(public_context(), bytes.data(), &internal) == 1 &&
        (is_odd == 0 || secp256k1_ec_pubkey_negate(public_context(), &even) == 1);
    assert(done);
    (void)done;
    const auto output = add_tweak(even, chain::tagged_hash("TapTweak", bytes));
    assert(output);  // fails by chance once in 2^127, and can't be provoked
    return x_only_of(*output);
}

std::optional<PrivateKey> PrivateKey::parse(chain::ByteView bytes) {
    if (bytes.size() != SecretArray<32>::size()) return std::nullopt;
    if (secp256k1_ec_seckey_verify(secret_context(), bytes.data()) != 1) return std::nullopt;
    return PrivateKey{bytes};
}

PublicKey PrivateKey::public_key() const {
    secp256k1_pubkey point;
    const int done = secp256k1_ec_pubkey_create(secret_context(), &point, bytes_.data());
    assert(done == 1);  // the key was in range when it was made
    (void)done;
    return PublicKey{point};
}

std::optional<PrivateKey> PrivateKey::add(const KeyTweak& tweak) const {
    PrivateKey sum{*this};
    if (secp256k1_ec_seckey_tweak_add(secret_context(), sum.bytes_.data(), tweak.data()) != 1) {
        return std::nullopt;
    }
    return sum;
}

chain::Bytes PrivateKey::sign_ecdsa(const chain::Hash256& hash, const PublicKey& public_key) const {
    const secp256k1_ecdsa_signature signature = sign_with_low_r(hash, *this);
    if (secp256k1_ecdsa_verify(public_context(), &signature, hash.bytes.data(),
                               &public_key.point_) != 1) {
        throw_wrong_signature();
    }
    constexpr std::size_t kMaxDerBytes = 72;
    chain::Bytes der(kMaxDerBytes);
    std::size_t size = der.size();
    const int done =
        secp256k1_ecdsa_signature_serialize_der(public_context(), der.data(), &size, &signature);
    assert(done == 1);
    (void)done;
    der.resize(size);
    return der;
}

RecoverableSignature PrivateKey::sign_recoverable(const chain::Hash256& hash,
                                                  const PublicKey& public_key) const {
    secp256k1_ecdsa_recoverable_signature signature;
    const int done = secp256k1_ecdsa_sign_recoverable(
        secret_context(), &signature, hash.bytes.data(), view().data(), nullptr, nullptr);
    assert(done == 1);  // the key was in range when it was made
    (void)done;
    RecoverableSignature result;
    secp256k1_ecdsa_recoverable_signature_serialize_compact(public_context(), result.compact.data(),
                                                            &result.recovery_id, &signature);
    if (PublicKey::recover(result, hash) != public_key) throw_wrong_signature();
    return result;
}

SchnorrSignature PrivateKey::sign_schnorr(const std::array<chain::Byte, 32>& message,
                                          const XOnlyKey& public_key,
                                          const SecretArray<32>& auxiliary) const {
    KeyPair pair(*this);
    return sign_with_pair(pair, message, public_key, auxiliary);
}

std::optional<SchnorrSignature> PrivateKey::sign_taproot(const std::array<chain::Byte, 32>& message,
                                                         const XOnlyKey& output_key,
                                                         const SecretArray<32>& auxiliary,
                                                         chain::ByteView merkle_root) const {
    KeyPair pair(*this);
    const XOnlyKey internal = pair.x_only();
    chain::Bytes committed(internal.begin(), internal.end());
    committed.insert(committed.end(), merkle_root.begin(), merkle_root.end());
    const auto tweak = chain::tagged_hash("TapTweak", committed);
    // Fails by chance once in 2^127, and can't be provoked.
    const int done = secp256k1_keypair_xonly_tweak_add(secret_context(), pair.get(), tweak.data());
    assert(done == 1);
    (void)done;
    if (pair.x_only() != output_key) return std::nullopt;
    return sign_with_pair(pair, message, output_key, auxiliary);
}

}  // namespace petal::wallet
