#include "cli/regtest/demo_chain.h"

#include <algorithm>

#include "chain/byte_writer.h"
#include "chain/script/signature_hash.h"
#include "chain/transaction_rules.h"
#include "net/wire/message_header.h"

namespace petal::cli {
namespace {

constexpr chain::Satoshis kBitcoin = chain::kSatoshisPerBitcoin;
constexpr std::size_t kStrangers = 400;
/// The number of foreign keys: enough to make a filter's false positives visible.
constexpr std::uint32_t kStrangerKeys = 2'000;
/// Blocks that are mined first, so that the purse can make the foreign payments.
constexpr std::uint32_t kMinedFirst = chain::kCoinbaseMaturity + 10;
/// Signals replaceability (BIP125).
constexpr std::uint32_t kDemoSequence = 0xfffffffd;
constexpr std::uint32_t kWalletBegins = 200;  // the height after which the wallet appears
constexpr std::uint32_t kReceipts = 36;
constexpr std::uint32_t kSpends = 12;

std::uint64_t block_message_bytes(const regtest::RegtestBlock& block) {
    std::uint64_t bytes = net::kMessageHeaderBytes + chain::kHeaderBytes +
                          chain::compact_size_bytes(block.transactions.size());
    for (const chain::Transaction& transaction : block.transactions) {
        bytes += transaction.total_size();
    }
    return bytes;
}

/// Whether one of `times` events, spread evenly over `count` places, falls on this place.
bool is_turn(std::uint32_t place, std::uint32_t count, std::uint32_t times) {
    const auto before = std::uint64_t{place} * times / count;
    return (std::uint64_t{place} + 1) * times / count > before;
}

}  // namespace

DemoChain::DemoChain(Keys wallet, std::int64_t first_time)
    : wallet_(std::move(wallet)), chain_({first_time, regtest::PurseKind::p2wpkh}) {
    strangers_.reserve(kStrangerKeys);
    for (std::uint32_t i = 0; i < kStrangerKeys; ++i) {
        strangers_.push_back(regtest::RegtestKey::of_number(1'000 + i));
    }
    for (const auto& key : strangers_) owners_[key.script()] = {&key, false};
    for (const auto* const keys : {&wallet_.receive, &wallet_.change}) {
        for (const auto& key : *keys) owners_[key.script()] = {&key, true};
    }
    chain_.mine(kMinedFirst);
    std::vector<chain::TxOutput> outputs;
    for (std::size_t i = 0; i < kStrangers; ++i) outputs.push_back({kBitcoin / 2, stranger()});
    const chain::Transaction funding = chain_.make_payment(std::move(outputs));
    for (std::uint32_t height = 1; height <= chain_.height(); ++height) {
        const regtest::RegtestBlock block = chain_.block_at(height);
        block_bytes_ += block_message_bytes(block);
        transactions_ += block.transactions.size();
    }
    mine({funding}, {});
}

void DemoChain::mine_next(std::uint32_t blocks) {
    const std::uint32_t height = chain_.height() + 1;
    std::vector<chain::Transaction> transactions;
    const auto payments = 5 + random_() % 7;
    for (std::size_t i = 0; i < payments; ++i) transactions.push_back(make_stranger_payment());

    const bool wallet_is_there = height > kWalletBegins && height <= blocks;
    const std::uint32_t place = wallet_is_there ? height - kWalletBegins - 1 : 0;
    const std::uint32_t count = blocks - kWalletBegins;
    if (wallet_is_there && is_turn(place, count, kReceipts)) {
        transactions.push_back(make_receipt(amount_between(kBitcoin / 2'000, kBitcoin / 5)));
    }
    if (wallet_is_there && is_turn(place, count, kSpends) && wallet_coins_.size() >= 2) {
        transactions.push_back(make_wallet_spend(/*with_change=*/place % 3 != 0));
    }
    const bool wallet_mines = height == kWalletBegins + 10 || height + 20 == blocks;
    mine(std::move(transactions), wallet_mines ? next_receive() : chain::Bytes{});
}

void DemoChain::pay_unconfirmed() {
    chain_.submit(make_receipt(kBitcoin / 8));
}

chain::Satoshis DemoChain::amount_between(chain::Satoshis least, chain::Satoshis most) {
    return least + static_cast<chain::Satoshis>(random_()) % (most - least);
}

const chain::Bytes& DemoChain::stranger() {
    return strangers_[random_() % strangers_.size()].script();
}

chain::Transaction DemoChain::spend(const std::vector<Coin>& coins,
                                    std::vector<chain::TxOutput> outputs) {
    chain::Transaction transaction;
    for (const Coin& coin : coins) {
        transaction.inputs.push_back({coin.outpoint, {}, kDemoSequence, {}});
    }
    transaction.outputs = std::move(outputs);
    const chain::SighashCache cache{transaction};
    for (std::size_t i = 0; i < coins.size(); ++i) {
        transaction.inputs[i].witness = coins[i].key->sign(cache, i, coins[i].value);
    }
    return transaction;
}

DemoChain::Coin DemoChain::take_stranger_coin() {
    const Coin coin = stranger_coins_.front();
    stranger_coins_.pop_front();
    return coin;
}

chain::Transaction DemoChain::make_stranger_payment() {
    std::vector<Coin> coins{take_stranger_coin()};
    // Merges two coins if there are too many coins or if the first is small, so that the number of
    // coins stays about constant.
    if (stranger_coins_.size() > kStrangers || coins[0].value < kBitcoin / 100) {
        coins.push_back(take_stranger_coin());
    }
    chain::Satoshis value = 0;
    for (const Coin& coin : coins) value += coin.value;
    const chain::Satoshis fee = amount_between(200, 2'000);
    const chain::Satoshis payment = amount_between(value / 10, value / 2);
    return spend(coins, {{payment, stranger()}, {value - payment - fee, stranger()}});
}

chain::Transaction DemoChain::make_receipt(chain::Satoshis amount) {
    const auto rich = std::find_if(stranger_coins_.begin(), stranger_coins_.end(),
                                   [&](const Coin& coin) { return coin.value > amount + 10'000; });
    if (rich == stranger_coins_.end()) return chain_.make_payment({{amount, next_receive()}});
    const Coin coin = *rich;
    stranger_coins_.erase(rich);
    return spend({coin}, {{amount, next_receive()}, {coin.value - amount - 700, stranger()}});
}

chain::Transaction DemoChain::make_wallet_spend(bool with_change) {
    const Coin first = wallet_coins_.front();
    wallet_coins_.pop_front();
    const Coin second = wallet_coins_.front();
    wallet_coins_.pop_front();
    const chain::Satoshis value = first.value + second.value - 1'400;
    if (!with_change) return spend({first, second}, {{value, stranger()}});
    const chain::Satoshis payment = amount_between(value / 3, value / 2);
    return spend({first, second}, {{payment, stranger()}, {value - payment, next_change()}});
}

void DemoChain::mine(std::vector<chain::Transaction> transactions,
                     chain::ByteView coinbase_script) {
    const regtest::RegtestBlock block = chain_.mine_block(std::move(transactions), coinbase_script);
    block_bytes_ += block_message_bytes(block);
    transactions_ += block.transactions.size();
    for (const chain::Transaction& transaction : block.transactions) {
        if (!transaction.is_coinbase()) collect_coins(transaction);
    }
}

void DemoChain::collect_coins(const chain::Transaction& transaction) {
    const chain::Txid txid = transaction.txid();
    for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
        const chain::TxOutput& output = transaction.outputs[i];
        const auto owner = owners_.find(output.script_pubkey);
        if (owner == owners_.end()) continue;  // change of the purse
        auto& coins = owner->second.is_wallets ? wallet_coins_ : stranger_coins_;
        coins.push_back({{txid, i}, output.value, owner->second.key});
    }
}

}  // namespace petal::cli
