#include "regtest/chain/regtest_purse.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "chain/byte_writer.h"
#include "chain/transaction_rules.h"

namespace petal::regtest {
namespace {

/// Smaller outputs are not kept: spending them would cost about their value.
constexpr chain::Satoshis kSmallestCoin = 10'000;

/// Smaller change is left to the miner, because most of it would be dust.
constexpr chain::Satoshis kSmallestChange = 1'000;

/// The fee of a payment per input and output: at least 10 sat/vB.
constexpr chain::Satoshis kFeeEach = 1'000;

/// Far more than the fees of the transactions that a conflict replaces.
constexpr chain::Satoshis kConflictFee = 1'000'000;

constexpr std::uint32_t kPurseKeyNumber = 1;

/// Signals replaceability (BIP125).
constexpr std::uint32_t kPaymentSequence = 0xfffffffd;
constexpr std::uint32_t kIrreplaceableSequence = 0xfffffffe;

/// The maximum size of a signed P2WPKH input.
constexpr std::size_t kInputSize = 68;
/// The size of a transaction without inputs, outputs and their counts.
constexpr std::size_t kBaseSize = 10;

/// The fee of a payment.
struct PaymentFee {
    chain::Satoshis base = 0;  ///< with all outputs, including the change
    chain::Satoshis of_input = 0;
};

chain::Satoshis value_of(const std::vector<chain::TxOutput>& outputs) {
    chain::Satoshis total = 0;
    for (const auto& output : outputs) total += output.value;
    return total;
}

PaymentFee fee_of(const std::vector<chain::TxOutput>& outputs, std::size_t change_script_size,
                  std::optional<chain::Satoshis> rate) {
    if (!rate) {
        return {kFeeEach * static_cast<chain::Satoshis>(outputs.size() + 1), kFeeEach};
    }
    const auto size_of = [](std::size_t script_size) {
        return sizeof(chain::Satoshis) + chain::compact_size_bytes(script_size) + script_size;
    };
    std::size_t size =
        kBaseSize + chain::compact_size_bytes(outputs.size() + 1) + size_of(change_script_size);
    for (const auto& output : outputs) size += size_of(output.script_pubkey.size());
    return {chain::fee_at_rate(*rate, size), chain::fee_at_rate(*rate, kInputSize)};
}

/// The first of the outputs also pays the remainder, as in Bitcoin Core.
void take_fee(std::vector<chain::TxOutput>& outputs, const std::vector<std::size_t>& from,
              chain::Satoshis fee) {
    const auto parts = static_cast<chain::Satoshis>(from.size());
    for (const std::size_t position : from) outputs[position].value -= fee / parts;
    outputs[from.front()].value -= fee % parts;
}

}  // namespace

chain::Bytes purse_script(PurseKind kind) {
    if (kind == PurseKind::anyone_can_spend) return kPurseScript;
    return RegtestKey::of_number(kPurseKeyNumber).script();
}

RegtestPurse::RegtestPurse(PurseKind kind) : script_(purse_script(kind)) {
    if (kind == PurseKind::p2wpkh) key_ = RegtestKey::of_number(kPurseKeyNumber);
}

std::vector<PurseCoin> RegtestPurse::own_coins(const chain::Transaction& transaction,
                                               const chain::Txid& txid) const {
    std::vector<PurseCoin> coins;
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        const auto& output = transaction.outputs[i];
        if (output.script_pubkey != script_) continue;
        coins.push_back({output.value, {txid, static_cast<std::uint32_t>(i)}});
    }
    return coins;
}

std::optional<chain::Transaction> RegtestPurse::make_payment(std::vector<chain::TxOutput> outputs,
                                                             const TransactionLayer& layer,
                                                             const PaymentTerms& terms) {
    const bool adds_fee = terms.fee_from.empty();
    const chain::Satoshis value = value_of(outputs);
    const PaymentFee fee = fee_of(outputs, script_.size(), terms.fee_rate);
    const auto coins =
        adds_fee ? take(value + fee.base, fee.of_input, layer) : take(value, 0, layer);
    if (!coins) return std::nullopt;

    const std::uint32_t sequence = terms.is_replaceable ? kPaymentSequence : kIrreplaceableSequence;
    chain::Transaction transaction;
    chain::Satoshis change = -value;
    chain::Satoshis total_fee = fee.base;
    for (const auto& coin : *coins) {
        transaction.inputs.push_back({coin.outpoint, {}, sequence, {}});
        change += coin.value;
        total_fee += fee.of_input;
    }
    transaction.outputs = std::move(outputs);
    if (adds_fee) {
        change -= total_fee;
    } else {
        take_fee(transaction.outputs, terms.fee_from, total_fee);
    }
    if (change >= kSmallestChange) transaction.outputs.push_back({change, script_});
    sign(transaction, *coins);
    return transaction;
}

std::optional<chain::Transaction> RegtestPurse::make_conflict(const chain::Outpoint& outpoint,
                                                              const chain::TxOutput& output) const {
    if (output.script_pubkey != script_) return std::nullopt;
    const chain::Satoshis fee = std::min(output.value / 2, kConflictFee);
    chain::Transaction transaction;
    transaction.inputs.push_back({outpoint, {}, kPaymentSequence, {}});
    transaction.outputs.push_back({output.value - fee, script_});
    sign(transaction, {{output.value, outpoint}});
    return transaction;
}

void RegtestPurse::sign(chain::Transaction& transaction,
                        const std::vector<PurseCoin>& coins) const {
    if (!key_) return;
    const chain::SighashCache cache{transaction};
    for (std::size_t i = 0; i < coins.size(); ++i) {
        transaction.inputs[i].witness = key_->sign(cache, i, coins[i].value);
    }
}

void RegtestPurse::on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid,
                                  const TransactionLayer& unconfirmed) {
    for (const auto& coin : own_coins(transaction, txid)) put(unconfirmed_, coin);
    for (const auto& input : transaction.inputs) {
        const auto spent = unconfirmed.output(input.prevout);
        if (spent && spent->script_pubkey == script_) reserved_[input.prevout] = true;
    }
}

void RegtestPurse::release(const CoinSet& coins, const TransactionLayer& unconfirmed) {
    std::vector<PurseCoin> released;
    for (auto at = reserved_.begin(); at != reserved_.end();) {
        const auto& [outpoint, is_in_transaction] = *at;
        if (!is_in_transaction || unconfirmed.is_spent(outpoint)) {
            ++at;
            continue;
        }
        // The output no longer exists if its transaction was removed, too.
        const auto output = unconfirmed.spendable(outpoint);
        if (output) released.push_back({output->value, outpoint});
        at = reserved_.erase(at);
    }
    for (const auto& coin : released) {
        put(coins.find(coin.outpoint) != nullptr ? confirmed_ : unconfirmed_, coin);
    }
}

void RegtestPurse::take_back(const chain::Transaction& payment, const CoinSet& coins,
                             const TransactionLayer& unconfirmed) {
    for (const auto& input : payment.inputs) {
        const auto reserved = reserved_.find(input.prevout);
        if (reserved != reserved_.end()) reserved->second = true;
    }
    release(coins, unconfirmed);
}

void RegtestPurse::on_block(const std::vector<chain::Transaction>& transactions,
                            const std::vector<chain::Txid>& txids, std::uint32_t height) {
    for (const auto& coin : own_coins(transactions[0], txids[0])) {
        immature_.push_back({height, coin});
    }
    for (std::size_t i = 1; i < transactions.size(); ++i) {
        for (const auto& coin : own_coins(transactions[i], txids[i])) {
            unconfirmed_.erase(coin);
            put(confirmed_, coin);
        }
        for (const auto& input : transactions[i].inputs) reserved_.erase(input.prevout);
    }
}

void RegtestPurse::reset(const CoinSet& coins, const TransactionLayer& unconfirmed) {
    confirmed_.clear();
    unconfirmed_.clear();
    immature_.clear();
    reserve_spent(coins, unconfirmed);
    for (const auto& [outpoint, coin] : coins.all()) {
        if (!is_own(coin)) continue;
        const PurseCoin purse_coin{coin.value(), outpoint};
        if (coin.from_coinbase()) {
            immature_.push_back({coin.height(), purse_coin});
        } else {
            put(confirmed_, purse_coin);
        }
    }
    std::ranges::sort(immature_, {}, &Immature::height);
    for (const auto& [outpoint, output] : unconfirmed.created()) {
        if (output.script_pubkey == script_) put(unconfirmed_, {output.value, outpoint});
    }
}

void RegtestPurse::reserve_spent(const CoinSet& coins, const TransactionLayer& unconfirmed) {
    std::erase_if(reserved_, [](const auto& reserved) { return reserved.second; });
    for (const auto& [outpoint, coin] : coins.all()) {
        if (is_own(coin) && unconfirmed.is_spent(outpoint)) reserved_[outpoint] = true;
    }
    for (const auto& [outpoint, output] : unconfirmed.created()) {
        const bool is_own = output.script_pubkey == script_;
        if (is_own && unconfirmed.is_spent(outpoint)) reserved_[outpoint] = true;
    }
}

bool RegtestPurse::is_own(const Coin& coin) const {
    return std::ranges::equal(coin.script_pubkey(), script_);
}

std::size_t RegtestPurse::ripen(std::uint32_t spend_height) {
    while (!immature_.empty() &&
           immature_.front().height + chain::kCoinbaseMaturity <= spend_height) {
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
            if (!layer.spendable(coin.outpoint)) continue;
            taken.push_back(coin);
            missing += amount_each - coin.value;
        }
    }
    if (missing > 0) {
        for (const auto& coin : taken) {
            put(layer.created().contains(coin.outpoint) ? unconfirmed_ : confirmed_, coin);
        }
        return std::nullopt;
    }
    for (const auto& coin : taken) reserved_.emplace(coin.outpoint, false);
    return taken;
}

void RegtestPurse::put(std::set<PurseCoin>& coins, const PurseCoin& coin) {
    if (coin.value >= kSmallestCoin && !reserved_.contains(coin.outpoint)) coins.insert(coin);
}

}  // namespace petal::regtest
