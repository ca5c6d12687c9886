#include "regtest/rpc/wallet_methods/own_coins.h"

#include <set>
#include <string>
#include <utility>

namespace petal::regtest::rpc {
namespace {

/// The scripts from which the wallet's transactions have spent.
std::set<chain::Bytes> spent_scripts(const wallet::Wallet& keys) {
    std::set<chain::Bytes> scripts;
    for (const wallet::HistoryEntry& entry : keys.history(0)) {
        if (entry.sent == 0 || !entry.counts()) continue;
        for (const wallet::KeyPath path : keys.own_keys(entry.txid).spent) {
            scripts.insert(keys.script_at(path));
        }
    }
    return scripts;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): bounded by the mempool's limit on ancestors
bool Trust::is_trusted(const chain::Txid& txid) {
    const auto known = known_.find(txid);
    if (known != known_.end()) return known->second;
    const wallet::Wallet& keys = *wallet_.keys();
    const auto entry = keys.transaction(txid);
    bool is_trusted = entry && entry->height;
    if (entry && !entry->height && entry->fee && wallet_.chain().is_pending(txid)) {
        const auto stored = keys.known_transaction(txid);
        is_trusted = stored.has_value();
        for (std::size_t i = 0; is_trusted && i < stored->transaction.inputs.size(); ++i) {
            is_trusted = this->is_trusted(stored->transaction.inputs[i].prevout.txid);
        }
    }
    known_.emplace(txid, is_trusted);
    return is_trusted;
}

std::vector<OwnCoin> own_coins(const wallets::NamedWallet& wallet) {
    std::vector<OwnCoin> result;
    const wallet::Wallet* const keys = wallet.keys();
    if (keys == nullptr) return result;
    const bool tells_reuse = wallet.flags().avoids_reuse;
    const auto spent = tells_reuse ? spent_scripts(*keys) : std::set<chain::Bytes>{};
    Trust trust(wallet);
    for (wallet::Coin& coin : keys->coins()) {
        if (!coin.height && !wallet.chain().is_pending(coin.outpoint.txid)) continue;
        OwnCoin own;
        own.outpoint = coin.outpoint;
        own.value = coin.value;
        own.path = coin.path;
        own.confirmations = coin.confirmations;
        own.is_mature = !coin.coinbase || coin.confirmations >= kMatureConfirmations;
        own.is_trusted = coin.height || trust.is_trusted(coin.outpoint.txid);
        own.is_reused = spent.contains(coin.script_pubkey);
        own.script_pubkey = std::move(coin.script_pubkey);
        own.label = std::move(coin.label);
        result.push_back(std::move(own));
    }
    return result;
}

}  // namespace petal::regtest::rpc
