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

/// The arrival of an unconfirmed transaction.
struct MempoolArrival {
    std::uint64_t revision = 0;  ///< the chain's
    std::int64_t time = 0;       ///< Unix seconds
    std::uint32_t height = 0;    ///< the tip's
};

/// The data kept with an unconfirmed transaction.
struct MempoolEntry {
    chain::Txid txid;
    chain::Satoshis fee = 0;
    MempoolArrival arrival;
    std::size_t size = 0;  ///< the size for the fee rate, in vB (relayed_size())
    std::size_t sigop_cost = 0;
    chain::Wtxid wtxid = {};
    std::size_t bytes = 0;  ///< of the wire form
};

/// Sums over unconfirmed transactions.
struct MempoolTotals {
    chain::Satoshis fee = 0;
    std::size_t size = 0;   ///< in vB, as MempoolEntry's
    std::size_t bytes = 0;  ///< of the wire forms

    friend bool operator==(const MempoolTotals&, const MempoolTotals&) = default;
};

/// Transactions that could all be in the next block, in an order in which they could be. The coins
/// must outlive it; whenever they change, so must it, by revalidated().
class RegtestMempool {
public:
    /// An empty mempool over an empty layer.
    explicit RegtestMempool(TransactionLayer empty_layer) : layer_(std::move(empty_layer)) {}

    /// Adds a transaction that is not in the mempool yet. Removes transactions that spend one of
    /// its inputs, the sibling of a transaction of version 3 (truc_sibling()), and all their
    /// descendants: replacement without rules. Nothing changes if it is refused.
    chain::Expected<void, RejectReason> submit(chain::Transaction transaction,
                                               const chain::Txid& txid,
                                               const MempoolArrival& arrival);

    /// Whether the mempool accepts a transaction that it does not have.
    using Judge =
        std::function<bool(const RegtestMempool& mempool, const chain::Transaction& transaction,
                           const MempoolEntry& entry)>;
    /// The transactions of `returned` (in topological order, with the arrival `now`) that
    /// `may_return` accepts, followed by this mempool's transactions, over coins that have changed.
    /// If any return, `may_stay` judges all of these.
    RegtestMempool revalidated(TransactionLayer empty_layer,
                               std::vector<chain::Transaction> returned, const MempoolArrival& now,
                               const Judge& may_return, const Judge& may_stay) &&;

    /// Removes one of its transactions, with all descendants.
    void drop(const chain::Txid& txid);

    const std::vector<chain::Transaction>& transactions() const { return transactions_; }
    /// The entries of transactions(), in the same order.
    const std::vector<MempoolEntry>& entries() const { return entries_; }
    /// The position of a transaction in both; empty if it is not in the mempool.
    std::optional<std::size_t> find(const chain::Txid& txid) const;
    std::optional<std::size_t> find(const chain::Wtxid& wtxid) const;
    /// The transaction of this txid; null for none.
    const chain::Transaction* transaction(const chain::Txid& txid) const;

    const MempoolTotals& totals() const { return totals_; }
    const TransactionLayer& layer() const { return layer_; }

    /// Places in transactions().
    using Positions = std::unordered_set<std::size_t>;
    /// These transactions, and all their descendants.
    Positions with_descendants(Positions positions) const;
    /// These transactions, and all their ancestors.
    Positions with_ancestors(Positions positions) const;
    /// The transactions whose outputs this one spends.
    Positions parents_of(const chain::Transaction& transaction) const;
    /// The transactions that spend one of its inputs.
    Positions conflicts_of(const chain::Transaction& transaction) const;
    /// These transactions, and all that are connected with them by spends. Transactions at
    /// `without` are ignored, and connect nothing.
    Positions connected_with(const Positions& positions, const Positions& without) const;

private:
    /// Measures a valid transaction and adds it.
    void append_new(chain::Transaction transaction, const chain::Txid& txid, chain::Satoshis fee,
                    const MempoolArrival& arrival);
    /// Adds a valid transaction that has been measured.
    void append(chain::Transaction transaction, const MempoolEntry& entry);
    void add_children(std::size_t position, std::vector<std::size_t>& found) const;
    /// The transactions that this one replaces, without their descendants.
    Positions replaced_by(const chain::Transaction& transaction) const;
    /// Removes transactions that have no remaining descendants.
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
