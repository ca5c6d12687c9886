/// Compares two sets of unconfirmed transactions by what a miner earns.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chain/transaction.h"

namespace petal::net {

/// A fee and the size that it is paid for, in units of weight.
struct PaidSize {
    chain::Satoshis fee = 0;
    std::size_t size = 0;

    friend bool operator==(const PaidSize&, const PaidSize&) = default;
};

/// An unconfirmed transaction among others.
struct ClusterTransaction {
    PaidSize paid;
    std::vector<std::size_t> parents;  ///< those of the others that it spends from, by their places
};

/// The chunks that a miner would take one after the other: each is the part of what is left that
/// pays the highest fee rate, among those parts that hold no transaction without its parents. So
/// the fee rates never rise. (Bitcoin Core: cluster_linearize.h; its order is as good for clusters
/// of the size that it allows.)
std::vector<PaidSize> chunks_of(std::span<const ClusterTransaction> cluster);

/// For each transaction of a cluster that has parents before their children, the chunk that it is
/// in. Chunks of one fee rate are as small as that order allows, as Bitcoin Core's are.
std::vector<PaidSize> chunk_of_each(std::span<const ClusterTransaction> cluster);

/// Whether the fees of the best transactions up to a size are somewhere higher with `now` than they
/// were with `before`, and lower for no size (Bitcoin Core: CompareChunks, feefrac.cpp).
/// Both are chunks in any order.
bool improves_feerate_diagram(std::vector<PaidSize> before, std::vector<PaidSize> now);

}  // namespace petal::net
