#include "bloom/measures/count_privacy.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "bloom/measures/combinatorics.h"

namespace petal::bloom {
namespace {

/// Terms this much smaller than the largest add nothing that a double shows.
constexpr double kNegligible = 1e-18;

/// The sum over F of Poisson(F) * P_h(j; F) with each term computed from the term before: term(F +
/// 1) / term(F) = mean / (F + 1) * (N + F + 1 - j) / (N + F + 1). The terms rise to one peak and
/// fall from there.
class GuessSum {
public:
    GuessSum(double used, double mean_false, double guesses)
        : used_(used), mean_(mean_false), spared_(used - guesses) {}

    /// The F at which the ratio passes 1.
    double peak() const {
        const double half = (mean_ - used_) / 2;
        return std::max(0.0, std::floor(half + std::sqrt(half * half + mean_ * spared_)));
    }

    /// The sum of all terms, relative to the term at `peak`.
    double relative_to(double peak) const {
        double sum = 1;
        double term = 1;
        for (double f = peak; term > kNegligible; ++f) sum += term *= ratio(f);
        term = 1;
        for (double f = peak; f > 0 && term > kNegligible; --f) sum += term /= ratio(f - 1);
        return sum;
    }

private:
    double ratio(double f) const { return mean_ / (f + 1) * (spared_ + f + 1) / (used_ + f + 1); }

    double used_;
    double mean_;
    double spared_;
};

}  // namespace

double expected_false_addresses(double universe, double used, LogProbability rate) {
    assert(used >= 0 && used <= universe);
    return (universe - used) * rate.value();
}

LogProbability guess_probability(double used, double false_addresses, double guesses) {
    assert(guesses >= 0 && guesses <= used && false_addresses >= 0);
    const double ln = log_falling(used, guesses) - log_falling(used + false_addresses, guesses);
    return LogProbability::from_ln(std::min(0.0, ln));
}

LogProbability mean_guess_probability(double used, double mean_false, double guesses) {
    assert(guesses >= 0 && guesses <= used && mean_false >= 0);
    if (mean_false == 0) return LogProbability::from_ln(0);
    const GuessSum sum(used, mean_false, guesses);
    const double peak = sum.peak();
    const double ln = log_poisson(peak, mean_false) + guess_probability(used, peak, guesses).ln() +
                      std::log(sum.relative_to(peak));
    return LogProbability::from_ln(std::min(0.0, ln));
}

double anonymity_set(double used, double false_addresses) {
    assert(used > 0);
    return (used + false_addresses) / used;
}

double bits_leaked(double universe, double used, double false_addresses) {
    assert(used > 0 && used <= universe);
    const double matching = std::min(universe, used + false_addresses);
    return (log_falling(universe, used) - log_falling(matching, used)) / used / std::numbers::ln2;
}

double bits_left(double used, double false_addresses) {
    assert(used > 0);
    return log_choose(used + false_addresses, used) / used / std::numbers::ln2;
}

double deniability(double bits_set, unsigned hash_functions, double false_addresses) {
    assert(bits_set > 0);
    const double k = hash_functions;
    const double covered = bits_set > 1
                               ? -std::expm1(k * false_addresses * std::log1p(-1 / bits_set))
                               : (false_addresses > 0 ? 1.0 : 0.0);
    return std::pow(covered, k);
}

double deniability_cover(double bits_set, unsigned hash_functions, double false_addresses,
                         unsigned cover) {
    assert(bits_set > 0 && cover >= 1);
    const double mean = hash_functions * false_addresses / bits_set;
    return std::pow(poisson_at_least(cover - 1, mean), hash_functions);
}

}  // namespace petal::bloom
