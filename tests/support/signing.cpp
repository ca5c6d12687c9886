#include "tests/support/signing.h"

#include <secp256k1.h>

#include <cassert>

#include "chain/script/script.h"
#include "chain/script/signature_hash.h"

namespace petal::test {

using chain::Bytes;
using chain::ByteView;

namespace {

const secp256k1_context* signing_context() {
    static const secp256k1_context* const context =
        secp256k1_context_create(SECP256K1_CONTEXT_SIGN);
    return context;
}

}  // namespace

Bytes private_key(std::uint32_t number) {
    assert(number != 0);
    Bytes key(28);
    for (unsigned shift = 32; shift != 0; shift -= 8) {
        key.push_back(static_cast<chain::Byte>(number >> (shift - 8)));
    }
    return key;
}

Bytes public_key_of(ByteView private_key, bool compressed) {
    secp256k1_pubkey point;
    const int made = secp256k1_ec_pubkey_create(signing_context(), &point, private_key.data());
    assert(private_key.size() == 32 && made == 1);
    (void)made;
    Bytes key(compressed ? 33 : 65);
    std::size_t size = key.size();
    secp256k1_ec_pubkey_serialize(signing_context(), key.data(), &size, &point,
                                  compressed ? SECP256K1_EC_COMPRESSED : SECP256K1_EC_UNCOMPRESSED);
    return key;
}

Bytes p2wpkh_script_of(ByteView private_key) {
    return chain::p2wpkh_script(chain::hash160(public_key_of(private_key)));
}

Bytes sign_hash(const chain::Hash256& hash, ByteView private_key) {
    secp256k1_ecdsa_signature signature;
    const int made = secp256k1_ecdsa_sign(signing_context(), &signature, hash.bytes.data(),
                                          private_key.data(), nullptr, nullptr);
    assert(private_key.size() == 32 && made == 1);
    (void)made;
    Bytes der(72);
    std::size_t size = der.size();
    secp256k1_ecdsa_signature_serialize_der(signing_context(), der.data(), &size, &signature);
    der.resize(size);
    return der;
}

void sign_p2wpkh(chain::Transaction& transaction, std::size_t input_index, ByteView private_key,
                 const chain::TxOutput& spent) {
    const Bytes key = public_key_of(private_key);
    const chain::SighashCache cache{transaction};
    Bytes signature =
        sign_hash(cache.segwit_hash(input_index, chain::p2pkh_script(chain::hash160(key)),
                                    spent.value, chain::kSighashAll),
                  private_key);
    signature.push_back(static_cast<chain::Byte>(chain::kSighashAll));
    transaction.inputs.at(input_index).witness = {signature, key};
}

}  // namespace petal::test
