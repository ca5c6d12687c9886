/// Commands about filters, without a wallet or a network.
#pragma once

#include "cli/console.h"
#include "cli/options.h"

namespace petal::cli {

void run_filter_design(const FilterDesignOptions& options, const GlobalOptions& global,
                       Console& console);

/// Reads further elements from the console's standard input where the options say so, and answers
/// each as it comes (with --json all at once, at the end).
void run_filter_match(const FilterMatchOptions& options, const GlobalOptions& global,
                      Console& console);

}  // namespace petal::cli
