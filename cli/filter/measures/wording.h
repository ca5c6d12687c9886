/// Numbers and names of measures, in words.
#pragma once

#include <string>
#include <string_view>

#include "bloom/bloom_filter.h"
#include "bloom/measures/evidence.h"
#include "bloom/measures/filter_estimate.h"
#include "bloom/measures/filter_relations.h"
#include "bloom/measures/log_probability.h"
#include "bloom/measures/verdict.h"
#include "bloom/measures/world.h"

namespace petal::cli {

/// Three significant digits, in words from a million on: "0.00242", "2,120", "1.5 billion",
/// "2.87e28".
std::string short_number(double value);

/// A probability as a percentage: "0.47 %", "99.9 %", "< 0.001 %".
std::string percentage(double probability);

/// A frequency for people: "1 in 1,257", from a tenth on "45.1 %", below 1e-9 "fewer than one in a
/// billion", "none" for zero.
std::string one_in(bloom::LogProbability rate);

/// Both ends of a range in the words of one_in(), the higher rate first: "1 in 32,768 to 1 in
/// 99,772". Only one end if both ends read the same.
std::string range_text(const bloom::RateRange& rates);

/// A mean number of things that happen by chance: "practically no pairs" below 0.01, "0.34 pairs",
/// "1 pair", "2,120 pairs".
std::string mean_count(double mean, const std::string& noun, const std::string& ending = "s");

/// A mean number without a noun: "fewer than one", "1.23", "2,120".
std::string at_least_one(double mean);

/// "a public key and its hash".
std::string elements_text(bloom::DerivablePair pair);
/// The party that can compute the pair: "anyone, once the key was used".
std::string finder_text(bloom::DerivablePair pair);

/// A grade in one sentence without a full stop.
std::string_view describe(bloom::Grade grade);
/// What a peer does in this attack, in a sentence.
std::string_view describe(bloom::Attack attack);
std::string_view describe(bloom::FilterRelation relation);
std::string_view describe(bloom::AddressSet set);

/// The name of a mode in --flags: none, all or p2pubkey-only.
std::string flags_name(bloom::UpdateMode mode);

}  // namespace petal::cli
