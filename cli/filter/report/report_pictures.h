/// The pictures of the report page, each a figure with a caption.
#pragma once

#include <string>
#include <vector>

#include "bloom/measures/inspection.h"

namespace petal::cli {

struct ReportedFilter {
    std::string name;
    bloom::BloomFilter filter;
    bloom::Inspection inspection;
};

/// All filters, and fresh wallets of known clients, on the curve of possible filters.
std::string trade_picture(const std::vector<ReportedFilter>& filters,
                          const bloom::InspectionContext& context);
/// Fill and rate as functions of the number of elements, for filters of the same size as this
/// filter.
std::string fill_picture(const ReportedFilter& reported);
std::string rate_picture(const ReportedFilter& reported);
std::string bit_map_picture(const ReportedFilter& reported);
/// The number of false addresses that remain, as a function of the number of filters seen.
std::string cut_picture(const std::vector<ReportedFilter>& filters,
                        const bloom::InspectionContext& context);

}  // namespace petal::cli
