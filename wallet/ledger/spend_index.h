/// An index of the outputs that a ledger's transactions spend, and of the conflicts.
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
/// transaction is indexed as confirmed or unconfirmed, by its placement when it was added: remove()
/// it before the placement changes, and add() it again. Both take time proportional to its inputs
/// and to the other spenders of these.
class SpendIndex {
public:
    using Transactions = std::vector<const LedgerTransaction*>;

    /// Makes room for the inputs of this many confirmed transactions.
    void reserve(std::size_t transactions) { confirmed_.reserve(transactions); }
    void add(const LedgerTransaction& transaction);
    void remove(const LedgerTransaction& transaction);

    /// Null for none. In constant time.
    const LedgerTransaction* confirmed_spender(const chain::Outpoint& outpoint) const;
    /// In no order. In constant time.
    const Transactions& unconfirmed_spenders(const chain::Outpoint& outpoint) const;
    /// Unconfirmed transactions that spend any output of this one, in no particular order. Takes
    /// constant time.
    const Transactions& unconfirmed_children(const chain::Txid& txid) const;

    /// Whether another transaction spends an input of this one, too. Takes time proportional to its
    /// inputs.
    bool is_contested(const LedgerTransaction& transaction) const;

    /// All unconfirmed transactions that can be conflicted, in order of seen_order: those with an
    /// input that another transaction spends, too, orphaned coinbases, and the descendants of both.
    /// Takes time proportional to these and their inputs.
    Transactions contenders() const;

private:
    using Spends = std::unordered_map<chain::Outpoint, Transactions>;

    void remove_confirmed(const chain::Outpoint& outpoint, const LedgerTransaction* transaction);
    void update_contested(const chain::Outpoint& outpoint);

    boost::unordered_flat_map<chain::Outpoint, const LedgerTransaction*, std::hash<chain::Outpoint>>
        confirmed_;
    /// Further spenders of outputs in confirmed_. The ledger adds none; files may be damaged.
    std::unordered_multimap<chain::Outpoint, const LedgerTransaction*> also_confirmed_;
    Spends unconfirmed_;
    std::unordered_map<chain::Txid, Transactions> children_;
    /// Outputs with an unconfirmed spender and another spender.
    std::unordered_set<chain::Outpoint> contested_;
    std::unordered_set<const LedgerTransaction*> orphaned_coinbases_;
};

}  // namespace petal::wallet
