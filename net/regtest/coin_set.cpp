#include "net/regtest/coin_set.h"

#include "chain/enum_table.h"
#include "chain/script/script.h"

namespace petal::net {
namespace {

bool is_money(chain::Satoshis value) {
    return value >= 0 && value <= chain::kMaxMoney;
}

chain::Outpoint outpoint_of(const chain::Txid& txid, std::size_t index) {
    return {txid, static_cast<std::uint32_t>(index)};
}

bool repeats_an_input(const chain::Transaction& transaction) {
    if (transaction.inputs.size() < 2) return false;
    std::unordered_set<chain::Outpoint> seen;
    for (const auto& input : transaction.inputs) {
        if (!seen.insert(input.prevout).second) return true;
    }
    return false;
}

}  // namespace

void CoinSet::connect(const std::vector<chain::Transaction>& transactions,
                      const std::vector<chain::Txid>& txids, std::uint32_t height) {
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        const auto& transaction = transactions[i];
        const bool is_coinbase = i == 0;
        if (!is_coinbase) {
            for (const auto& input : transaction.inputs) coins_.erase(input.prevout);
        }
        for (std::size_t k = 0; k < transaction.outputs.size(); ++k) {
            const auto& output = transaction.outputs[k];
            if (chain::classify(output.script_pubkey) == chain::ScriptType::null_data) continue;
            coins_.emplace(outpoint_of(txids[i], k), Coin{&output, height, is_coinbase});
        }
    }
}

const Coin* CoinSet::find(const chain::Outpoint& outpoint) const {
    const auto found = coins_.find(outpoint);
    return found == coins_.end() ? nullptr : &found->second;
}

std::string_view describe(TransactionFault fault) {
    using enum TransactionFault;
    static constexpr auto kTexts = chain::enum_table<TransactionFault, std::string_view>({
        {no_inputs, "the transaction has no inputs"},
        {no_outputs, "the transaction has no outputs"},
        {repeated_input, "the transaction spends an output twice"},
        {unavailable_input, "the transaction spends an output that is missing, spent or immature"},
        {value_out_of_range, "an output's value is no amount of money"},
        {outputs_above_inputs, "the transaction's outputs are worth more than its inputs"},
        {fee_too_low, "the transaction's fee is too low"},
    });
    return kTexts[fault];
}

chain::Expected<chain::Satoshis, TransactionFault> TransactionLayer::check(
    const chain::Transaction& transaction) const {
    if (transaction.inputs.empty()) return chain::Unexpected(TransactionFault::no_inputs);
    if (transaction.outputs.empty()) return chain::Unexpected(TransactionFault::no_outputs);
    if (repeats_an_input(transaction)) return chain::Unexpected(TransactionFault::repeated_input);

    chain::Satoshis fee = 0;
    for (const auto& input : transaction.inputs) {
        const chain::TxOutput* const spent = spendable(input.prevout);
        if (spent == nullptr) return chain::Unexpected(TransactionFault::unavailable_input);
        fee += spent->value;
    }
    for (const auto& output : transaction.outputs) {
        if (!is_money(output.value)) return chain::Unexpected(TransactionFault::value_out_of_range);
        fee -= output.value;
        if (fee < 0) return chain::Unexpected(TransactionFault::outputs_above_inputs);
    }
    return fee;
}

void TransactionLayer::add(const chain::Transaction& transaction, const chain::Txid& txid) {
    for (const auto& input : transaction.inputs) spent_.insert(input.prevout);
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        created_.emplace(outpoint_of(txid, i), transaction.outputs[i]);
    }
}

const chain::TxOutput* TransactionLayer::spendable(const chain::Outpoint& outpoint) const {
    if (is_spent(outpoint)) return nullptr;
    const Coin* const coin = coins_->find(outpoint);
    if (coin != nullptr) return coin->is_mature(spend_height_) ? coin->output : nullptr;
    const auto created = created_.find(outpoint);
    return created == created_.end() ? nullptr : &created->second;
}

const chain::TxOutput* TransactionLayer::output(const chain::Outpoint& outpoint) const {
    if (const Coin* const coin = coins_->find(outpoint)) return coin->output;
    const auto created = created_.find(outpoint);
    return created == created_.end() ? nullptr : &created->second;
}

}  // namespace petal::net
