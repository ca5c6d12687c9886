/// Selects the transactions of a ledger that are to be forgotten together.
#pragma once

#include <cstdint>
#include <vector>

#include "chain/transaction.h"
#include "wallet/ledger/ledger.h"

namespace petal::wallet {

/// A known transaction, followed by its unconfirmed descendants.
std::vector<chain::Txid> with_descendants(const Ledger& ledger, const chain::Txid& txid);

/// The unconfirmed transactions that were first seen at `time` or before, with their descendants;
/// without transactions that the user broadcast, and their ancestors.
std::vector<chain::Txid> unconfirmed_since(const Ledger& ledger, std::int64_t time);

/// The transactions that are undone, and the coinbases that are orphaned. Without those that pay
/// coins of the wallet that an unconfirmed transaction spends: only while the former are known can
/// it be told what the latter spends.
std::vector<chain::Txid> left_by_undone_blocks(const Ledger& ledger);

/// All transactions except the unconfirmed ones that the user broadcast, and the ancestors of
/// these. An ancestor is not needed if a confirmed transaction has replaced it or an ancestor of
/// it: without that conflict, it would return.
std::vector<chain::Txid> not_needed_by_announced(const Ledger& ledger);

}  // namespace petal::wallet
