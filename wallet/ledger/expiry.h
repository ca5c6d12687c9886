/// Selects transactions to forget.
#pragma once

#include <cstdint>
#include <vector>

#include "chain/transaction.h"
#include "wallet/ledger/ledger.h"

namespace petal::wallet {

/// A known transaction, followed by its unconfirmed descendants.
std::vector<chain::Txid> with_descendants(const Ledger& ledger, const chain::Txid& txid);

/// The unconfirmed transactions that were first seen at `time` or before, and their descendants.
/// Excludes transactions that the user broadcast, and their ancestors.
std::vector<chain::Txid> unconfirmed_since(const Ledger& ledger, std::int64_t time);

/// The undone transactions and the orphaned coinbases. Excludes a transaction while an unconfirmed
/// transaction spends one of its outputs that pay the wallet: without the transaction, the spent
/// amount would be unknown.
std::vector<chain::Txid> left_by_undone_blocks(const Ledger& ledger);

/// All transactions except the user's unconfirmed broadcasts and their ancestors. A broadcast is
/// not kept if a confirmed transaction has replaced it or an unconfirmed ancestor: once that
/// conflict is forgotten, the broadcast would count again.
std::vector<chain::Txid> not_needed_by_announced(const Ledger& ledger);

}  // namespace petal::wallet
