#include "bloom/measures/filter_cost.h"

#include <cassert>
#include <cmath>

namespace petal::bloom {
namespace {

constexpr double kMessageHeader = 24;
constexpr double kHash = 32;
constexpr double kInventoryEntry = 36;
/// A merkleblock's fields except hashes and flag bits: header, transactions, two counts.
constexpr double kMerkleBlockFixed = 84 + 2;

/// The probability that a transaction matches by chance: 1 - (1 - f)^e, e elements each.
double false_transaction_probability(const World& world, LogProbability rate) {
    const double f = rate.value();
    if (f >= 1) return 1;
    return -std::expm1(world.elements_per_transaction() * std::log1p(-f));
}

}  // namespace

double merkle_hashes(double leaves, double p) {
    assert(leaves >= 1 && p >= 0 && p <= 1);
    if (p == 0) return 1;
    double hashes = leaves * p;
    double none = 1 - p;  // that no leaf below a node matches
    for (double nodes = leaves; nodes > 1; nodes /= 2) {
        hashes += nodes * none * (1 - none);
        none *= none;
    }
    return hashes + std::pow(1 - p, leaves);
}

DailyTraffic daily_traffic(const World& world, LogProbability rate) {
    const double p = false_transaction_probability(world, rate);
    const double hashes = merkle_hashes(world.transactions_per_block(), p);
    DailyTraffic traffic;
    traffic.false_transactions = world.transactions_per_day() * p;
    // A bit for each node that is visited: about two for each hash.
    traffic.merkle_bytes =
        world.blocks_per_day * (kMessageHeader + kMerkleBlockFixed + kHash * hashes + hashes / 4);
    traffic.transaction_bytes =
        traffic.false_transactions * (kMessageHeader + world.transaction_bytes);
    traffic.relay_bytes = traffic.false_transactions *
                          (2 * kInventoryEntry + kMessageHeader + world.transaction_bytes);
    return traffic;
}

double payment_anonymity_set(const World& world, LogProbability rate) {
    return 1 + false_transaction_probability(world, rate) * world.transactions_per_block();
}

}  // namespace petal::bloom
