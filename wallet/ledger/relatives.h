/// Finds the unconfirmed transactions that decide how much a payment owes for its ancestors.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "chain/transaction.h"
#include "wallet/ledger/ledger.h"

namespace petal::wallet {

/// The maximum number of relatives. Nodes relay fewer in one cluster (Bitcoin Core: 64).
inline constexpr std::size_t kMaxRelatives = 100;

/// The unconfirmed transactions among these, all their ancestors, then descendants that may pay for
/// them, with the other ancestors of such descendants. A descendant counts only if
/// - all its inputs are the wallet's: its fee is known, and its signatures are verified;
/// - a node has shown it: a miner can take no other;
/// - it is not conflicted.
/// Transactions of blocks that are to be searched again do not count. At most kMaxRelatives.
/// spent      the transactions whose outputs a payment may spend
/// replaced   the transaction that the payment replaces, if any, which does not count
std::vector<const LedgerTransaction*> unconfirmed_relatives(
    const Ledger& ledger, const std::set<chain::Txid>& spent,
    const std::optional<chain::Txid>& replaced = std::nullopt);

}  // namespace petal::wallet
