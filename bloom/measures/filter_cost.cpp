#include "bloom/measures/filter_cost.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "bloom/measures/filter_estimate.h"
#include "chain/block_filters/block_filter.h"

namespace petal::bloom {
namespace {

constexpr double kMessageHeader = 24;
constexpr double kHash = 32;
constexpr double kInventoryEntry = 36;
/// A merkleblock's fields except hashes and flag bits: header, transactions, two counts.
constexpr double kMerkleBlockFixed = 84 + 2;

/// The probability that a transaction matches by chance: 1 - (1 - f)^e, with e elements in a
/// transaction.
double false_transaction_probability(const World& world, LogProbability rate) {
    const double f = rate.value();
    if (f >= 1) return 1;
    return -std::expm1(world.elements_per_transaction() * std::log1p(-f));
}

constexpr double kYear = 365;             // days
constexpr double kHundredYears = 36'500;  // days

/// The integral of 1 / f(n) from `from` to `to`, by Simpson's rule.
double integral_of_inverse_rate(const FilterSize& size, double from, double to) {
    constexpr int kSteps = 200;  // even
    const double step = (to - from) / kSteps;
    double sum = 0;
    for (int i = 0; i <= kSteps; ++i) {
        const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * std::exp(-classical_rate(size, from + i * step).ln());
    }
    return sum * step / 3;
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
    // A flag bit for each visited node: about two bits for each hash.
    traffic.merkle_bytes =
        world.blocks_per_day * (kMessageHeader + kMerkleBlockFixed + kHash * hashes + hashes / 4);
    traffic.transaction_bytes =
        traffic.false_transactions * (kMessageHeader + world.transaction_bytes);
    traffic.relay_bytes = traffic.false_transactions *
                          (2 * kInventoryEntry + kMessageHeader + world.transaction_bytes);
    return traffic;
}

double fetched_blocks_per_year(const World& world, const CompactFilterUse& use) {
    const double blocks = kYear * world.blocks_per_day;
    const double none =
        std::exp(use.scripts * std::log1p(-1.0 / static_cast<double>(chain::kBasicInverseRate)));
    const double matching = std::min(use.blocks_per_year, blocks);
    return matching + (blocks - matching) * (1 - none);
}

double compact_filter_bytes_per_year(const World& world, const CompactFilterUse& use) {
    return kYear * world.blocks_per_day * world.bip158_filter_bytes +
           fetched_blocks_per_year(world, use) * world.block_bytes();
}

double daily_relay_bytes(const World& world) {
    return world.transactions_per_day() *
           (2 * kInventoryEntry + kMessageHeader + world.full_transaction_bytes);
}

double payment_anonymity_set(const World& world, LogProbability rate) {
    return 1 + false_transaction_probability(world, rate) * world.transactions_per_block();
}

std::optional<Drift> drift_until(const FilterSize& size, double elements, double factor,
                                 const World& world) {
    assert(factor > 1 && elements >= 0);
    const double fill = expected_fill(size, elements);
    const double later_fill = fill * std::pow(factor, 1.0 / size.hash_functions);
    if (fill <= 0 || later_fill >= 1) return std::nullopt;
    const double m = static_cast<double>(size.bytes) * 8;
    const double later = std::log1p(-later_fill) / (size.hash_functions * std::log1p(-1 / m));
    const double days = integral_of_inverse_rate(size, elements, later) / world.outputs_per_day();
    if (!(days < kHundredYears)) return std::nullopt;
    return Drift{later - elements, days, days * world.blocks_per_day};
}

}  // namespace petal::bloom
