/// Commands about filters, without a wallet or a network.
#pragma once

#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

void run_filter_design(const FilterDesignOptions& options, const GlobalOptions& global,
                       Console& console);

/// Prints the filter in hexadecimal. A line of standard input that is no element ends it: a filter
/// that lacks something is of no use.
void run_filter_make(const FilterMakeOptions& options, const GlobalOptions& global,
                     Console& console);

void run_filter_inspect(const FilterInspectOptions& options, const GlobalOptions& global,
                        Console& console);

void run_filter_compare(const FilterCompareOptions& options, const GlobalOptions& global,
                        Console& console);

void run_filter_plan(const FilterPlanOptions& options, const GlobalOptions& global,
                     Console& console);

}  // namespace petal::cli
