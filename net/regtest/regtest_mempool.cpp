#include "net/regtest/regtest_mempool.h"

#include <algorithm>
#include <unordered_set>

namespace petal::net {

chain::Expected<void, TransactionFault> RegtestMempool::submit(chain::Transaction transaction,
                                                               const chain::Txid& txid,
                                                               std::uint64_t since) {
    if (conflicts_with(transaction)) {
        RegtestMempool remaining = without_conflicts(transaction);
        const auto result = remaining.submit(std::move(transaction), txid, since);
        if (result) *this = std::move(remaining);
        return result;
    }
    const auto fee = layer_.check(transaction);
    if (!fee) return chain::Unexpected(fee.error());
    append(std::move(transaction), {txid, *fee, since});
    return {};
}

RegtestMempool RegtestMempool::revalidated(TransactionLayer empty_layer,
                                           std::vector<chain::Transaction> returned,
                                           std::uint64_t since) && {
    RegtestMempool result(std::move(empty_layer));
    for (auto& transaction : returned) {
        const chain::Txid txid = transaction.txid();
        result.append_if_valid(std::move(transaction), {txid, 0, since});
    }
    for (std::size_t i = 0; i < transactions_.size(); ++i) {
        result.append_if_valid(std::move(transactions_[i]), entries_[i]);
    }
    return result;
}

std::optional<std::size_t> RegtestMempool::find(const chain::Txid& txid) const {
    const auto found = positions_.find(txid);
    if (found == positions_.end()) return std::nullopt;
    return found->second;
}

void RegtestMempool::append(chain::Transaction transaction, const MempoolEntry& entry) {
    layer_.add(transaction, entry.txid);
    positions_.emplace(entry.txid, transactions_.size());
    entries_.push_back(entry);
    transactions_.push_back(std::move(transaction));
}

/// A transaction that a block confirmed is not valid any more either: its inputs are spent.
void RegtestMempool::append_if_valid(chain::Transaction transaction, MempoolEntry entry) {
    const auto fee = layer_.check(transaction);
    if (!fee) return;
    entry.fee = *fee;
    append(std::move(transaction), entry);
}

bool RegtestMempool::conflicts_with(const chain::Transaction& transaction) const {
    return std::ranges::any_of(
        transaction.inputs, [this](const auto& input) { return layer_.is_spent(input.prevout); });
}

RegtestMempool RegtestMempool::without_conflicts(const chain::Transaction& transaction) const {
    std::unordered_set<chain::Outpoint> contested;
    for (const auto& input : transaction.inputs) contested.insert(input.prevout);
    const auto is_contested = [&contested](const auto& input) {
        return contested.contains(input.prevout);
    };

    // A transaction that spends what is contested leaves; its descendants do for want of an input.
    RegtestMempool result(layer_.emptied());
    for (std::size_t i = 0; i < transactions_.size(); ++i) {
        if (std::ranges::any_of(transactions_[i].inputs, is_contested)) continue;
        result.append_if_valid(transactions_[i], entries_[i]);
    }
    return result;
}

}  // namespace petal::net
