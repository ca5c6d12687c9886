/// Measures of filters as JSON for other programs.
#pragma once

#include <vector>

#include "bloom/measures/filter_comparison.h"
#include "bloom/measures/log_probability.h"
#include "bloom/measures/verdict.h"
#include "cli/filter/input/filter_input.h"
#include "cli/filter/measures/filter_figures.h"
#include "cli/text/json.h"

namespace petal::cli {

/// A probability as a number, or as a text if the probability is too small for a number in JSON.
Json probability_json(bloom::LogProbability probability);

/// An array of objects.
Json records_json(const FigureTable& table);
/// The data of all figures, each in the figure's place.
Json figures_json(const std::vector<FigureSection>& sections);

/// `{"grade","attack","number","reason","fix","findings":[…]}`, the worst finding first.
Json verdict_json(const bloom::Verdict& verdict);

/// The names, in order.
Json names_json(const std::vector<NamedFilter>& filters);

/// The relation of two filters, the common elements, and the growth from the earlier filter to the
/// later.
Json comparison_json(const bloom::FilterComparison& compared);

}  // namespace petal::cli
