/// The report on filters as one HTML page: no network, no scripts, light and dark, for screens of
/// any width and for paper.
#pragma once

#include <string>
#include <vector>

#include "bloom/measures/inspection.h"
#include "bloom/measures/verdict.h"

namespace petal::cli {

/// One filter of the report.
struct ReportedFilter {
    std::string name;
    bloom::BloomFilter filter;
};

/// Larger pages than this are of no use on a phone; bit maps are left out rather than that.
inline constexpr std::size_t kMaxReportBytes = 400'000;

/// filters   at least one, in order of time
std::string report_page(const std::vector<ReportedFilter>& filters,
                        const bloom::InspectionContext& context);

}  // namespace petal::cli
