/// Estimates a filter's number of elements from the bits, and the bits from the number of elements.
#pragma once

#include <cstddef>
#include <optional>

#include "bloom/measures/log_probability.h"
#include "bloom/sizing.h"

namespace petal::bloom {

/// An estimated number with the standard deviation.
struct Estimate {
    double value = 0;
    double deviation = 0;
};

/// The number of elements in a filter with `bits_set` bits set: -(m/k) ln(1 - X/m) (S. J.
/// Swamidass, P. Baldi: Mathematical Correction for Fingerprint Similarity Measures, 2007). The
/// deviation is set_bits_deviation() divided by k (1 - fill).
/// bits_set   less than the filter's number of bits
Estimate estimate_elements(const FilterSize& size, std::size_t bits_set);

/// The share of bits that `elements` set on average: 1 - (1 - 1/m)^(k n).
double expected_fill(const FilterSize& size, double elements);

/// The rate that `elements` give by the classical formula, expected_fill()^k. A little low for
/// filters of few bits, because the number of set bits varies. Unlike
/// expected_false_positive_rate() without the approximation of (1 - 1/m)^m by 1/e.
LogProbability classical_rate(const FilterSize& size, double elements);

/// The standard deviation of the number of bits set by `elements`: of
/// m q1 (1 - q1) + m (m - 1) (q2 - q1^2), q1 = (1 - 1/m)^(k n), q2 = (1 - 2/m)^(k n).
double set_bits_deviation(const FilterSize& size, double elements);

/// How much the rates of filters of this size with `elements` elements differ: the standard
/// deviation of the rates relative to the mean, to first order: k / (m fill) times
/// set_bits_deviation().
double relative_rate_deviation(const FilterSize& size, double elements);

/// The lowest and the highest rate of a filter with the number of elements that the filter was made
/// for.
struct RateRange {
    double lowest = 0;
    double highest = 0;
};

/// The rates that a filter of this size was designed for. The number of functions tells for how
/// many elements the filter was made, by two formulas: Bitcoin Core's, which cuts bits per element
/// to a whole number, and BIP37's. Each formula gives a range of numbers of elements, and these
/// numbers give the rates. The rates respect the limit of 36,000 bytes, unlike the rate that the
/// user asked for.
///
/// Nothing for 50 functions, the limit of BIP37, because a filter for fewer elements has 50
/// functions too. Nothing for sizes that neither formula gives.
std::optional<RateRange> design_rates(const FilterSize& size);

}  // namespace petal::bloom
