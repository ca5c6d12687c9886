#include "regtest/chain/regtest_key.h"

#include <secp256k1.h>

#include <algorithm>
#include <cassert>

#include "chain/hash.h"
#include "chain/script/script.h"

namespace petal::regtest {
namespace {

/// Without blinding, because the keys are not secret.
const secp256k1_context* regtest_context() {
    static const secp256k1_context* const context =
        secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    return context;
}

}  // namespace

RegtestKey::RegtestKey(chain::ByteView secret) {
    assert(secret.size() == secret_.size());
    std::ranges::copy(secret, secret_.begin());
    secp256k1_pubkey point;
    const int made = secp256k1_ec_pubkey_create(regtest_context(), &point, secret_.data());
    assert(made == 1);
    (void)made;
    public_key_.resize(33);
    std::size_t size = public_key_.size();
    secp256k1_ec_pubkey_serialize(regtest_context(), public_key_.data(), &size, &point,
                                  SECP256K1_EC_COMPRESSED);
    script_ = chain::p2wpkh_script(chain::hash160(public_key_));
}

RegtestKey RegtestKey::of_number(std::uint32_t number) {
    std::array<chain::Byte, 32> secret{};
    for (std::size_t i = 0; i < 4; ++i) {
        secret[31 - i] = static_cast<chain::Byte>(number >> (8 * i));
    }
    return RegtestKey(secret);
}

chain::Witness RegtestKey::sign(const chain::SighashCache& cache, std::size_t input_index,
                                chain::Satoshis value) const {
    const chain::Bytes script_code = chain::p2pkh_script(chain::hash160(public_key_));
    const chain::Hash256 hash =
        cache.segwit_hash(input_index, script_code, value, chain::kSighashAll);
    secp256k1_ecdsa_signature signature;
    const int made = secp256k1_ecdsa_sign(regtest_context(), &signature, hash.bytes.data(),
                                          secret_.data(), nullptr, nullptr);
    assert(made == 1);
    (void)made;
    chain::Bytes der(72);
    std::size_t size = der.size();
    secp256k1_ecdsa_signature_serialize_der(regtest_context(), der.data(), &size, &signature);
    der.resize(size);
    der.push_back(chain::kSighashAll);
    return {der, public_key_};
}

}  // namespace petal::regtest
