/// Finds the unconfirmed transactions that conflict with others.
#pragma once

#include <optional>
#include <unordered_map>

#include "chain/transaction.h"
#include "wallet/ledger/ledger.h"

namespace petal::wallet {

/// Conflicted transactions, each with the winner that HistoryEntry::replaced_by names.
using Conflicts = std::unordered_map<chain::Txid, chain::Txid>;

/// Whether a transaction spends a coin of the wallet's.
bool is_own_spend(const Ledger& ledger, const LedgerTransaction& transaction);
bool is_own_spend(const Ledger& ledger, const chain::Transaction& transaction);

/// The fee of a transaction in satoshi; empty for a coinbase, and if not all inputs are known.
/// Takes time proportional to the inputs.
std::optional<chain::Satoshis> known_fee(const Ledger& ledger,
                                         const LedgerTransaction& transaction);

/// Finds the conflicted transactions among the ledger's unconfirmed ones.
///
/// The transactions are replayed like in a node's mempool: a later transaction evicts an earlier
/// one with the same input, and all its descendants. Spends of the wallet's coins, signed with its
/// keys, and their ancestors are replayed before all others. So only another spend by the wallet
/// evicts them: any other conflicting transaction may be fabricated and counts once confirmed.
/// Claims are replayed after all others, and evict nothing. The result: a transaction is conflicted
/// exactly if a confirmed or remaining transaction spends one of its inputs, if its parent is
/// conflicted, or if it is an orphaned coinbase. The time is proportional to the number of
/// transactions that can be conflicted (SpendIndex::contenders()).
Conflicts find_conflicts(const Ledger& ledger);

/// Whether the user has announced another unconfirmed transaction that is not conflicted, spends
/// one of the inputs and pays a higher fee, if both fees are known: the user has replaced this one.
/// For transactions of other origin the higher fee alone does not decide which one nodes keep: that
/// depends on the fee rate, the size and the lock time, too. Descendants of an outbid transaction
/// are outbid.
bool is_outbid(const Ledger& ledger, const LedgerTransaction& transaction,
               const Conflicts& conflicts);

}  // namespace petal::wallet
