/// Compares two sets of unconfirmed transactions by a miner's fees.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chain/transaction.h"

namespace petal::regtest {

/// A fee and the size that it is paid for, in units of weight.
struct PaidSize {
    chain::Satoshis fee = 0;
    std::size_t size = 0;

    friend bool operator==(const PaidSize&, const PaidSize&) = default;
};

/// An unconfirmed transaction of a cluster.
struct ClusterTransaction {
    PaidSize paid;
    std::vector<std::size_t> parents;  ///< the transactions whose outputs it spends, by index
};

/// The chunks that a miner would include one after the other. Each is the part of the remaining
/// transactions with the highest fee rate, among the parts in which no transaction lacks its
/// parents. So the fee rates never rise. (Bitcoin Core: cluster_linearize.h; its order is as good
/// for clusters of the size that it allows.)
std::vector<PaidSize> chunks_of(std::span<const ClusterTransaction> cluster);

/// The chunk of each transaction of a cluster in which parents precede their children. Chunks of
/// one fee rate are as small as that order allows, as in Bitcoin Core.
std::vector<PaidSize> chunk_of_each(std::span<const ClusterTransaction> cluster);

/// Whether the fees of the best transactions up to a size are somewhere higher with `now` than they
/// were with `before`, and lower for no size (Bitcoin Core: CompareChunks, feefrac.cpp).
/// Both are chunks in any order.
bool improves_feerate_diagram(std::vector<PaidSize> before, std::vector<PaidSize> now);

}  // namespace petal::regtest
