#include "client/spending/sent_payment.h"

#include <algorithm>
#include <set>

#include "chain/script/script.h"
#include "wallet/spending/sizes.h"

namespace petal::client {

bool may_lack_witness(const chain::Transaction& transaction) {
    if (transaction.has_witness()) return false;
    return transaction.is_coinbase() ||
           std::ranges::any_of(transaction.inputs, [](const chain::TxInput& input) {
               return chain::allows_witness(input.script_sig);
           });
}

/// The size of a payment whose witnesses may not be stored. Empty if the wallet has not signed all
/// of its inputs.
std::optional<std::size_t> SentPayments::size_of(const chain::Transaction& transaction,
                                                 const std::vector<wallet::KeyPath>& spent) const {
    if (!may_lack_witness(transaction)) return transaction.virtual_size();
    if (is_watch_only_ || spent.size() != transaction.inputs.size()) return std::nullopt;
    chain::Transaction bare = transaction;
    std::vector<wallet::InputCoin> coins;
    for (std::size_t i = 0; i < spent.size(); ++i) {
        const auto kind = wallet_.signing_kind(wallet_.script_at(spent[i]));
        if (!kind) return std::nullopt;
        bare.inputs[i].script_sig.clear();
        coins.emplace_back().form = *kind;
    }
    return (wallet::signed_weight(bare, coins) + 3) / 4;
}

std::optional<SentPayment> SentPayments::find(const wallet::HistoryEntry& entry) const {
    const auto known = entry.fee ? wallet_.known_transaction(entry.txid) : std::nullopt;
    if (!known) return std::nullopt;
    const wallet::OwnKeys own = wallet_.own_keys(entry.txid);
    std::set<chain::Bytes> own_scripts;
    for (const wallet::KeyPath path : own.paid) own_scripts.insert(wallet_.script_at(path));
    SentPayment payment;
    payment.shown = known->shown;
    payment.is_replacement = known->is_replacement;
    for (const chain::TxOutput& output : known->transaction.outputs) {
        if (!own_scripts.contains(output.script_pubkey)) payment.recipients.push_back(output);
    }
    const auto size = size_of(known->transaction, own.spent);
    if (size) {
        payment.fee_rate = static_cast<double>(*entry.fee) / static_cast<double>(*size);
    }
    return payment;
}

}  // namespace petal::client
