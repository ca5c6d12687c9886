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

/// Whether a transaction that is conflicted counts from now on, instead of those that it conflicts
/// with. It must be known, unconfirmed and, like all those, unverified. It counts if, against each
/// of them,
/// - more network groups show it now or, if the same groups show both, more nodes, and
/// - two network groups show it now; or more groups have ever shown it than the other one, and at
///   least two; or, if nodes of a single group have shown the two, each node that showed the other
///   one, or more nodes than showed that.
///
/// So a single network group replaces no transaction that another group has shown, and a single
/// node none that another node has shown. But the word of one node replaces its own, as when the
/// payer has replaced the payment. And when several honest nodes show the replacement instead, it
/// counts, whatever showed the other one before.
bool is_preferred(const Ledger& ledger, const LedgerTransaction& challenger,
                  const Conflicts& conflicts, const SourcesNow& now);

}  // namespace petal::wallet
