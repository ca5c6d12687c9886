#include "bloom/measures/filter_estimate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace petal::bloom {
namespace {

double bits_of(const FilterSize& size) {
    return static_cast<double>(size.bytes) * 8;
}

}  // namespace

Estimate estimate_elements(const FilterSize& size, std::size_t bits_set) {
    const double m = bits_of(size);
    const double k = size.hash_functions;
    const double fill = static_cast<double>(bits_set) / m;
    assert(fill < 1);
    const double elements = -m / k * std::log1p(-fill);
    return {elements, set_bits_deviation(size, elements) / (k * (1 - fill))};
}

double expected_fill(const FilterSize& size, double elements) {
    return -std::expm1(size.hash_functions * elements * std::log1p(-1 / bits_of(size)));
}

LogProbability classical_rate(const FilterSize& size, double elements) {
    return LogProbability::power(expected_fill(size, elements), size.hash_functions);
}

std::optional<RateRange> design_rates(const FilterSize& size) {
    using std::numbers::ln2;
    const double k = size.hash_functions;
    if (k < 1 || k >= kMaxHashFunctions) return std::nullopt;
    // Bitcoin Core's k is floor(floor(m/n) ln2), BIP37's floor(m/n ln2), which is never less.
    const double fewest = std::floor(bits_of(size) / std::ceil((k + 1) / ln2)) + 1;
    const double most = std::floor(bits_of(size) / k * ln2);
    if (fewest > most) return std::nullopt;
    // More elements than `most` also give one function.
    return RateRange{classical_rate(size, fewest).value(),
                     k == 1 ? 1 : classical_rate(size, most).value()};
}

double set_bits_deviation(const FilterSize& size, double elements) {
    const double m = bits_of(size);
    const double throws = size.hash_functions * elements;
    const double ln_q1 = throws * std::log1p(-1 / m);
    const double ln_q2 = throws * std::log1p(-2 / m);
    const double q1 = std::exp(ln_q1);
    // q2 - q1^2 = q1^2 (e^(ln q2 - 2 ln q1) - 1), a difference of nearly equal numbers.
    const double covariance = q1 * q1 * std::expm1(ln_q2 - 2 * ln_q1);
    const double variance = m * q1 * -std::expm1(ln_q1) + m * (m - 1) * covariance;
    return std::sqrt(std::max(0.0, variance));
}

double relative_rate_deviation(const FilterSize& size, double elements) {
    const double fill = expected_fill(size, elements);
    assert(fill > 0);
    return size.hash_functions * set_bits_deviation(size, elements) / (bits_of(size) * fill);
}

}  // namespace petal::bloom
