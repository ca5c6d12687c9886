/// `filter report`: what filters give away, as a page to read.
#pragma once

#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

/// Writes one HTML file that needs nothing else.
void run_filter_report(const FilterReportOptions& options, const GlobalOptions& global,
                       Console& console);

}  // namespace petal::cli
