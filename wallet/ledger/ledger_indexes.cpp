#include "wallet/ledger/ledger_indexes.h"

namespace petal::wallet {

void LedgerIndexes::add(const LedgerTransaction& transaction) {
    if (transaction.awaits_search) {
        awaiting_search_.emplace(transaction.placement->height, &transaction);
    }
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
    if (transaction.awaits_search) {
        awaiting_search_.erase({transaction.placement->height, &transaction});
    }
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

const LedgerTransaction* LedgerIndexes::first_awaiting_search() const {
    return awaiting_search_.empty() ? nullptr : awaiting_search_.begin()->second;
}

}  // namespace petal::wallet
