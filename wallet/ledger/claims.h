/// Decides between conflicting transactions that are unverified.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "chain/transaction.h"
#include "chain/watcher.h"
#include "wallet/ledger/conflicts.h"
#include "wallet/ledger/ledger.h"

namespace petal::wallet {

/// The maximum number of sources that are stored for a transaction. If all are of one network
/// group, a source of another group replaces one of them.
inline constexpr std::size_t kMaxSources = 8;

/// Adds sources to a transaction's known sources. Both lists are in ascending order.
std::vector<chain::TxSource> with_sources(std::vector<chain::TxSource> known,
                                          std::span<const chain::TxSource> more);

/// The nodes that currently show each transaction (chain::PresentSources).
using SourcesNow = std::map<chain::Txid, std::vector<chain::TxSource>>;

/// The transactions of `now`, in ascending order of the number of network groups, then of nodes,
/// that show the transaction.
std::vector<chain::Txid> least_shown_first(const SourcesNow& now);

/// Whether a conflicted transaction (the challenger) counts from now on instead of its rivals, the
/// transactions that it conflicts with. The challenger must be known, unconfirmed and unverified.
/// All rivals must be unverified. The challenger counts if both conditions hold for each rival:
/// - More network groups show the challenger now than the rival. If the same groups show both: more
///   nodes show the challenger.
/// - More than one peer's word supports the challenger, or the peer contradicts only itself. Either
///   two network groups show the challenger now. Or at least two groups have ever shown the
///   challenger, and fewer the rival. Or nodes of a single group have shown both, and the
///   challenger was shown by each node that showed the rival, or by more nodes than the rival.
///
/// Consequences:
/// - A single network group or node cannot replace a transaction of another group or node.
/// - A node can replace a transaction that only this node has shown, e.g. when the payer has
///   replaced the payment.
/// - A replacement that several honest nodes show counts, no matter which nodes showed the rival.
bool is_preferred(const Ledger& ledger, const LedgerTransaction& challenger,
                  const Conflicts& conflicts, const SourcesNow& now);

}  // namespace petal::wallet
