/// The index from outputs to spending transactions, and of the conflicts.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "chain/transaction.h"

namespace petal::wallet {

struct LedgerTransaction;

/// Maps outputs to the transactions that spend them. Points to transactions that the ledger owns. A
/// caller that changes a transaction's placement must call remove() before and add() after the
/// change. Both take time proportional to the number of inputs and of their spenders.
class SpendIndex {
public:
    using Transactions = std::vector<const LedgerTransaction*>;

    /// Allocates memory for the inputs of this number of confirmed transactions.
    void reserve(std::size_t transactions) { confirmed_.reserve(transactions); }
    void add(const LedgerTransaction& transaction);
    void remove(const LedgerTransaction& transaction);

    /// Null if there is none. Takes constant time.
    const LedgerTransaction* confirmed_spender(const chain::Outpoint& outpoint) const;
    /// In no particular order. Takes constant time.
    const Transactions& unconfirmed_spenders(const chain::Outpoint& outpoint) const;
    /// The unconfirmed transactions that spend outputs of `txid`, in no particular order. Takes
    /// constant time.
    const Transactions& unconfirmed_children(const chain::Txid& txid) const;

    /// Whether another transaction spends one of the inputs. Takes time proportional to the number
    /// of inputs.
    bool is_contested(const LedgerTransaction& transaction) const;

    /// The unconfirmed transactions that may be conflicted, in order of seen_order: is_contested()
    /// transactions, orphaned coinbases, and the descendants of both. Takes time proportional to
    /// the number of contenders and of their inputs.
    Transactions contenders() const;

private:
    using Spends = std::unordered_map<chain::Outpoint, Transactions>;

    void remove_confirmed(const chain::Outpoint& outpoint, const LedgerTransaction* transaction);
    void update_contested(const chain::Outpoint& outpoint);

    boost::unordered_flat_map<chain::Outpoint, const LedgerTransaction*, std::hash<chain::Outpoint>>
        confirmed_;
    /// Further spenders of outputs in confirmed_. Only a damaged file has any.
    std::unordered_multimap<chain::Outpoint, const LedgerTransaction*> also_confirmed_;
    Spends unconfirmed_;
    std::unordered_map<chain::Txid, Transactions> children_;
    /// Outputs with an unconfirmed spender and at least one more spender.
    std::unordered_set<chain::Outpoint> contested_;
    std::unordered_set<const LedgerTransaction*> orphaned_coinbases_;
};

}  // namespace petal::wallet
