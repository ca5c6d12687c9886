#include "tests/support/signing.h"

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include <cassert>
#include <utility>

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

Bytes x_only_key_of(const secp256k1_keypair& pair) {
    secp256k1_xonly_pubkey key;
    Bytes bytes(32);
    const int made = secp256k1_keypair_xonly_pub(signing_context(), &key, nullptr, &pair);
    assert(made == 1);
    (void)made;
    secp256k1_xonly_pubkey_serialize(signing_context(), bytes.data(), &key);
    return bytes;
}

// The key of the P2TR output without a script path (BIP86).
secp256k1_keypair taproot_key_of(ByteView private_key) {
    secp256k1_keypair pair;
    int made = secp256k1_keypair_create(signing_context(), &pair, private_key.data());
    assert(private_key.size() == 32 && made == 1);
    const auto tweak = chain::tagged_hash("TapTweak", x_only_key_of(pair));
    made = secp256k1_keypair_xonly_tweak_add(signing_context(), &pair, tweak.data());
    assert(made == 1);
    (void)made;
    return pair;
}

Bytes with_type(Bytes signature, std::uint32_t hash_type) {
    signature.push_back(static_cast<chain::Byte>(hash_type));
    return signature;
}

// Signs P2WPKH, and the witness of P2SH-P2WPKH.
void sign_witness(chain::Transaction& transaction, std::size_t input_index, ByteView private_key,
                  chain::Satoshis amount) {
    const Bytes key = public_key_of(private_key);
    const auto hash = chain::SighashCache{transaction}.segwit_hash(
        input_index, chain::p2pkh_script(chain::hash160(key)), amount, chain::kSighashAll);
    const Bytes signature = with_type(sign_hash(hash, private_key), chain::kSighashAll);
    transaction.inputs.at(input_index).witness = {signature, key};
}

Bytes multisig_of(ByteView private_key) {
    Bytes script{0x51};
    const Bytes key = chain::push_data(public_key_of(private_key));
    script.insert(script.end(), key.begin(), key.end());
    script.insert(script.end(), {0x51, 0xae});
    return script;
}

void sign_p2wsh(chain::Transaction& transaction, std::size_t input_index, ByteView private_key,
                chain::Satoshis amount) {
    const Bytes script = multisig_of(private_key);
    const auto hash = chain::SighashCache{transaction}.segwit_hash(input_index, script, amount,
                                                                   chain::kSighashAll);
    const Bytes signature = with_type(sign_hash(hash, private_key), chain::kSighashAll);
    transaction.inputs.at(input_index).witness = {{}, signature, script};
}

void sign_p2pkh(chain::Transaction& transaction, std::size_t input_index, ByteView private_key,
                const Bytes& script) {
    const auto hash =
        chain::SighashCache{transaction}.legacy_hash(input_index, script, chain::kSighashAll);
    Bytes script_sig =
        chain::push_data(with_type(sign_hash(hash, private_key), chain::kSighashAll));
    const Bytes key = chain::push_data(public_key_of(private_key));
    script_sig.insert(script_sig.end(), key.begin(), key.end());
    transaction.inputs.at(input_index).script_sig = script_sig;
}

void sign_p2tr(chain::Transaction& transaction, std::size_t input_index, ByteView private_key,
               const chain::TxOutput& spent, std::span<const chain::TxOutput> spent_outputs) {
    if (transaction.inputs.size() == 1) spent_outputs = {&spent, 1};
    const std::uint32_t hash_type =
        spent_outputs.empty() ? chain::kSighashAll | chain::kSighashAnyoneCanPay : 0;
    const auto hash =
        chain::SighashCache{transaction, spent_outputs}.taproot_hash(input_index, spent, hash_type);
    assert(hash);
    const Bytes signature = sign_taproot_hash(*hash, private_key);
    transaction.inputs.at(input_index).witness = {hash_type == 0 ? signature
                                                                 : with_type(signature, hash_type)};
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

Bytes script_of(chain::ScriptType type, ByteView private_key) {
    switch (type) {
        case chain::ScriptType::p2pkh:
            return chain::p2pkh_script(chain::hash160(public_key_of(private_key)));
        case chain::ScriptType::p2sh:
            return chain::p2sh_script(chain::hash160(p2wpkh_script_of(private_key)));
        case chain::ScriptType::p2wsh:
            return chain::witness_program_script(0, chain::sha256(multisig_of(private_key)));
        case chain::ScriptType::p2tr:
            return chain::witness_program_script(1, x_only_key_of(taproot_key_of(private_key)));
        default:
            assert(type == chain::ScriptType::p2wpkh);
            return p2wpkh_script_of(private_key);
    }
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

Bytes with_high_s(const Bytes& signature) {
    secp256k1_ecdsa_signature parsed;
    Bytes compact(64);
    const auto* const context = signing_context();
    int made = secp256k1_ecdsa_signature_parse_der(context, &parsed, signature.data(),
                                                   signature.size() - 1);
    assert(made == 1);
    secp256k1_ecdsa_signature_serialize_compact(context, compact.data(), &parsed);
    made = secp256k1_ec_seckey_negate(context, compact.data() + 32);
    assert(made == 1);
    made = secp256k1_ecdsa_signature_parse_compact(context, &parsed, compact.data());
    assert(made == 1);
    (void)made;
    Bytes der(72);
    std::size_t size = der.size();
    secp256k1_ecdsa_signature_serialize_der(context, der.data(), &size, &parsed);
    der.resize(size);
    return with_type(std::move(der), signature.back());
}

Bytes sign_taproot_hash(const std::array<chain::Byte, 32>& hash, ByteView private_key) {
    const secp256k1_keypair pair = taproot_key_of(private_key);
    Bytes signature(64);
    const int made = secp256k1_schnorrsig_sign32(signing_context(), signature.data(), hash.data(),
                                                 &pair, nullptr);
    assert(made == 1);
    (void)made;
    return signature;
}

void sign_input(chain::Transaction& transaction, std::size_t input_index, ByteView private_key,
                const chain::TxOutput& spent, std::span<const chain::TxOutput> spent_outputs) {
    switch (chain::classify(spent.script_pubkey)) {
        case chain::ScriptType::p2pkh:
            return sign_p2pkh(transaction, input_index, private_key, spent.script_pubkey);
        case chain::ScriptType::p2sh:
            transaction.inputs.at(input_index).script_sig =
                chain::push_data(p2wpkh_script_of(private_key));
            return sign_witness(transaction, input_index, private_key, spent.value);
        case chain::ScriptType::p2wsh:
            return sign_p2wsh(transaction, input_index, private_key, spent.value);
        case chain::ScriptType::p2tr:
            return sign_p2tr(transaction, input_index, private_key, spent, spent_outputs);
        default:
            return sign_witness(transaction, input_index, private_key, spent.value);
    }
}

bool is_segwit(ScriptPlace place) {
    return place == ScriptPlace::p2wsh || place == ScriptPlace::p2sh_p2wsh;
}

Bytes output_script_of(ScriptPlace place, const Bytes& script) {
    const Bytes inside =
        is_segwit(place) ? chain::witness_program_script(0, chain::sha256(script)) : script;
    const bool is_in_p2sh = place == ScriptPlace::p2sh || place == ScriptPlace::p2sh_p2wsh;
    return is_in_p2sh ? chain::p2sh_script(chain::hash160(inside)) : inside;
}

Bytes sign_script(const chain::Transaction& transaction, std::size_t input_index, ScriptPlace place,
                  const Bytes& script, chain::Satoshis amount, ByteView private_key,
                  std::uint32_t hash_type) {
    const chain::SighashCache cache{transaction};
    const auto hash = is_segwit(place) ? cache.segwit_hash(input_index, script, amount, hash_type)
                                       : cache.legacy_hash(input_index, script, hash_type);
    return with_type(sign_hash(hash, private_key), hash_type);
}

void put_script_items(chain::TxInput& input, ScriptPlace place, const Bytes& script,
                      const std::vector<Bytes>& items) {
    input.script_sig.clear();
    input.witness.clear();
    const auto push = [&](const Bytes& item) {
        const Bytes pushed = chain::push_data(item);
        input.script_sig.insert(input.script_sig.end(), pushed.begin(), pushed.end());
    };
    if (is_segwit(place)) {
        for (const Bytes& item : items) input.witness.push_back(item);
        input.witness.push_back(script);
        if (place == ScriptPlace::p2sh_p2wsh) {
            push(output_script_of(ScriptPlace::p2wsh, script));
        }
        return;
    }
    for (const Bytes& item : items) push(item);
    if (place == ScriptPlace::p2sh) push(script);
}

}  // namespace petal::test
