/// `filter report`: the information that filters reveal, as a web page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/filter/input/filter_input.h"
#include "cli/options/options.h"
#include "cli/terminal/console.h"

namespace petal::cli {

struct FilterReportOptions {
    std::vector<std::string> filters;     ///< files or hexadecimal. May be empty
    bool wallet = false;                  ///< also the wallet's filter
    bool awaited = false;                 ///< its filter of the awaited addresses
    std::optional<net::Privacy> privacy;  ///< see FilterSource
    std::filesystem::path output;
    FilterAssumptions assumptions;
};

/// Writes one self-contained HTML file.
void run_filter_report(const FilterReportOptions& options, const GlobalOptions& global,
                       Console& console);

}  // namespace petal::cli
