/// Finds the conflicted transactions.
#pragma once

#include <optional>
#include <unordered_map>

#include "chain/transaction.h"
#include "wallet/ledger/ledger.h"

namespace petal::wallet {

/// Maps each conflicted transaction to the transaction that counts instead
/// (HistoryEntry::replaced_by).
using Conflicts = std::unordered_map<chain::Txid, chain::Txid>;

/// Whether a transaction spends a coin of the wallet.
bool is_own_spend(const Ledger& ledger, const LedgerTransaction& transaction);
bool is_own_spend(const Ledger& ledger, const chain::Transaction& transaction);

/// The fee of a transaction in satoshi. Empty for a coinbase, and if not all inputs are known.
/// Takes time proportional to the number of inputs.
std::optional<chain::Satoshis> known_fee(const Ledger& ledger,
                                         const LedgerTransaction& transaction);

/// Finds the conflicted transactions among the ledger's unconfirmed transactions.
///
/// The transactions are replayed as in a node's mempool: a later transaction evicts an earlier
/// transaction with the same input, and all its descendants. There are three turns. Transactions of
/// a later turn never evict transactions of an earlier turn:
/// 1. Spends of the wallet's coins, signed with the wallet's keys, and their ancestors. A
///    conflicting transaction may be fabricated and counts only once confirmed.
/// 2. Transactions that are neither own spends nor claims.
/// 3. Claims, which evict nothing.
///
/// As a result, a transaction is conflicted exactly if
/// - a confirmed or a remaining transaction spends one of its inputs,
/// - its parent is conflicted, or
/// - it is an orphaned coinbase.
///
/// Takes time proportional to the number of SpendIndex::contenders().
Conflicts find_conflicts(const Ledger& ledger);

/// Whether the user has replaced this transaction, or an ancestor of it: the user has broadcast an
/// unconfirmed transaction that is not conflicted, spends one of the inputs and pays a higher fee.
/// Both fees must be known.
///
/// Transactions that the user did not broadcast never outbid: nodes also consider the fee rate, the
/// size and the lock time.
bool is_outbid(const Ledger& ledger, const LedgerTransaction& transaction,
               const Conflicts& conflicts);

}  // namespace petal::wallet
