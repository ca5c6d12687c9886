#include "net/regtest/regtest_purse.h"

#include <algorithm>
#include <iterator>

namespace petal::net {
namespace {

/// What is worth less is not kept: it would hardly pay for its own spending.
constexpr chain::Satoshis kSmallestCoin = 10'000;

/// Those of a transaction's outputs that are the purse's.
std::vector<PurseCoin> purse_coins(const chain::Transaction& transaction, const chain::Txid& txid) {
    std::vector<PurseCoin> coins;
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        const auto& output = transaction.outputs[i];
        if (output.script_pubkey != kPurseScript) continue;
        coins.push_back({output.value, {txid, static_cast<std::uint32_t>(i)}});
    }
    return coins;
}

}  // namespace

void RegtestPurse::on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid) {
    for (const auto& coin : purse_coins(transaction, txid)) put(unconfirmed_, coin);
}

void RegtestPurse::on_block(const std::vector<chain::Transaction>& transactions,
                            const std::vector<chain::Txid>& txids, std::uint32_t height) {
    for (const auto& coin : purse_coins(transactions[0], txids[0])) {
        immature_.push_back({height, coin});
    }
    for (std::size_t i = 1; i < transactions.size(); ++i) {
        for (const auto& coin : purse_coins(transactions[i], txids[i])) {
            unconfirmed_.erase(coin);
            put(confirmed_, coin);
        }
        for (const auto& input : transactions[i].inputs) handed_out_.erase(input.prevout);
    }
}

void RegtestPurse::reset(const CoinSet& coins, const TransactionLayer& unconfirmed) {
    confirmed_.clear();
    unconfirmed_.clear();
    immature_.clear();
    for (const auto& [outpoint, coin] : coins.all()) {
        if (coin.output->script_pubkey != kPurseScript) continue;
        const PurseCoin purse_coin{coin.output->value, outpoint};
        if (coin.from_coinbase) {
            immature_.push_back({coin.height, purse_coin});
        } else {
            put(confirmed_, purse_coin);
        }
    }
    std::ranges::sort(immature_, {}, &Immature::height);
    for (const auto& [outpoint, output] : unconfirmed.created()) {
        if (output.script_pubkey == kPurseScript && !unconfirmed.is_spent(outpoint)) {
            put(unconfirmed_, {output.value, outpoint});
        }
    }
}

std::size_t RegtestPurse::ripen(std::uint32_t spend_height) {
    while (!immature_.empty() && immature_.front().height + kCoinbaseMaturity <= spend_height) {
        put(confirmed_, immature_.front().coin);
        immature_.pop_front();
    }
    return confirmed_.size();
}

chain::Satoshis RegtestPurse::confirmed_value() const {
    chain::Satoshis total = 0;
    for (const auto& coin : confirmed_) total += coin.value;
    return total;
}

std::optional<std::vector<PurseCoin>> RegtestPurse::take(chain::Satoshis amount,
                                                         chain::Satoshis amount_each,
                                                         const TransactionLayer& layer) {
    std::vector<PurseCoin> taken;
    chain::Satoshis missing = amount;
    for (auto* const coins : {&confirmed_, &unconfirmed_}) {
        while (missing > 0 && !coins->empty()) {
            const PurseCoin coin = *coins->rbegin();
            coins->erase(std::prev(coins->end()));
            if (layer.spendable(coin.outpoint) == nullptr) continue;
            taken.push_back(coin);
            missing += amount_each - coin.value;
        }
    }
    if (missing > 0) {
        confirmed_.insert(taken.begin(), taken.end());
        return std::nullopt;
    }
    for (const auto& coin : taken) handed_out_.insert(coin.outpoint);
    return taken;
}

void RegtestPurse::put(std::set<PurseCoin>& coins, const PurseCoin& coin) {
    if (coin.value >= kSmallestCoin && !handed_out_.contains(coin.outpoint)) coins.insert(coin);
}

}  // namespace petal::net
