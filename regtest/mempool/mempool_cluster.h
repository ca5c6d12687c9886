/// Clusters: unconfirmed transactions connected by spends.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "regtest/mempool/feerate_diagram.h"
#include "regtest/mempool/regtest_mempool.h"

namespace petal::regtest {

/// A cluster of the mempool, possibly with a candidate transaction.
class MempoolCluster {
public:
    MempoolCluster(const RegtestMempool& mempool, const RegtestMempool::Positions& positions);

    /// parents   parents in the mempool. Parents outside the cluster are ignored
    void add(const PaidSize& paid, const RegtestMempool::Positions& parents);

    std::vector<PaidSize> chunks() const { return chunks_of(transactions_); }
    /// The chunks in the order in which a miner would include them. Their places are positions in
    /// the mempool. Only without a candidate.
    std::vector<Chunk> chunks_by_position() const;

private:
    std::vector<std::size_t> places_of(const RegtestMempool::Positions& positions) const;

    std::map<std::size_t, std::size_t> places_;  // position to index, in the same order
    std::vector<ClusterTransaction> transactions_;
};

}  // namespace petal::regtest
