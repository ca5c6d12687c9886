/// Clusters: unconfirmed transactions connected by spends, as miners evaluate them.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "regtest/mempool/feerate_diagram.h"
#include "regtest/mempool/regtest_mempool.h"

namespace petal::regtest {

/// Connected transactions of the mempool, possibly with a candidate.
class MempoolCluster {
public:
    MempoolCluster(const RegtestMempool& mempool, const RegtestMempool::Positions& positions);

    /// parents   those in the mempool, some of which may be outside the cluster
    void add(const PaidSize& paid, const RegtestMempool::Positions& parents);

    std::vector<PaidSize> chunks() const { return chunks_of(transactions_); }
    /// The chunk of each of the mempool's transactions, by their positions.
    std::map<std::size_t, PaidSize> chunk_of_each() const;

private:
    std::vector<std::size_t> places_of(const RegtestMempool::Positions& positions) const;

    std::map<std::size_t, std::size_t> places_;  // by position, in the same order
    std::vector<ClusterTransaction> transactions_;
};

}  // namespace petal::regtest
