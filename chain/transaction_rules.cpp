#include "chain/transaction_rules.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "chain/enum_table.h"

namespace petal::chain {

namespace {

constexpr std::size_t kMinCoinbaseScript = 2;
constexpr std::size_t kMaxCoinbaseScript = 100;

std::optional<TransactionFlaw> flaw_of_outputs(const std::vector<TxOutput>& outputs) {
    Satoshis total = 0;
    for (const TxOutput& output : outputs) {
        if (output.value < 0 || output.value > kMaxMoney)
            return TransactionFlaw::value_out_of_range;
        total += output.value;
        if (total > kMaxMoney) return TransactionFlaw::total_out_of_range;
    }
    return std::nullopt;
}

bool repeats_an_input(const std::vector<TxInput>& inputs) {
    std::vector<Outpoint> spent;
    spent.reserve(inputs.size());
    for (const TxInput& input : inputs) spent.push_back(input.prevout);
    std::sort(spent.begin(), spent.end());
    return std::adjacent_find(spent.begin(), spent.end()) != spent.end();
}

std::optional<TransactionFlaw> flaw_of_inputs(const Transaction& transaction) {
    if (repeats_an_input(transaction.inputs)) return TransactionFlaw::repeated_input;
    if (transaction.is_coinbase()) {
        const std::size_t size = transaction.inputs.front().script_sig.size();
        if (size >= kMinCoinbaseScript && size <= kMaxCoinbaseScript) return std::nullopt;
        return TransactionFlaw::coinbase_script;
    }
    const bool any_null = std::any_of(transaction.inputs.begin(), transaction.inputs.end(),
                                      [](const TxInput& input) { return input.prevout.is_null(); });
    if (any_null) return TransactionFlaw::null_input;
    return std::nullopt;
}

}  // namespace

std::string_view describe(TransactionFlaw flaw) {
    using enum TransactionFlaw;
    static constexpr auto kTexts = enum_table<TransactionFlaw, std::string_view>({
        {no_inputs, "it has no inputs"},
        {no_outputs, "it has no outputs"},
        {too_large, "it is too large for any block"},
        {value_out_of_range, "the value of an output is below zero or above 21 million bitcoin"},
        {total_out_of_range, "its outputs are worth more than 21 million bitcoin together"},
        {repeated_input, "it spends an output twice"},
        {null_input, "one of its inputs spends nothing"},
        {coinbase_script, "it is a coinbase whose script is not of 2 to 100 bytes"},
    });
    return kTexts[flaw];
}

Expected<void, TransactionFlaw> check_transaction(const Transaction& transaction) {
    if (transaction.inputs.empty()) return Unexpected(TransactionFlaw::no_inputs);
    if (transaction.outputs.empty()) return Unexpected(TransactionFlaw::no_outputs);
    if (transaction.stripped_size() > kMaxStrippedBytes) {
        return Unexpected(TransactionFlaw::too_large);
    }
    if (const auto flaw = flaw_of_outputs(transaction.outputs)) return Unexpected(*flaw);
    if (const auto flaw = flaw_of_inputs(transaction)) return Unexpected(*flaw);
    return {};
}

Satoshis fee_at_rate(Satoshis rate, std::size_t virtual_size) {
    // Multiplied in two parts because the full product may overflow.
    const auto size = static_cast<Satoshis>(virtual_size);
    return rate / 1'000 * size + (rate % 1'000 * size + 999) / 1'000;
}

}  // namespace petal::chain
