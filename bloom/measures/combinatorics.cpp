#include "bloom/measures/combinatorics.h"

#include <cassert>
#include <cmath>

namespace petal::bloom {
namespace {

constexpr double kTwoPi = 6.283185307179586;
/// From here on three terms of Stirling's series give all digits of a double.
constexpr double kStirlingFrom = 64;

/// lgamma(x) - [(x - 1/2) ln x - x + ln(2 pi) / 2].
double stirling_error(double x) {
    const double square = x * x;
    return (1.0 / 12 - (1.0 / 360 - 1.0 / (1260 * square)) / square) / x;
}

/// lgamma(high) - lgamma(low), both at least kStirlingFrom.
double log_gamma_ratio(double high, double low) {
    const double step = high - low;
    return (low - 0.5) * std::log1p(step / low) + step * std::log(high) - step +
           stirling_error(high) - stirling_error(low);
}

}  // namespace

double log_falling(double x, double count) {
    assert(count >= 0 && count <= x);
    const double high = x + 1;
    const double low = x - count + 1;
    if (low >= kStirlingFrom) return log_gamma_ratio(high, low);
    return std::lgamma(high) - std::lgamma(low);
}

double log_choose(double x, double count) {
    return log_falling(x, count) - std::lgamma(count + 1);
}

double log_poisson(double count, double mean) {
    assert(count >= 0 && mean > 0);
    if (count < kStirlingFrom) return count * std::log(mean) - mean - std::lgamma(count + 1);
    const double off = (count - mean) / mean;
    // stirling_error() is lgamma's at count + 1 and its Stirling form at count alike.
    const double deviance = off > -0.5 && off < 0.5 ? mean * ((1 + off) * std::log1p(off) - off)
                                                    : count * std::log(count / mean) + mean - count;
    return -deviance - stirling_error(count) - 0.5 * std::log(kTwoPi * count);
}

double poisson_at_least(unsigned count, double mean) {
    assert(mean >= 0);
    if (count == 0) return 1;
    if (mean == 0) return 0;
    if (count == 1) return -std::expm1(-mean);
    double below = 0;
    for (unsigned i = 0; i < count; ++i) below += std::exp(log_poisson(i, mean));
    return below < 1 ? 1 - below : 0;
}

}  // namespace petal::bloom
