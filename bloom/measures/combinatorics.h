/// Logarithms of large products, for the measures of filters.
#pragma once

namespace petal::bloom {

/// ln of x (x-1) … (x-count+1), which is Gamma(x+1) / Gamma(x-count+1), to about 12 digits. For x
/// about 1e10, the values of lgamma are so large that the difference of two values has few correct
/// digits, so lgamma is not used there. x real, 0 <= count <= x.
double log_falling(double x, double count);

/// ln of the binomial coefficient C(x, count). x real, 0 <= count <= x.
double log_choose(double x, double count);

/// ln of the Poisson probability of `count` events at `mean` > 0 (C. Loader: Fast and Accurate
/// Computation of Binomial Probabilities, 2000). count a whole number.
double log_poisson(double count, double mean);

/// The probability of `count` or more events at `mean`.
double poisson_at_least(unsigned count, double mean);

}  // namespace petal::bloom
