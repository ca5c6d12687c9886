/// Keys on the curve secp256k1, by libsecp256k1.
#include "wallet/keys/secp256k1.h"

#include <secp256k1_extrakeys.h>

#include <cassert>
#include <memory>
#include <stdexcept>

#include "chain/hash.h"
#include "wallet/keys/randomness.h"

namespace petal::wallet {

namespace {

/// The context of all that touches a private key, blinded once against side channels. Only changing
/// it would need a lock.
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

/// Public keys need no context of their own, but the static one wants a self-test first.
const secp256k1_context* public_context() {
    static const bool tested = (secp256k1_selftest(), true);
    (void)tested;
    return secp256k1_context_static;
}

XOnlyKey x_only(const secp256k1_pubkey& point) {
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
    // libsecp256k1 also reads hybrid keys, which begin with 06 or 07.
    if (bytes.size() != std::tuple_size_v<UncompressedKey> || bytes[0] != 4) return std::nullopt;
    secp256k1_pubkey point;
    if (secp256k1_ec_pubkey_parse(public_context(), &point, bytes.data(), bytes.size()) != 1) {
        return std::nullopt;
    }
    return PublicKey{point};
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
    secp256k1_pubkey sum = point_;
    if (secp256k1_ec_pubkey_tweak_add(public_context(), &sum, tweak.data()) != 1) {
        return std::nullopt;
    }
    return PublicKey{sum};
}

XOnlyKey PublicKey::taproot_output_key() const {
    const XOnlyKey internal = x_only(point_);
    const auto tweak = chain::tagged_hash("TapTweak", internal);
    secp256k1_xonly_pubkey key;
    secp256k1_pubkey output;
    // Fails by chance once in 2^127, and can't be provoked.
    const bool done =
        secp256k1_xonly_pubkey_parse(public_context(), &key, internal.data()) == 1 &&
        secp256k1_xonly_pubkey_tweak_add(public_context(), &output, &key, tweak.data()) == 1;
    assert(done);
    (void)done;
    return x_only(output);
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

}  // namespace petal::wallet
