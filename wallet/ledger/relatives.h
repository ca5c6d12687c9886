/// Finds the unconfirmed transactions that determine the fee which a payment must add for its
/// ancestors.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "chain/transaction.h"
#include "wallet/ledger/ledger.h"

namespace petal::wallet {

/// The maximum number of relatives. A cluster in a mempool has fewer transactions (Bitcoin Core:
/// 64).
inline constexpr std::size_t kMaxRelatives = 100;

/// The unconfirmed transactions of `spent` with all ancestors, then descendants that may pay for
/// these transactions, with all further ancestors. At most kMaxRelatives. Excludes transactions of
/// blocks that are to be searched again. A descendant is included only if
/// - all inputs are the wallet's, so that the fee is known and the signatures are verified,
/// - a node has shown the transaction, so that miners may have it, and
/// - the transaction is not conflicted.
///
/// spent      the transactions whose outputs a payment may spend
/// replaced   the transaction that the payment replaces, if any. Excluded
std::vector<const LedgerTransaction*> unconfirmed_relatives(
    const Ledger& ledger, const std::set<chain::Txid>& spent,
    const std::optional<chain::Txid>& replaced = std::nullopt);

}  // namespace petal::wallet
