#include "tests/integration/actors.h"

#include <cassert>

#include "chain/network_params.h"
#include "tests/support/account_ring.h"
#include "tests/support/signing.h"
#include "wallet/keys/mnemonic.h"

namespace petal::test {

namespace {

constexpr chain::Satoshis kFee = 2'000;

wallet::ExtendedPrivateKey account_key(wallet::ScriptKind kind) {
    const auto seed = wallet::Mnemonic::parse(kMnemonic).value().seed("").value();
    const auto master = wallet::ExtendedPrivateKey::from_seed(seed.view()).value();
    const auto path = wallet::account_path({kind}, chain::find_network("regtest")->coin_type);
    return master.derive_path(path).value();
}

const chain::Bytes kWorldKey(32, 7);

}  // namespace

Owner::Owner(wallet::ScriptKind kind)
    : account_(account_key(kind)), ring_(account_ring(kind, account_.public_key(), {20, 600})) {
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
    std::vector<chain::TxOutput> spent;
    for (const chain::TxInput& input : transaction.inputs) {
        const auto coin = coins.find(input.prevout);
        if (coin != coins.end()) spent.push_back(coin->second);
    }
    if (spent.size() < transaction.inputs.size()) spent.clear();
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const auto coin = coins.find(transaction.inputs[i].prevout);
        if (coin == coins.end()) continue;
        const auto path = find(coin->second.script_pubkey);
        if (!path) continue;
        const auto key =
            account_.derive(path->descriptor.value).value().derive(path->index).value();
        sign_input(transaction, i, key.key().view(), coin->second, spent);
    }
}

const chain::Bytes& World::script() {
    static const chain::Bytes result = p2wpkh_script_of(kWorldKey);
    return result;
}

void World::prepare() {
    node_.mine_empty(100, script());
    // Until after the segwit deployment on servers that vote on it.
    node_.mine_empty(360, chain::Bytes{0x51});
    for (const regtest::RegtestBlock& block : node_.blocks()) {
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
    sign_input(transaction, 0, kWorldKey, values_.at(coin));
    return transaction;
}

}  // namespace petal::test
