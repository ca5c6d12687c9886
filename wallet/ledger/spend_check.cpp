#include "wallet/ledger/spend_check.h"

#include <algorithm>
#include <vector>

#include "chain/script/signature_hash.h"

namespace petal::wallet {

namespace {

std::vector<std::optional<chain::TxOutput>> outputs_of(SpentOutputs spent) {
    std::vector<std::optional<chain::TxOutput>> outputs;
    for (const auto& known : spent) outputs.push_back(known ? known->output : std::nullopt);
    return outputs;
}

/// Verifies single inputs of a transaction. `transaction` and `spent` must outlive the verifier.
class InputVerifier {
public:
    InputVerifier(const chain::Transaction& transaction, SpentOutputs spent)
        : spent_(spent), all_(all_of(spent)), cache_(transaction, all_) {}

    /// The spent output must be known.
    chain::ScriptResult verify(std::size_t input) const {
        return chain::verify_input(cache_, input, *spent_[input]->output);
    }

private:
    /// Empty unless all outputs are known.
    static std::vector<chain::TxOutput> all_of(SpentOutputs spent) {
        std::vector<chain::TxOutput> all;
        for (const auto& known : spent) {
            if (!known || !known->output) return {};
            all.push_back(*known->output);
        }
        return all;
    }

    SpentOutputs spent_;
    std::vector<chain::TxOutput> all_;
    chain::SighashCache cache_;
};

RefusedSpend refused(std::size_t index, chain::ScriptError error) {
    const bool may_be_valid =
        chain::is_inconclusive(error) && error != chain::ScriptError::missing_witness;
    return {index, chain::describe(error), may_be_valid};
}

}  // namespace

std::optional<RefusedSpend> find_refused_spend(const chain::Transaction& transaction,
                                               SpentOutputs spent) {
    for (std::size_t i = 0; i < spent.size(); ++i) {
        if (!spent[i] || spent[i]->output) continue;
        return RefusedSpend{i, "the transaction that it spends from has no such output"};
    }
    const auto invalid = chain::find_invalid_input(transaction, outputs_of(spent));
    if (!invalid) return std::nullopt;
    const bool is_foreign_doubt = chain::is_inconclusive(invalid->error) &&
                                  invalid->error != chain::ScriptError::missing_witness &&
                                  !spent[invalid->index]->is_own;
    if (!is_foreign_doubt) return refused(invalid->index, invalid->error);
    // An inconclusive foreign input must not hide an inconclusive input of the wallet.
    const InputVerifier verifier(transaction, spent);
    for (std::size_t i = 0; i < spent.size(); ++i) {
        if (!spent[i] || !spent[i]->is_own) continue;
        if (const auto verdict = verifier.verify(i); !verdict) return refused(i, verdict.error());
    }
    return std::nullopt;
}

bool is_verified_child(const chain::Transaction& transaction, SpentOutputs spent,
                       const chain::Txid& parent) {
    const InputVerifier verifier(transaction, spent);
    for (std::size_t i = 0; i < spent.size(); ++i) {
        if (transaction.inputs[i].prevout.txid != parent) continue;
        if (spent[i] && spent[i]->output && verifier.verify(i)) return true;
    }
    return false;
}

}  // namespace petal::wallet
