#include "regtest/transaction_intake.h"

#include <optional>
#include <unordered_set>
#include <utility>

#include "regtest/message_queue.h"

namespace petal::regtest {

net::GetData TransactionIntake::request(const net::Inv& announcement, const IsKnown& is_known,
                                        Milliseconds now) {
    forget_unanswered(now);
    net::GetData wanted;
    std::unordered_set<chain::Hash256> seen;
    for (net::Inventory entry : announcement.entries) {
        // Specified for `getdata` alone. neutrino announces so, and Bitcoin Core takes the hash for
        // a txid.
        if (entry.type == net::InventoryType::witness_tx) {
            entry.type = net::InventoryType::tx;
        } else if (entry.type != announced_as_) {
            continue;
        }
        if (!seen.insert(entry.hash).second) continue;
        const auto parents =
            orphans_.pool ? orphans_.pool->announce(entry.hash, orphans_.peer) : std::nullopt;
        if (!parents) {
            add_request(wanted, entry, is_known, now);
            continue;
        }
        for (const auto& txid : *parents) {
            add_request(wanted, {net::InventoryType::tx, {txid.bytes}}, is_known, now);
        }
    }
    return wanted;
}

/// Inputs name parents by txid, even if transactions are announced by wtxid.
net::GetData TransactionIntake::request_parents(std::span<const chain::Txid> txids,
                                                const IsKnown& is_known, Milliseconds now) {
    if (txids.empty()) return {};
    forget_unanswered(now);
    net::GetData wanted;
    for (const auto& txid : txids) {
        add_request(wanted, {net::InventoryType::tx, {txid.bytes}}, is_known, now);
    }
    return wanted;
}

/// The limit alone triggers no request. The transaction is requested again once it is announced
/// again, or once an orphan needs it.
void TransactionIntake::forget_unanswered(Milliseconds now) {
    std::erase_if(requested_,
                  [now](const auto& request) { return now - request.second >= kAnswerLimit; });
}

void TransactionIntake::add_request(net::GetData& wanted, const net::Inventory& entry,
                                    const IsKnown& is_known, Milliseconds now) {
    if (requested_.size() >= kMaxRequested || requested_.contains(entry.hash)) return;
    if (is_known(entry)) return;
    requested_.emplace(entry.hash, now);
    const bool by_txid = entry.type == net::InventoryType::tx;
    const auto type = by_txid && has_witnesses_ ? net::InventoryType::witness_tx : entry.type;
    wanted.entries.push_back({type, entry.hash});
}

void TransactionIntake::take(chain::Transaction transaction) {
    requested_.erase({transaction.txid().bytes});
    requested_.erase({transaction.wtxid().bytes});
    arrived_.push(net::Tx{std::move(transaction)});
}

void TransactionIntake::take(const net::NotFound& message) {
    for (const net::Inventory& entry : message.entries) requested_.erase(entry.hash);
}

std::optional<chain::Transaction> TransactionIntake::take_one() {
    if (arrived_.empty()) return std::nullopt;
    return std::get<net::Tx>(arrived_.pop_front()).transaction;
}

}  // namespace petal::regtest
