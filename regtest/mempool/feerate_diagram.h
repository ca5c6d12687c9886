/// Compares two sets of unconfirmed transactions by the fees that a miner would collect.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chain/transaction.h"

namespace petal::regtest {

/// A fee, and the weight that it pays for.
struct PaidSize {
    chain::Satoshis fee = 0;
    std::size_t size = 0;

    friend bool operator==(const PaidSize&, const PaidSize&) = default;
};

/// A transaction of a cluster.
struct ClusterTransaction {
    PaidSize paid;
    std::vector<std::size_t> parents;  ///< indexes of the transactions whose outputs it spends
};

/// The chunks of a cluster in the order in which a miner would include them. Each chunk is the set
/// of remaining transactions with the highest fee rate among all sets that include their parents,
/// so the fee rates never rise. Bitcoin Core's order (cluster_linearize.h) is equally good for
/// clusters within its size limits.
std::vector<PaidSize> chunks_of(std::span<const ClusterTransaction> cluster);

/// A chunk and the indexes of its transactions, parents first.
struct Chunk {
    PaidSize paid;
    std::vector<std::size_t> places;
};

/// The chunks of a cluster in the order in which a miner would include them. Parents must precede
/// their children in `cluster`. Chunks with equal fee rates are as small as this order allows, as
/// in Bitcoin Core.
std::vector<Chunk> smallest_chunks_of(std::span<const ClusterTransaction> cluster);

/// Whether the best transactions up to some size pay more with `now` than with `before`, and for no
/// size less (Bitcoin Core: CompareChunks, feefrac.cpp). Both are chunks in any order.
bool improves_feerate_diagram(std::vector<PaidSize> before, std::vector<PaidSize> now);

}  // namespace petal::regtest
