#include "wallet/ledger/ledger_transaction.h"

#include <utility>

#include "chain/transaction_rules.h"

namespace petal::wallet {

using chain::Outpoint;
using chain::Txid;

namespace {

std::vector<Outpoint> prevouts_of(const chain::Transaction& transaction) {
    std::vector<Outpoint> prevouts;
    if (transaction.is_coinbase()) return prevouts;
    prevouts.reserve(transaction.inputs.size());
    for (const chain::TxInput& input : transaction.inputs) prevouts.push_back(input.prevout);
    return prevouts;
}

}  // namespace

std::optional<LedgerTransaction> summarize(const chain::Transaction& transaction, const Txid& txid,
                                           std::vector<Credit> credits) {
    if (!chain::check_transaction(transaction)) return std::nullopt;
    LedgerTransaction result;
    result.txid = txid;
    result.inputs = prevouts_of(transaction);
    result.credits = std::move(credits);
    for (const chain::TxOutput& output : transaction.outputs) result.output_total += output.value;
    return result;
}

}  // namespace petal::wallet
