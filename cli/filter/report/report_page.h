/// The report on filters as one HTML page: no network, no scripts, light and dark, for screens of
/// any width and for paper.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bloom/measures/inspection.h"
#include "bloom/measures/verdict.h"
#include "cli/filter/input/filter_input.h"

namespace petal::cli {

/// The maximum size of the page. Larger pages are useless on a phone. Bit maps that do not fit are
/// left out.
inline constexpr std::size_t kMaxReportBytes = 400'000;

/// filters   at least one, in order of time
std::string report_page(const std::vector<NamedFilter>& filters,
                        const bloom::InspectionContext& context);

}  // namespace petal::cli
