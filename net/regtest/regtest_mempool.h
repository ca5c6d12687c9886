/// The unconfirmed transactions of a regtest chain.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chain/transaction.h"
#include "net/regtest/coin_set.h"

namespace petal::net {

/// The data kept with an unconfirmed transaction.
struct MempoolEntry {
    chain::Txid txid;
    chain::Satoshis fee = 0;
    std::uint64_t since = 0;  ///< the chain's revision when it came
};

/// Transactions that could all be in the next block, in an order in which they could be. The coins
/// must outlive it; whenever they change, so must it, by revalidated().
class RegtestMempool {
public:
    /// An empty mempool over an empty layer.
    explicit RegtestMempool(TransactionLayer empty_layer) : layer_(std::move(empty_layer)) {}

    /// Takes a transaction that it does not hold yet. Those that spend one of its inputs leave,
    /// with all that descend from them: replacement without rules. Nothing changes where it is
    /// refused.
    chain::Expected<void, TransactionFault> submit(chain::Transaction transaction,
                                                   const chain::Txid& txid, std::uint64_t since);

    /// What is left of `returned` (in topological order, numbered with `since`), followed by this
    /// mempool's transactions, over coins that have changed.
    RegtestMempool revalidated(TransactionLayer empty_layer,
                               std::vector<chain::Transaction> returned, std::uint64_t since) &&;

    const std::vector<chain::Transaction>& transactions() const { return transactions_; }
    /// The entries of transactions(), in the same order.
    const std::vector<MempoolEntry>& entries() const { return entries_; }
    /// Where a transaction is in both; empty if it is not.
    std::optional<std::size_t> find(const chain::Txid& txid) const;

    const TransactionLayer& layer() const { return layer_; }

private:
    void append(chain::Transaction transaction, const MempoolEntry& entry);
    void append_if_valid(chain::Transaction transaction, MempoolEntry entry);
    bool conflicts_with(const chain::Transaction& transaction) const;
    RegtestMempool without_conflicts(const chain::Transaction& transaction) const;

    std::vector<chain::Transaction> transactions_;
    std::vector<MempoolEntry> entries_;
    std::unordered_map<chain::Txid, std::size_t> positions_;
    TransactionLayer layer_;
};

}  // namespace petal::net
