#include "regtest/mempool/coin_set.h"

#include <algorithm>
#include <utility>

#include "chain/byte_reader.h"
#include "chain/script/script.h"
#include "chain/transaction_rules.h"

namespace petal::regtest {
namespace {

chain::Outpoint outpoint_of(const chain::Txid& txid, std::size_t index) {
    return {txid, static_cast<std::uint32_t>(index)};
}

/// The fee of a transaction that spends these coins in the next block (Bitcoin Core:
/// Consensus::CheckTxInputs).
chain::Expected<chain::Satoshis, RejectReason> fee_of(const chain::Transaction& transaction,
                                                      const std::vector<SpentCoin>& coins) {
    chain::Satoshis fee = 0;
    for (const SpentCoin& coin : coins) {
        if (!coin.is_mature) return chain::Unexpected(RejectReason::premature_coinbase);
        fee += coin.value;
    }
    for (const auto& output : transaction.outputs) fee -= output.value;
    if (fee < 0) return chain::Unexpected(RejectReason::outputs_above_inputs);
    return fee;
}

}  // namespace

chain::Satoshis Coin::value() const {
    return chain::ByteReader({output_, output_bytes_}).read_i64();
}

chain::ByteView Coin::script_pubkey() const {
    return script_of({output_, output_bytes_});
}

chain::TxOutput Coin::output() const {
    const auto script = script_pubkey();
    return {value(), {script.begin(), script.end()}};
}

std::vector<Coin> CoinSet::connect(const std::vector<TransactionView>& transactions,
                                   const std::vector<chain::Txid>& txids, std::uint32_t height) {
    std::vector<Coin> spent;
    std::size_t inputs = 0;
    for (const auto& transaction : transactions) inputs += transaction.spent.size();
    spent.reserve(inputs - 1);  // without the coinbase's
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        for (const auto& outpoint : transactions[i].spent) {
            const auto found = coins_.find(outpoint);
            if (found == coins_.end()) continue;  // a coinbase, or a block of a hostile miner
            spent.push_back(found->second);
            coins_.erase(found);
        }
        const auto& outputs = transactions[i].outputs;
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            const Coin coin(outputs[k], height, /*from_coinbase=*/i == 0);
            if (chain::is_unspendable(coin.script_pubkey())) continue;
            coins_.emplace(outpoint_of(txids[i], k), coin);
        }
    }
    return spent;
}

const Coin* CoinSet::find(const chain::Outpoint& outpoint) const {
    const auto found = coins_.find(outpoint);
    return found == coins_.end() ? nullptr : &found->second;
}

std::map<chain::Outpoint, chain::TxOutput> CoinSet::of_script(chain::ByteView script_pubkey) const {
    std::map<chain::Outpoint, chain::TxOutput> result;
    for (const auto& [outpoint, coin] : coins_) {
        if (!std::ranges::equal(coin.script_pubkey(), script_pubkey)) continue;
        result.emplace(outpoint, coin.output());
    }
    return result;
}

chain::Expected<chain::Satoshis, RejectReason> TransactionLayer::check(
    const chain::Transaction& transaction, Conflicts conflicts) const {
    if (const auto sound = chain::check_transaction(transaction); !sound) {
        return chain::Unexpected(reason_of(sound.error(), transaction));
    }
    if (transaction.is_coinbase()) return chain::Unexpected(RejectReason::coinbase);
    if (!is_final(transaction, *times_)) return chain::Unexpected(RejectReason::non_final);

    std::vector<SpentCoin> coins;
    std::vector<std::uint32_t> heights;
    for (const auto& input : transaction.inputs) {
        const bool is_conflict = conflicts == Conflicts::refused && is_spent(input.prevout);
        const auto found = coin(input.prevout);
        if (is_conflict || !found) return chain::Unexpected(RejectReason::missing_input);
        heights.push_back(found->height);
        coins.push_back(*found);
    }
    if (!are_sequence_locks_met(transaction, heights, *times_)) {
        return chain::Unexpected(RejectReason::sequence_lock);
    }
    return fee_of(transaction, coins);
}

void TransactionLayer::add(const chain::Transaction& transaction, const chain::Txid& txid) {
    for (const auto& input : transaction.inputs) spent_.emplace(input.prevout, txid);
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        created_.emplace(outpoint_of(txid, i), transaction.outputs[i]);
    }
}

void TransactionLayer::remove(const chain::Transaction& transaction, const chain::Txid& txid) {
    for (const auto& input : transaction.inputs) spent_.erase(input.prevout);
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        created_.erase(outpoint_of(txid, i));
    }
}

std::optional<chain::TxOutput> TransactionLayer::spendable(const chain::Outpoint& outpoint) const {
    if (is_spent(outpoint)) return std::nullopt;
    const auto found = coin(outpoint);
    if (!found || !found->is_mature) return std::nullopt;
    return found->output();
}

std::optional<chain::TxOutput> TransactionLayer::output(const chain::Outpoint& outpoint) const {
    const auto found = coin(outpoint);
    if (!found) return std::nullopt;
    return found->output();
}

std::vector<chain::TxOutput> TransactionLayer::spent_outputs(
    const chain::Transaction& transaction) const {
    std::vector<chain::TxOutput> outputs;
    outputs.reserve(transaction.inputs.size());
    for (const auto& input : transaction.inputs) outputs.push_back(*output(input.prevout));
    return outputs;
}

const chain::Txid* TransactionLayer::spender(const chain::Outpoint& outpoint) const {
    const auto found = spent_.find(outpoint);
    return found == spent_.end() ? nullptr : &found->second;
}

bool TransactionLayer::is_confirmed(const chain::Transaction& transaction,
                                    const chain::Txid& txid) const {
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        if (coins_->find(outpoint_of(txid, i)) != nullptr) return true;
    }
    return false;
}

std::optional<SpentCoin> TransactionLayer::coin(const chain::Outpoint& outpoint) const {
    const std::uint32_t next_height = times_->next_height();
    if (const Coin* const coin = coins_->find(outpoint)) {
        return SpentCoin{coin->value(), coin->script_pubkey(), coin->height(),
                         coin->is_mature(next_height)};
    }
    const auto created = created_.find(outpoint);
    if (created == created_.end()) return std::nullopt;
    const auto& [value, script_pubkey] = created->second;
    return SpentCoin{value, script_pubkey, next_height, true};
}

}  // namespace petal::regtest
