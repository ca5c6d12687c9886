#include "bloom/measures/filter_drift.h"

#include <cassert>
#include <cmath>

#include "bloom/measures/filter_estimate.h"

namespace petal::bloom {
namespace {

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
