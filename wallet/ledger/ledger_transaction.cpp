#include "wallet/ledger/ledger_transaction.h"

#include <utility>

#include "chain/script/script.h"
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

/// The height at the start of a coinbase's script, as in every block since BIP34; nothing if there
/// is none.
std::optional<std::uint32_t> height_in_coinbase(const chain::Transaction& coinbase) {
    constexpr std::size_t kMostBytes = 4;
    const chain::Bytes& script = coinbase.inputs.front().script_sig;
    if (script.empty()) return std::nullopt;
    if (script[0] >= chain::kOp1 && script[0] <= chain::kOp16) return script[0] - chain::kOp1 + 1;
    if (script[0] == 0 || script[0] > kMostBytes || script.size() <= script[0]) return std::nullopt;
    std::uint32_t height = 0;
    for (std::size_t i = script[0]; i > 0; --i) height = height << 8 | script[i];
    return height;
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
    result.coinbase = transaction.is_coinbase();
    if (result.coinbase) result.coinbase_height = height_in_coinbase(transaction);
    return result;
}

}  // namespace petal::wallet
