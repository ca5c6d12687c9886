#include "regtest/mempool/replacement.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "chain/transaction_rules.h"
#include "regtest/mempool/mempool_cluster.h"

namespace petal::regtest {
namespace {

using Positions = RegtestMempool::Positions;

/// The clusters that include these transactions, ignoring transactions at `without`.
std::vector<Positions> clusters_around(const RegtestMempool& mempool, const Positions& positions,
                                       const Positions& without) {
    std::vector<Positions> clusters;
    Positions seen = without;
    for (const std::size_t position : positions) {
        if (seen.contains(position)) continue;
        clusters.push_back(mempool.connected_with({position}, without));
        seen.insert(clusters.back().begin(), clusters.back().end());
    }
    return clusters;
}

void add_chunks(std::vector<PaidSize>& chunks, const MempoolCluster& cluster) {
    std::ranges::copy(cluster.chunks(), std::back_inserter(chunks));
}

}  // namespace

std::optional<RejectReason> find_replacement_fault(const Replacement& replacement) {
    if (replacement.clusters > kMaxConflictingClusters) return RejectReason::too_many_replaced;
    const chain::Satoshis more = replacement.fee - replacement.evicted_fees;
    if (more < 0 || more < chain::fee_at_rate(kIncrementalFeeRate, replacement.size)) {
        return RejectReason::insufficient_fee;
    }
    return std::nullopt;
}

std::size_t count_clusters(const RegtestMempool& mempool, const Positions& positions) {
    return clusters_around(mempool, positions, {}).size();
}

bool improves_mempool(const RegtestMempool& mempool, const chain::Transaction& transaction,
                      const PaidSize& paid, const Positions& evicted) {
    const Positions parents = mempool.parents_of(transaction);
    Positions concerned = evicted;
    concerned.insert(parents.begin(), parents.end());
    std::vector<PaidSize> before;
    Positions left;
    for (const Positions& cluster : clusters_around(mempool, concerned, {})) {
        add_chunks(before, MempoolCluster(mempool, cluster));
        left.insert(cluster.begin(), cluster.end());
    }
    std::vector<PaidSize> now;
    const Positions joined = mempool.connected_with(parents, evicted);
    for (const Positions& cluster : clusters_around(mempool, left, evicted)) {
        const bool is_joined = joined.contains(*cluster.begin());
        if (!is_joined) add_chunks(now, MempoolCluster(mempool, cluster));
    }
    MempoolCluster with_transaction(mempool, joined);
    with_transaction.add(paid, parents);
    add_chunks(now, with_transaction);
    return improves_feerate_diagram(std::move(before), std::move(now));
}

}  // namespace petal::regtest
