#include "net/regtest/transaction_intake.h"

#include <utility>

#include "net/regtest/message_queue.h"

namespace petal::net {

GetData TransactionIntake::request(const Inv& announcement,
                                   const std::function<bool(const Inventory&)>& is_known) {
    GetData wanted;
    for (const Inventory& entry : announcement.entries) {
        if (requested_.size() >= kMaxRequested) break;
        if (entry.type != announced_as_ || requested_.contains(entry.hash)) continue;
        if (is_known(entry)) continue;
        requested_.insert(entry.hash);
        const bool by_txid = entry.type == InventoryType::tx;
        const auto type = by_txid && has_witnesses_ ? InventoryType::witness_tx : entry.type;
        wanted.entries.push_back({type, entry.hash});
    }
    return wanted;
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
