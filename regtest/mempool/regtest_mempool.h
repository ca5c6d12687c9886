/// The unconfirmed transactions of a regtest chain.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "chain/transaction.h"
#include "regtest/mempool/coin_set.h"

namespace petal::regtest {

/// When an unconfirmed transaction arrived.
struct MempoolArrival {
    std::uint64_t revision = 0;  ///< the chain's revision
    std::int64_t time = 0;       ///< Unix seconds
    std::uint32_t height = 0;    ///< height of the tip
};

/// Data about an unconfirmed transaction.
struct MempoolEntry {
    chain::Txid txid;
    chain::Satoshis fee = 0;
    MempoolArrival arrival;
    std::size_t size = 0;  ///< vB, for the fee rate (relayed_size())
    std::size_t sigop_cost = 0;
    chain::Wtxid wtxid = {};
    std::size_t bytes = 0;  ///< size of the wire form
};

/// Sums over all transactions.
struct MempoolTotals {
    chain::Satoshis fee = 0;
    std::size_t size = 0;   ///< vB, sum of MempoolEntry::size
    std::size_t bytes = 0;  ///< sum of MempoolEntry::bytes

    friend bool operator==(const MempoolTotals&, const MempoolTotals&) = default;
};

/// Transactions that could all be in the next block, in topological order. The coins must outlive
/// the mempool. When the coins change, replace the mempool by revalidated().
class RegtestMempool {
public:
    /// An empty mempool over an empty layer.
    explicit RegtestMempool(TransactionLayer empty_layer) : layer_(std::move(empty_layer)) {}

    /// Adds a transaction that is not in the mempool. Removes transactions that spend one of its
    /// inputs, its sibling in version 3 (truc_sibling()), and all their descendants: replacement
    /// without rules. If the transaction is refused, nothing changes.
    chain::Expected<void, RejectReason> submit(chain::Transaction transaction,
                                               const chain::Txid& txid,
                                               const MempoolArrival& arrival);

    /// Whether the mempool accepts a transaction that it does not have.
    using Judge =
        std::function<bool(const RegtestMempool& mempool, const chain::Transaction& transaction,
                           const MempoolEntry& entry)>;
    /// A mempool over changed coins. First come the transactions of `returned` (in topological
    /// order, with the arrival `now`) that `may_return` accepts, then this mempool's transactions.
    /// If `returned` is not empty, `may_stay` must accept this mempool's transactions again.
    RegtestMempool revalidated(TransactionLayer empty_layer,
                               std::vector<chain::Transaction> returned, const MempoolArrival& now,
                               const Judge& may_return, const Judge& may_stay) &&;

    /// Removes a transaction of the mempool, with all descendants.
    void drop(const chain::Txid& txid);

    const std::vector<chain::Transaction>& transactions() const { return transactions_; }
    /// The entries of transactions(), in the same order.
    const std::vector<MempoolEntry>& entries() const { return entries_; }
    /// The position in transactions() and entries(). Empty if the transaction is not in the
    /// mempool.
    std::optional<std::size_t> find(const chain::Txid& txid) const;
    std::optional<std::size_t> find(const chain::Wtxid& wtxid) const;
    /// Null if there is no such transaction.
    const chain::Transaction* transaction(const chain::Txid& txid) const;

    const MempoolTotals& totals() const { return totals_; }
    const TransactionLayer& layer() const { return layer_; }

    /// Positions in transactions().
    using Positions = std::unordered_set<std::size_t>;
    /// These transactions and all their descendants.
    Positions with_descendants(Positions positions) const;
    /// These transactions and all their ancestors.
    Positions with_ancestors(Positions positions) const;
    /// The mempool transactions whose outputs this transaction spends.
    Positions parents_of(const chain::Transaction& transaction) const;
    /// The mempool transactions that spend an input of this transaction.
    Positions conflicts_of(const chain::Transaction& transaction) const;
    /// These transactions and all transactions connected with them by spends. Transactions at
    /// `without` are ignored, and connect nothing.
    Positions connected_with(const Positions& positions, const Positions& without) const;

private:
    /// Measures a valid transaction and adds it.
    void append_new(chain::Transaction transaction, const chain::Txid& txid, chain::Satoshis fee,
                    const MempoolArrival& arrival);
    /// Adds a valid transaction that was measured before.
    void append(chain::Transaction transaction, const MempoolEntry& entry);
    void add_children(std::size_t position, std::vector<std::size_t>& found) const;
    /// The transactions that this transaction replaces, without their descendants.
    Positions replaced_by(const chain::Transaction& transaction) const;
    /// Removes transactions. Their descendants must be among them.
    void remove(const Positions& positions);

    std::vector<chain::Transaction> transactions_;
    std::vector<MempoolEntry> entries_;
    MempoolTotals totals_;
    template <typename Id>
    using PositionTable = boost::unordered_flat_map<Id, std::size_t, std::hash<Id>>;
    PositionTable<chain::Txid> positions_;
    PositionTable<chain::Wtxid> positions_by_wtxid_;
    TransactionLayer layer_;
};

}  // namespace petal::regtest
