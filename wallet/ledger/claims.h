/// Decides which of conflicting transactions counts if nothing verifies any of them.
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

/// The most sources that are kept for a transaction. One more of another network group takes the
/// place of another.
inline constexpr std::size_t kMaxSources = 8;

/// The sources of a transaction after these have shown it, too. Both are ascending.
std::vector<chain::TxSource> with_sources(std::vector<chain::TxSource> known,
                                          std::span<const chain::TxSource> more);

/// The nodes that show each transaction now; none for one that is not in it.
using SourcesNow = std::map<chain::Txid, std::vector<chain::TxSource>>;

/// The transactions of `now` in ascending order of how many show them.
std::vector<chain::Txid> least_shown_first(const SourcesNow& now);

/// Whether a conflicted transaction, the challenger, counts from now on, instead of its rivals: the
/// transactions that it conflicts with. The challenger is known and unconfirmed, and nothing
/// verifies the challenger or a rival. The challenger counts if two conditions hold for each rival:
/// - More network groups show the challenger now than the rival or, if the same groups show both,
///   more nodes.
/// - Two network groups show the challenger now. Or at least two groups have ever shown the
///   challenger, and fewer the rival. Or nodes of a single group have shown both, and the
///   challenger was shown by each node that showed the rival, or by more nodes than the rival.
///
/// So a single network group replaces no transaction that another group has shown, and a single
/// node replaces no transaction that another node has shown. But one node replaces a transaction
/// that only this node has shown, as when the payer has replaced the payment. And if several honest
/// nodes show the replacement, the replacement counts, whichever nodes showed the rival before.
bool is_preferred(const Ledger& ledger, const LedgerTransaction& challenger,
                  const Conflicts& conflicts, const SourcesNow& now);

}  // namespace petal::wallet
