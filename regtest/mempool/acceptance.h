/// Decides which transactions of peers and users a mempool accepts.
#pragma once

#include "chain/expected.h"
#include "chain/transaction.h"
#include "regtest/mempool/regtest_mempool.h"
#include "regtest/mempool/reject_reason.h"

namespace petal::regtest {

/// The checks before a transaction is accepted.
enum class TransactionChecks : std::uint8_t {
    all,               ///< all that Bitcoin Core's defaults demand; scripts that are not run here
                       ///< are refused
    unjudged_scripts,  ///< the same, but transactions with scripts that are not run here are
                       ///< accepted
    amounts,           ///< inputs, amounts, lock times and fees; neither scripts nor relay policy
};

/// The size of Bitcoin Core's mempool by default (DEFAULT_MAX_MEMPOOL_SIZE_MB), which counts
/// memory; here wire forms count.
inline constexpr std::size_t kMaxMempoolBytes = 300'000'000;

struct MempoolPolicy {
    TransactionChecks checks = TransactionChecks::all;
    /// In satoshi per 1,000 vB (Bitcoin Core: DEFAULT_MIN_RELAY_TX_FEE).
    chain::Satoshis least_fee_rate = 100;
    /// Whether to apply the rules for spending unconfirmed outputs: the limits of version 3
    /// (BIP431), and that a parent's dust is spent. They do not apply to blocks.
    bool judges_families = true;
    /// The limit for all transactions in wire form. Above it a transaction is refused; Core evicts
    /// those that pay least.
    std::size_t max_bytes = kMaxMempoolBytes;
};

/// Why the mempool does not accept the transaction; empty if it does, replacing conflicting
/// transactions. Follows Bitcoin Core's MemPoolAccept (validation.cpp) in its checks and their
/// order, for a single transaction. `transaction` is not in the mempool.
chain::Expected<void, Rejection> check_acceptance(const RegtestMempool& mempool,
                                                  const chain::Transaction& transaction,
                                                  const chain::Txid& txid,
                                                  const MempoolPolicy& policy);

/// The maximum number of connected transactions in Bitcoin Core (DEFAULT_CLUSTER_LIMIT), and their
/// maximum size in vB (DEFAULT_CLUSTER_SIZE_LIMIT_KVB).
inline constexpr std::size_t kMaxClusterCount = 64;
inline constexpr std::size_t kMaxClusterSize = 101'000;

/// Whether the transactions that it would be connected with are more, or larger, than Bitcoin Core
/// keeps together.
/// weight    relayed_weight() of the transaction
/// without   those of the mempool that do not count
bool is_cluster_too_large(const RegtestMempool& mempool, const chain::Transaction& transaction,
                          std::size_t weight, const RegtestMempool::Positions& without = {});

}  // namespace petal::regtest
