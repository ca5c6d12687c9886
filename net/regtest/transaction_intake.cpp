#include "net/regtest/transaction_intake.h"

#include <utility>

#include "net/regtest/message_queue.h"

namespace petal::net {

GetData TransactionIntake::request(const Inv& announcement,
                                   const std::function<bool(const Inventory&)>& is_known) {
    GetData wanted;
    for (const Inventory& entry : announcement.entries) {
        if (entry.type == announced_as_) add_request(wanted, entry, is_known);
    }
    return wanted;
}

/// Orphans name their parents by txids, whichever way transactions are announced.
GetData TransactionIntake::request_parents(std::span<const chain::Txid> txids,
                                           const std::function<bool(const Inventory&)>& is_known) {
    GetData wanted;
    for (const auto& txid : txids) add_request(wanted, {InventoryType::tx, {txid.bytes}}, is_known);
    return wanted;
}

void TransactionIntake::add_request(GetData& wanted, const Inventory& entry,
                                    const std::function<bool(const Inventory&)>& is_known) {
    if (requested_.size() >= kMaxRequested || requested_.contains(entry.hash)) return;
    if (is_known(entry)) return;
    requested_.insert(entry.hash);
    const bool by_txid = entry.type == InventoryType::tx;
    const auto type = by_txid && has_witnesses_ ? InventoryType::witness_tx : entry.type;
    wanted.entries.push_back({type, entry.hash});
}

void TransactionIntake::take(chain::Transaction transaction) {
    requested_.erase({transaction.txid().bytes});
    requested_.erase({transaction.wtxid().bytes});
    arrived_bytes_ += wire_bytes(transaction);
    arrived_.push_back(std::move(transaction));
}

void TransactionIntake::take(const NotFound& message) {
    for (const Inventory& entry : message.entries) requested_.erase(entry.hash);
}

std::vector<chain::Transaction> TransactionIntake::take_all() {
    arrived_bytes_ = 0;
    return std::exchange(arrived_, {});
}

}  // namespace petal::net
