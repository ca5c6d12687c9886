#include "tests/integration/actors.h"

#include <secp256k1.h>

#include <cassert>
#include <stdexcept>

#include "chain/byte_writer.h"
#include "chain/network_params.h"
#include "chain/script/script.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/keys/secp256k1.h"

namespace petal::test {

namespace {

constexpr chain::Satoshis kFee = 2'000;

wallet::ExtendedPrivateKey account_key() {
    const auto seed = wallet::Mnemonic::parse(kMnemonic).value().seed("").value();
    const auto master = wallet::ExtendedPrivateKey::from_seed(seed.view()).value();
    const auto path =
        wallet::account_path(wallet::ScriptKind::wpkh, chain::find_network("regtest")->coin_type);
    return master.derive_path(path).value();
}

wallet::PrivateKey world_key() {
    return wallet::PrivateKey::parse(chain::Bytes(32, 7)).value();
}

// What a P2WPKH input signs (BIP143, SIGHASH_ALL).
chain::Hash256 signature_hash(const chain::Transaction& transaction, std::size_t index,
                              chain::ByteView key_hash, chain::Satoshis value) {
    chain::ByteWriter prevouts;
    chain::ByteWriter sequences;
    for (const auto& input : transaction.inputs) {
        prevouts.bytes(input.prevout.serialize());
        sequences.u32(input.sequence);
    }
    chain::ByteWriter outputs;
    for (const auto& output : transaction.outputs) {
        outputs.i64(output.value).var_bytes(output.script_pubkey);
    }
    const auto& input = transaction.inputs[index];
    chain::ByteWriter script_code;
    script_code.bytes(chain::Bytes{0x76, 0xa9, 0x14})
        .bytes(key_hash)
        .bytes(chain::Bytes{0x88, 0xac});
    chain::ByteWriter message;
    message.i32(transaction.version)
        .bytes(chain::sha256d(prevouts.view()).view())
        .bytes(chain::sha256d(sequences.view()).view())
        .bytes(input.prevout.serialize())
        .var_bytes(script_code.view())
        .i64(value)
        .u32(input.sequence)
        .bytes(chain::sha256d(outputs.view()).view())
        .u32(transaction.lock_time)
        .u32(1);
    return chain::sha256d(message.view());
}

chain::Bytes signature(const chain::Hash256& hash, const wallet::PrivateKey& key) {
    static secp256k1_context* const context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN);
    secp256k1_ecdsa_signature parsed;
    if (secp256k1_ecdsa_sign(context, &parsed, hash.bytes.data(), key.view().data(), nullptr,
                             nullptr) != 1) {
        throw std::runtime_error("cannot sign");
    }
    chain::Bytes der(73);
    std::size_t size = der.size();
    secp256k1_ecdsa_signature_serialize_der(context, der.data(), &size, &parsed);
    der.resize(size);
    der.push_back(1);  // SIGHASH_ALL
    return der;
}

void sign_input(chain::Transaction& transaction, std::size_t index, const wallet::PrivateKey& key,
                chain::Satoshis value) {
    const auto public_key = key.public_key().compressed();
    const auto hash = signature_hash(transaction, index, chain::hash160(public_key), value);
    transaction.inputs[index].witness = {signature(hash, key),
                                         chain::Bytes(public_key.begin(), public_key.end())};
}

}  // namespace

Owner::Owner()
    : account_(account_key()),
      ring_(wallet::ScriptKind::wpkh, account_.public_key(), wallet::LookAhead{20, 600}) {
    ring_.extend();
}

const chain::Bytes& Owner::script(wallet::KeyPath path) const {
    return ring_.script_at(path);
}

std::optional<wallet::KeyPath> Owner::find(chain::ByteView script_pubkey) const {
    return ring_.find(script_pubkey);
}

void Owner::sign(chain::Transaction& transaction,
                 const std::map<chain::Outpoint, chain::TxOutput>& coins) const {
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const auto coin = coins.find(transaction.inputs[i].prevout);
        if (coin == coins.end()) continue;
        const auto path = find(coin->second.script_pubkey);
        if (!path) continue;
        const auto key = account_.derive(static_cast<std::uint32_t>(path->chain))
                             .value()
                             .derive(path->index)
                             .value();
        sign_input(transaction, i, key.key(), coin->second.value);
    }
}

const chain::Bytes& World::script() {
    static const chain::Bytes result =
        chain::p2wpkh_script(chain::hash160(world_key().public_key().compressed()));
    return result;
}

void World::prepare() {
    node_.mine_empty(100, script());
    node_.mine_empty(360, chain::Bytes{0x51});  // past the vote on segwit of servers that hold one
    for (const net::Block& block : node_.blocks()) {
        const auto& coinbase = block.transactions[0];
        if (coinbase.outputs[0].script_pubkey != script()) continue;
        const chain::Outpoint coin{block.txids[0], 0};
        coins_.push_back(coin);
        values_.emplace(coin, coinbase.outputs[0]);
    }
}

chain::Transaction World::pay(std::vector<chain::TxOutput> outputs) {
    const chain::Outpoint coin = coins_.front();
    coins_.pop_front();
    return pay_from(coin, std::move(outputs), kFee);
}

chain::Transaction World::replace(const chain::Transaction& payment,
                                  std::vector<chain::TxOutput> outputs, int fees) {
    return pay_from(payment.inputs[0].prevout, std::move(outputs), fees * kFee);
}

chain::Transaction World::pay_from(const chain::Outpoint& coin,
                                   std::vector<chain::TxOutput> outputs, chain::Satoshis fee) {
    chain::Transaction transaction;
    transaction.inputs.push_back({coin, {}, 0xfffffffd, {}});
    chain::Satoshis change = values_.at(coin).value - fee;
    for (const auto& output : outputs) change -= output.value;
    assert(change > 0);
    transaction.outputs = std::move(outputs);
    transaction.outputs.push_back({change, script()});
    sign_input(transaction, 0, world_key(), values_.at(coin).value);
    return transaction;
}

}  // namespace petal::test
