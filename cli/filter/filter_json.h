/// Measures of filters as the JSON that other programs read.
#pragma once

#include "bloom/measures/filter_comparison.h"
#include "bloom/measures/inspection.h"
#include "bloom/measures/verdict.h"
#include "cli/json.h"

namespace petal::cli {

/// A probability: a number, and as text where it is below what a number in JSON can be.
Json probability_json(bloom::LogProbability probability);

/// Everything that `filter inspect` tells, but for the verdict and the filter's own bytes.
Json inspection_json(const bloom::Inspection& inspection);
/// The keys of inspection_json() for a filter that matches everything: null where nothing is
/// measured.
Json match_all_json(const bloom::FilterOutline& filter);

/// `{"grade","attack","number","reason","fix","findings":[…]}`, the worst finding first.
Json verdict_json(const bloom::Verdict& verdict);

/// The relation of two filters, what they have in common, and how one grew into the other.
Json comparison_json(const bloom::FilterComparison& compared);

}  // namespace petal::cli
