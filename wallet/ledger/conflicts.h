/// Finds the unconfirmed transactions that conflict with others.
#pragma once

#include <unordered_map>

#include "chain/transaction.h"
#include "wallet/ledger/ledger.h"

namespace petal::wallet {

/// Conflicted transactions, each with the winner that HistoryEntry::replaced_by names.
using Conflicts = std::unordered_map<chain::Txid, chain::Txid>;

/// Whether a transaction spends a coin of the wallet's.
bool is_own_spend(const Ledger& ledger, const LedgerTransaction& transaction);
bool is_own_spend(const Ledger& ledger, const chain::Transaction& transaction);

/// Finds the conflicted ones of the ledger's unconfirmed transactions.
///
/// The transactions are played through as a node's memory pool would take them: the later one
/// evicts the earlier with the same input, and all that descends from it. Spends of the wallet's
/// coins, which its keys have signed, and what they descend from come before all others. So only
/// another spend of the wallet's evicts them: whatever else conflicts with them may be made up, and
/// has to be confirmed first. In the end one is conflicted exactly where a confirmed or a remaining
/// transaction spends one of its inputs, where its parent is conflicted, or where it is a coinbase.
/// A coinbase that may yet be found in a block, as in a rescan, is not. Takes time in proportion to
/// the transactions that can be conflicted (SpendIndex::contenders()).
Conflicts find_conflicts(const Ledger& ledger);

/// Whether the user has announced another unconfirmed transaction that stands, spends one of the
/// inputs and pays a higher fee, both fees being known: the user has replaced this one. Of those
/// that others announce, the higher fee alone does not say which one nodes keep: that depends on
/// the fee rate, the size and the lock time, too. What descends from an outbid one is outbid.
bool is_outbid(const Ledger& ledger, const LedgerTransaction& transaction,
               const Conflicts& conflicts);

}  // namespace petal::wallet
