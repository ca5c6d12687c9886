#include "bloom/measures/log_probability.h"

#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>

namespace petal::bloom {
namespace {

constexpr double kLn2 = 0.6931471805599453;
constexpr double kLn10 = 2.302585092994046;
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
    return ln_ / kLn2;
}

double LogProbability::value() const {
    return std::exp(ln_);
}

std::string LogProbability::to_string() const {
    const double plain = value();
    if (is_zero() || plain > kSmallestExact) return three_digits(plain);
    double exponent = std::floor(ln_ / kLn10);
    std::string digits = three_digits(std::exp(ln_ - exponent * kLn10));
    if (digits == "10") {  // 9.996 rounds up to it
        digits = "1";
        ++exponent;
    }
    return digits + "e" + std::to_string(static_cast<long long>(exponent));
}

}  // namespace petal::bloom
