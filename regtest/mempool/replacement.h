/// Replacement of unconfirmed transactions by a transaction that spends the same output.
#pragma once

#include <cstddef>
#include <optional>

#include "chain/transaction.h"
#include "regtest/mempool/feerate_diagram.h"
#include "regtest/mempool/regtest_mempool.h"
#include "regtest/mempool/reject_reason.h"

namespace petal::regtest {

/// The maximum number of clusters that a replacement may conflict with (Bitcoin Core:
/// MAX_REPLACEMENT_CANDIDATES).
inline constexpr std::size_t kMaxConflictingClusters = 100;
/// The fee rate that a replacement must pay for its own size, in addition to the replaced fees, in
/// satoshi per 1,000 vB (DEFAULT_INCREMENTAL_RELAY_FEE).
inline constexpr chain::Satoshis kIncrementalFeeRate = 100;

/// A transaction, and the transactions that it would replace.
struct Replacement {
    chain::Satoshis fee = 0;
    std::size_t size = 0;              ///< vB
    std::size_t clusters = 0;          ///< number of clusters that it conflicts with
    chain::Satoshis evicted_fees = 0;  ///< fees of its conflicts and all their descendants
};

/// Why the replacement is refused for its fee or its number of clusters. Empty if it is accepted.
/// Follows Bitcoin Core since 28.0, where every transaction is replaceable (policy/rbf.cpp,
/// BIP125's rules 3 to 5).
std::optional<RejectReason> find_replacement_fault(const Replacement& replacement);

/// The number of clusters that include these transactions.
std::size_t count_clusters(const RegtestMempool& mempool,
                           const RegtestMempool::Positions& positions);

/// Whether the mempool pays a miner more with the transaction than with the evicted transactions.
/// paid      fee and size of the transaction
/// evicted   the conflicts and all their descendants
bool improves_mempool(const RegtestMempool& mempool, const chain::Transaction& transaction,
                      const PaidSize& paid, const RegtestMempool::Positions& evicted);

}  // namespace petal::regtest
