#include "wallet/ledger/ledger_indexes.h"

namespace petal::wallet {

void LedgerIndexes::add(const LedgerTransaction& transaction) {
    const auto& unsearched_height = transaction.unsearched_height;
    if (unsearched_height) unsearched_.emplace(*unsearched_height, &transaction);
    if (transaction.is_undone()) {
        undone_.emplace(transaction.seen_order, &transaction);
        return;
    }
    spends_.add(transaction);
    if (transaction.placement) return;
    unconfirmed_.emplace(transaction.seen_order, &transaction);
    if (transaction.announced) return;
    ++load_.count;
    load_.bytes += transaction.stored_bytes;
}

void LedgerIndexes::remove(const LedgerTransaction& transaction) {
    const auto& unsearched_height = transaction.unsearched_height;
    if (unsearched_height) unsearched_.erase({*unsearched_height, &transaction});
    if (transaction.is_undone()) {
        undone_.erase(transaction.seen_order);
        return;
    }
    spends_.remove(transaction);
    if (transaction.placement) return;
    unconfirmed_.erase(transaction.seen_order);
    if (transaction.announced) return;
    --load_.count;
    load_.bytes -= transaction.stored_bytes;
}

const LedgerTransaction* LedgerIndexes::first_unsearched() const {
    return unsearched_.empty() ? nullptr : unsearched_.begin()->second;
}

const LedgerTransaction* LedgerIndexes::last_unsearched() const {
    return unsearched_.empty() ? nullptr : unsearched_.rbegin()->second;
}

}  // namespace petal::wallet
