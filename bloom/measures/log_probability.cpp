#include "bloom/measures/log_probability.h"

#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace petal::bloom {
namespace {

/// Below this a double loses digits.
constexpr double kSmallestExact = 1e-300;

std::string three_digits(double value) {
    std::array<char, 32> text;
    const int size = std::snprintf(text.data(), text.size(), "%.3g", value);
    return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

LogProbability LogProbability::of(double p) {
    assert(p >= 0 && p <= 1);
    return LogProbability(std::log(p));
}

LogProbability LogProbability::power(double fill, double k) {
    assert(fill >= 0 && fill <= 1 && k >= 0);
    return k == 0 ? LogProbability(0) : LogProbability(k * std::log(fill));
}

double LogProbability::log2() const {
    return ln_ / std::numbers::ln2;
}

double LogProbability::value() const {
    return std::exp(ln_);
}

std::string LogProbability::to_string() const {
    const double plain = value();
    if (is_zero() || plain > kSmallestExact) return three_digits(plain);
    double exponent = std::floor(ln_ / std::numbers::ln10);
    std::string digits = three_digits(std::exp(ln_ - exponent * std::numbers::ln10));
    if (digits == "10") {  // 9.996 rounds up to 10
        digits = "1";
        ++exponent;
    }
    return digits + "e" + std::to_string(static_cast<long long>(exponent));
}

}  // namespace petal::bloom
