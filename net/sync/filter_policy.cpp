#include "net/sync/filter_policy.h"

#include <algorithm>
#include <unordered_set>

namespace petal::net {

namespace {

constexpr std::size_t kCapacityStep = 1'024;

// A quarter above what is there at least, for outpoints that servers add.
std::size_t capacity_for(std::size_t elements) {
    const std::size_t wanted = elements + std::max(elements / 4, kLeastRoom);
    return (wanted + kCapacityStep - 1) / kCapacityStep * kCapacityStep;
}

}  // namespace

bloom::BloomFilter make_filter(const chain::WatchList& watched,
                               std::span<const chain::Outpoint> remembered,
                               double false_positive_rate, std::uint32_t tweak) {
    std::unordered_set<chain::Outpoint> outpoints(remembered.begin(), remembered.end());
    outpoints.insert(watched.outpoints.begin(), watched.outpoints.end());

    const std::size_t capacity = capacity_for(watched.elements.size() + outpoints.size());
    bloom::BloomFilter filter(bloom::filter_size(capacity, false_positive_rate), tweak,
                              bloom::UpdateMode::all);
    for (const chain::Bytes& element : watched.elements) filter.insert(element);
    for (const chain::Outpoint& outpoint : outpoints) filter.insert(outpoint.serialize());
    return filter;
}

double worn_rate(double initial_rate, double wanted_rate) {
    return 1.5 * std::max(initial_rate, wanted_rate);
}

double busy_rate(double initial_rate, double wanted_rate) {
    return 1.25 * std::max(initial_rate, wanted_rate);
}

}  // namespace petal::net
