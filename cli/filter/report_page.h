/// The report on filters as one HTML page: no network, no scripts, light and dark, for screens of
/// any width and for paper.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bloom/measures/inspection.h"
#include "bloom/measures/verdict.h"

namespace petal::cli {

struct NamedFilter {
    std::string name;
    bloom::BloomFilter filter;
};

/// Larger pages than this are of no use on a phone; bit maps are left out rather than that.
inline constexpr std::size_t kMaxReportBytes = 400'000;

/// filters   at least one, in order of time
std::string report_page(const std::vector<NamedFilter>& filters,
                        const bloom::InspectionContext& context);

}  // namespace petal::cli
