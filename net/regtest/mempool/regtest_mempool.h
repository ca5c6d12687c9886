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
#include "net/regtest/mempool/coin_set.h"

namespace petal::net {

/// When an unconfirmed transaction came.
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
    std::size_t size = 0;  ///< what the fee is paid for, in vB (relayed_size())
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

    /// Takes a transaction that it does not hold yet. Those that spend one of its inputs leave, and
    /// the sibling of one of version 3 (truc_sibling()), with all that descend from them:
    /// replacement without rules. Nothing changes where it is refused.
    chain::Expected<void, RejectReason> submit(chain::Transaction transaction,
                                               const chain::Txid& txid,
                                               const MempoolArrival& arrival);

    /// Whether a mempool takes a transaction that it does not hold.
    using Judge =
        std::function<bool(const RegtestMempool& mempool, const chain::Transaction& transaction,
                           const MempoolEntry& entry)>;
    /// The part of `returned` that stays (in topological order, which arrives now), as far as
    /// `may_return` lets it, followed by this mempool's transactions, over coins that have changed.
    /// Where any return, `may_stay` judges these.
    RegtestMempool revalidated(TransactionLayer empty_layer,
                               std::vector<chain::Transaction> returned, const MempoolArrival& now,
                               const Judge& may_return, const Judge& may_stay) &&;

    /// Drops one of its transactions, with all that descend from it.
    void drop(const chain::Txid& txid);

    const std::vector<chain::Transaction>& transactions() const { return transactions_; }
    /// The entries of transactions(), in the same order.
    const std::vector<MempoolEntry>& entries() const { return entries_; }
    /// Where a transaction is in both; empty if it is not.
    std::optional<std::size_t> find(const chain::Txid& txid) const;
    std::optional<std::size_t> find(const chain::Wtxid& wtxid) const;
    /// The transaction of this txid; null for none.
    const chain::Transaction* transaction(const chain::Txid& txid) const;

    const MempoolTotals& totals() const { return totals_; }
    const TransactionLayer& layer() const { return layer_; }

    /// Places in transactions().
    using Positions = std::unordered_set<std::size_t>;
    /// These, and all transactions that descend from them.
    Positions with_descendants(Positions positions) const;
    /// These, and all transactions that they descend from.
    Positions with_ancestors(Positions positions) const;
    /// The transactions that this one spends from.
    Positions parents_of(const chain::Transaction& transaction) const;
    /// The transactions that spend one of its inputs.
    Positions conflicts_of(const chain::Transaction& transaction) const;
    /// These, and all transactions that spending connects with them. Those at `without` do not
    /// count, and connect nothing.
    Positions connected_with(const Positions& positions, const Positions& without) const;

private:
    void append(chain::Transaction transaction, MempoolEntry entry);
    void append_if_valid(chain::Transaction transaction, MempoolEntry entry);
    void add_children(std::size_t position, std::vector<std::size_t>& found) const;
    /// The transactions that this one replaces, without their descendants.
    Positions replaced_by(const chain::Transaction& transaction) const;
    /// Takes out transactions of which none that stays descends.
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

}  // namespace petal::net
