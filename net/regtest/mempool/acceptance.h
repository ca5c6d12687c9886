/// Which transactions a mempool takes from peers and users.
#pragma once

#include "chain/expected.h"
#include "chain/transaction.h"
#include "net/regtest/mempool/regtest_mempool.h"
#include "net/regtest/mempool/reject_reason.h"

namespace petal::net {

/// The checks before a transaction is accepted.
enum class TransactionChecks : std::uint8_t {
    all,               ///< all that Bitcoin Core's defaults demand; scripts that are not run here
                       ///< are refused
    unjudged_scripts,  ///< the same, but scripts that are not run here are taken
    amounts,           ///< inputs, amounts, lock times and fees; neither scripts nor relay policy
};

/// What Bitcoin Core keeps of unconfirmed transactions by default (DEFAULT_MAX_MEMPOOL_SIZE_MB),
/// there in memory, here in wire form.
inline constexpr std::size_t kMaxMempoolBytes = 300'000'000;

struct MempoolPolicy {
    TransactionChecks checks = TransactionChecks::all;
    /// In satoshi per 1,000 vB (Bitcoin Core: DEFAULT_MIN_RELAY_TX_FEE).
    chain::Satoshis least_fee_rate = 100;
    /// Whether the rules for what is spent unconfirmed count: the limits of version 3 (BIP431), and
    /// that a parent's dust is spent. Blocks follow neither.
    bool judges_families = true;
    /// Of all transactions in wire form. Beyond it one is refused; in Core those that pay least
    /// leave.
    std::size_t max_bytes = kMaxMempoolBytes;
};

/// Why the mempool does not take the transaction; nothing if it does, with replacement of what
/// conflicts with it. Follows Bitcoin Core's MemPoolAccept (validation.cpp) in what it checks and
/// in which order, for a transaction by itself. `transaction` is not in the mempool.
chain::Expected<void, Rejection> check_acceptance(const RegtestMempool& mempool,
                                                  const chain::Transaction& transaction,
                                                  const chain::Txid& txid,
                                                  const MempoolPolicy& policy);

/// As many connected transactions Bitcoin Core keeps (DEFAULT_CLUSTER_LIMIT), and of so many vB
/// (DEFAULT_CLUSTER_SIZE_LIMIT_KVB).
inline constexpr std::size_t kMaxClusterCount = 64;
inline constexpr std::size_t kMaxClusterSize = 101'000;

/// Whether the transactions that it would be connected with are more, or larger, than Bitcoin Core
/// keeps together.
/// weight    relayed_weight() of the transaction
/// without   those of the mempool that do not count
bool is_cluster_too_large(const RegtestMempool& mempool, const chain::Transaction& transaction,
                          std::size_t weight, const RegtestMempool::Positions& without = {});

}  // namespace petal::net
