#include "regtest/mempool/mempool_cluster.h"

#include "regtest/mempool/standard_policy.h"

namespace petal::regtest {

using Positions = RegtestMempool::Positions;

MempoolCluster::MempoolCluster(const RegtestMempool& mempool, const Positions& positions) {
    for (const std::size_t position : positions) places_.emplace(position, 0);
    std::size_t count = 0;
    for (auto& [position, place] : places_) place = count++;
    for (const auto& [position, place] : places_) {
        const auto& transaction = mempool.transactions()[position];
        const auto& entry = mempool.entries()[position];
        add({entry.fee, relayed_weight(transaction, entry.sigop_cost)},
            mempool.parents_of(transaction));
    }
}

void MempoolCluster::add(const PaidSize& paid, const Positions& parents) {
    transactions_.push_back({paid, places_of(parents)});
}

std::vector<Chunk> MempoolCluster::chunks_by_position() const {
    std::vector<std::size_t> positions;  // by place
    for (const auto& [position, place] : places_) positions.push_back(position);
    std::vector<Chunk> chunks = smallest_chunks_of(transactions_);
    for (Chunk& chunk : chunks) {
        for (std::size_t& place : chunk.places) place = positions[place];
    }
    return chunks;
}

/// The indexes of the positions that are in the cluster.
std::vector<std::size_t> MempoolCluster::places_of(const Positions& positions) const {
    std::vector<std::size_t> places;
    for (const std::size_t position : positions) {
        const auto found = places_.find(position);
        if (found != places_.end()) places.push_back(found->second);
    }
    return places;
}

}  // namespace petal::regtest
