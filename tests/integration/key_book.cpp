#include "tests/integration/key_book.h"

#include <array>
#include <memory>
#include <stdexcept>

#include "chain/byte_writer.h"
#include "wallet/mnemonic.h"

namespace petal::test {
namespace {

constexpr std::uint32_t kSigHashAll = 1;

/// What the signature of one input covers (BIP143).
chain::Hash256 signature_hash(const chain::Transaction& transaction, std::size_t input,
                              const SpendableOutput& spent) {
    chain::ByteWriter prevouts;
    chain::ByteWriter sequences;
    for (const chain::TxInput& each : transaction.inputs) {
        prevouts.bytes(each.prevout.serialize());
        sequences.u32(each.sequence);
    }
    chain::ByteWriter outputs;
    for (const chain::TxOutput& output : transaction.outputs) {
        outputs.i64(output.value).var_bytes(output.script_pubkey);
    }
    // The script code of P2WPKH is the P2PKH script of the same hash.
    chain::Bytes script_code{0x76, 0xa9, 0x14};
    const chain::Bytes& program = spent.output.script_pubkey;
    script_code.insert(script_code.end(), program.begin() + 2, program.end());
    script_code.insert(script_code.end(), {0x88, 0xac});

    chain::ByteWriter message;
    message.i32(transaction.version);
    message.bytes(chain::sha256d(prevouts.view()).view());
    message.bytes(chain::sha256d(sequences.view()).view());
    message.bytes(spent.outpoint.serialize());
    message.var_bytes(script_code);
    message.i64(spent.output.value);
    message.u32(transaction.inputs[input].sequence);
    message.bytes(chain::sha256d(outputs.view()).view());
    message.u32(transaction.lock_time);
    message.u32(kSigHashAll);
    return chain::sha256d(message.view());
}

/// A signature as scripts want it: DER, then the kind of hash.
chain::Bytes sign_hash(const chain::Hash256& hash, const wallet::PrivateKey& key) {
    const std::unique_ptr<secp256k1_context, decltype(&secp256k1_context_destroy)> context(
        secp256k1_context_create(SECP256K1_CONTEXT_SIGN), &secp256k1_context_destroy);
    secp256k1_ecdsa_signature signature;
    std::array<chain::Byte, 72> der{};
    std::size_t size = der.size();
    if (secp256k1_ecdsa_sign(context.get(), &signature, hash.bytes.data(), key.view().data(),
                             nullptr, nullptr) != 1 ||
        secp256k1_ecdsa_signature_serialize_der(context.get(), der.data(), &size, &signature) != 1) {
        throw std::runtime_error("can't sign");
    }
    chain::Bytes result(der.begin(), der.begin() + static_cast<std::ptrdiff_t>(size));
    result.push_back(static_cast<chain::Byte>(kSigHashAll));
    return result;
}

wallet::ExtendedPrivateKey account_of(const std::string& mnemonic) {
    const auto words = wallet::Mnemonic::parse(mnemonic);
    const auto seed = words.value().seed("");
    const auto master = wallet::ExtendedPrivateKey::from_seed(seed.value().view());
    return master.value()
        .derive_path(wallet::account_path(wallet::ScriptKind::wpkh, 1))
        .value();
}

}  // namespace

chain::Bytes KeyBook::add(const wallet::PrivateKey& key) {
    const chain::Bytes script = wallet::script_for(wallet::ScriptKind::wpkh, key.public_key());
    keys_.emplace(script, key);
    return script;
}

void KeyBook::sign(chain::Transaction& transaction,
                   const std::vector<SpendableOutput>& spent) const {
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const wallet::PrivateKey& key = keys_.at(spent.at(i).output.script_pubkey);
        const wallet::CompressedKey public_key = key.public_key().compressed();
        transaction.inputs[i].witness = {
            sign_hash(signature_hash(transaction, i, spent[i]), key),
            chain::Bytes(public_key.begin(), public_key.end())};
    }
}

AccountKeys::AccountKeys(const std::string& mnemonic) : account_(account_of(mnemonic)) {}

chain::Bytes AccountKeys::script(wallet::KeyChain chain, std::uint32_t index) {
    const auto known = scripts_.find({chain, index});
    if (known != scripts_.end()) return known->second;
    const std::array<std::uint32_t, 2> path{static_cast<std::uint32_t>(chain), index};
    const chain::Bytes script = book_.add(account_.derive_path(path).value().key());
    scripts_.emplace(wallet::KeyPath{chain, index}, script);
    return script;
}

}  // namespace petal::test
