#include "net/sync/unconfirmed/spend_check.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

#include "chain/script/input_verification.h"
#include "chain/transaction_rules.h"

namespace petal::net {

using chain::Unexpected;

namespace {

std::string fault_of(std::size_t input, std::string_view what) {
    return "input " + std::to_string(input) + ": " + std::string(what);
}

/// The sum of the outputs of a transaction that passed check_transaction().
chain::Satoshis total_of(const chain::Transaction& transaction) {
    const auto& outputs = transaction.outputs;
    return std::accumulate(
        outputs.begin(), outputs.end(), chain::Satoshis{0},
        [](chain::Satoshis sum, const auto& output) { return sum + output.value; });
}

FaultBlame blame_for(chain::ScriptError error) {
    using enum chain::ScriptError;
    if (error == missing_witness) return FaultBlame::peers_with_witnesses;
    return chain::is_inconclusive(error) ? FaultBlame::no_peer : FaultBlame::every_peer;
}

}  // namespace

chain::Expected<bool, SpendFault> check_spends(const chain::Transaction& transaction,
                                               const FindOutput& find_output) {
    const auto fault = [](std::string_view what) {
        return Unexpected(SpendFault{FaultBlame::every_peer, std::string(what)});
    };
    if (const auto sound = chain::check_transaction(transaction); !sound) {
        return fault(describe(sound.error()));
    }
    if (transaction.is_coinbase()) return fault("it is a coinbase");

    std::vector<std::optional<chain::TxOutput>> spent;
    for (const chain::TxInput& input : transaction.inputs) {
        spent.push_back(find_output(input.prevout));
    }
    const bool is_judged =
        std::ranges::all_of(spent, [](const auto& output) { return output.has_value(); });
    const auto add_value = [](chain::Satoshis sum, const auto& output) {
        return sum + output->value;
    };
    if (is_judged && std::accumulate(spent.begin(), spent.end(), chain::Satoshis{0}, add_value) <
                         total_of(transaction)) {
        return fault("it pays more than it spends");
    }
    // Last, because verification is slow.
    constexpr auto kAtOnce = chain::IfInconclusive::return_at_once;
    if (const auto invalid = chain::find_invalid_input(transaction, spent, kAtOnce)) {
        return Unexpected(SpendFault{blame_for(invalid->error),
                                     fault_of(invalid->index, describe(invalid->error))});
    }
    return is_judged;
}

}  // namespace petal::net
