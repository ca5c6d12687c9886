/// Decides which transactions a mempool accepts.
#pragma once

#include "chain/expected.h"
#include "chain/transaction.h"
#include "regtest/mempool/regtest_mempool.h"
#include "regtest/mempool/reject_reason.h"

namespace petal::regtest {

/// The checks of a transaction.
enum class TransactionChecks : std::uint8_t {
    all,      ///< all checks of Bitcoin Core's defaults
    amounts,  ///< inputs, amounts, lock times and fees, without scripts and relay policy
};

/// The default size of Bitcoin Core's mempool (DEFAULT_MAX_MEMPOOL_SIZE_MB). Bitcoin Core counts
/// memory. Here, wire forms count.
inline constexpr std::size_t kMaxMempoolBytes = 300'000'000;

struct MempoolPolicy {
    TransactionChecks checks = TransactionChecks::all;
    /// In satoshi per 1,000 vB (Bitcoin Core: DEFAULT_MIN_RELAY_TX_FEE).
    chain::Satoshis least_fee_rate = 100;
    /// Whether to apply the rules on spending unconfirmed outputs: the limits of version 3
    /// (BIP431), and that dust of a parent must be spent. These rules do not apply to blocks.
    bool judges_families = true;
    /// The limit on all transactions in wire form. Transactions beyond the limit are refused.
    /// Bitcoin Core evicts the transactions that pay least instead.
    std::size_t max_bytes = kMaxMempoolBytes;
};

/// Why the mempool refuses the transaction. Empty if the mempool accepts it, replacing conflicting
/// transactions. Follows the checks of Bitcoin Core's MemPoolAccept (validation.cpp) and their
/// order, for a single transaction. `transaction` must not be in the mempool.
chain::Expected<void, Rejection> check_acceptance(const RegtestMempool& mempool,
                                                  const chain::Transaction& transaction,
                                                  const chain::Txid& txid,
                                                  const MempoolPolicy& policy);

/// The maximum number of transactions in a cluster (Bitcoin Core: DEFAULT_CLUSTER_LIMIT), and their
/// maximum size in vB (DEFAULT_CLUSTER_SIZE_LIMIT_KVB).
inline constexpr std::size_t kMaxClusterCount = 64;
inline constexpr std::size_t kMaxClusterSize = 101'000;

/// Whether the transaction's cluster would exceed kMaxClusterCount or kMaxClusterSize.
/// weight    relayed_weight() of the transaction
/// without   mempool transactions that do not count
bool is_cluster_too_large(const RegtestMempool& mempool, const chain::Transaction& transaction,
                          std::size_t weight, const RegtestMempool::Positions& without = {});

}  // namespace petal::regtest
