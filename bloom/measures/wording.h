/// Formats numbers for the verdicts.
#pragma once

#include <cstdint>
#include <string>

#include "bloom/measures/filter_estimate.h"
#include "bloom/measures/log_probability.h"

namespace petal::bloom {

/// Three significant digits, in words from a million on: "0.00242", "2,120", "1.5 billion",
/// "2.87e28".
std::string short_number(double value);

/// A probability as a percentage: "0.47 %", "99.9 %", "< 0.001 %".
std::string percentage(double probability);

/// A frequency for people: "1 in 1,257", from a tenth on "45.1 %", below 1e-9 "fewer than one in a
/// billion", "none" for zero.
std::string one_in(LogProbability rate);

/// Both ends of a range in the words of one_in(), the higher rate first: "1 in 32,768 to 1 in
/// 99,772"; only one if both read the same.
std::string range_text(const RateRange& rates);

/// A mean number of things that happen by chance: "practically no pairs" below 0.01, "0.34 pairs",
/// "1 pair", "2,120 pairs".
std::string mean_count(double mean, const std::string& noun, const std::string& ending = "s");

/// A mean number without a noun: "fewer than one", "1.23", "2,120".
std::string at_least_one(double mean);

/// "1 address", "3 addresses": `noun` with its plural's ending.
std::string counted(std::uint64_t count, const std::string& noun, const std::string& ending = "s");

}  // namespace petal::bloom
