/// A probability that may be far below the smallest double.
#pragma once

#include <compare>
#include <limits>
#include <string>

namespace petal::bloom {

/// A probability kept as a natural logarithm. The chance that three sparse filters match together
/// may be 1e-800: less than a double can hold, but still compared and printed.
class LogProbability {
public:
    /// The probability 0.
    LogProbability() = default;
    /// p   from 0 to 1
    static LogProbability of(double p);
    /// ln   a natural logarithm, at most 0. Minus infinity for the probability 0
    static LogProbability from_ln(double ln) { return LogProbability(ln); }
    /// fill^k, the probability that k bits of a filter are all set. fill from 0 to 1, k >= 0.
    static LogProbability power(double fill, double k);

    double ln() const { return ln_; }
    double log2() const;
    /// As a double: 0 below about 1e-308.
    double value() const;
    bool is_zero() const { return ln_ == -std::numeric_limits<double>::infinity(); }

    /// Three significant digits: "0.001", "3.48e-29", "1.2e-800".
    std::string to_string() const;

    friend LogProbability operator*(LogProbability a, LogProbability b) {
        return LogProbability(a.ln_ + b.ln_);
    }
    friend auto operator<=>(const LogProbability&, const LogProbability&) = default;

private:
    explicit LogProbability(double ln) : ln_(ln) {}

    double ln_ = -std::numeric_limits<double>::infinity();
};

}  // namespace petal::bloom
