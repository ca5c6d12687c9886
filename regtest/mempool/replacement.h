/// Replacement of unconfirmed transactions by others that spend the same output.
#pragma once

#include <cstddef>
#include <optional>

#include "chain/transaction.h"
#include "regtest/mempool/feerate_diagram.h"
#include "regtest/mempool/regtest_mempool.h"
#include "regtest/mempool/reject_reason.h"

namespace petal::regtest {

/// The maximum number of clusters with which a replacement may conflict (Bitcoin Core:
/// MAX_REPLACEMENT_CANDIDATES).
inline constexpr std::size_t kMaxConflictingClusters = 100;
/// The additional fee rate for its own size, in satoshi per 1,000 vB
/// (DEFAULT_INCREMENTAL_RELAY_FEE).
inline constexpr chain::Satoshis kIncrementalFeeRate = 100;

/// A transaction, and the transactions that it would replace.
struct Replacement {
    chain::Satoshis fee = 0;
    std::size_t size = 0;              ///< in vB
    std::size_t clusters = 0;          ///< of connected transactions, that it conflicts with
    chain::Satoshis evicted_fees = 0;  ///< of its conflicts and all their descendants
};

/// Why its fee does not suffice to replace them; empty if it does. Follows Bitcoin Core since 28.0,
/// in which every transaction is replaceable (policy/rbf.cpp, BIP125's rules 3 to 5).
std::optional<RejectReason> find_replacement_fault(const Replacement& replacement);

/// The clusters of a mempool around these transactions.
std::size_t count_clusters(const RegtestMempool& mempool,
                           const RegtestMempool::Positions& positions);

/// Whether the mempool pays a miner more with the transaction than with those that it evicts.
/// paid      the transaction's
/// evicted   the conflicts and all their descendants
bool improves_mempool(const RegtestMempool& mempool, const chain::Transaction& transaction,
                      const PaidSize& paid, const RegtestMempool::Positions& evicted);

}  // namespace petal::regtest
