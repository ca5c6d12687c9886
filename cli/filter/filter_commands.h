/// Commands about filters, without a wallet or a network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/measures/filter_solver.h"
#include "bloom/measures/verdict.h"
#include "cli/filter/input/filter_input.h"
#include "cli/options/options.h"
#include "cli/terminal/console.h"

namespace petal::cli {

struct FilterDesignOptions {
    std::uint64_t elements = 0;        ///< 0 if not given
    double false_positive_rate = 0;    ///< 0 if not given
    std::uint64_t bytes = 0;           ///< 0: the size is computed
    std::uint32_t hash_functions = 0;  ///< 0: the best number for the size
    bloom::UpdateMode flags = bloom::UpdateMode::all;
    std::uint32_t tweak = 0;
};

struct FilterMakeOptions {
    double false_positive_rate = 0;  ///< 0 if the size is given
    std::uint64_t elements = 0;      ///< to size the filter for. 0: the number of inserted elements
    std::uint64_t bytes = 0;         ///< 0 if the rate is given
    std::uint32_t hash_functions = 0;
    bloom::UpdateMode flags = bloom::UpdateMode::all;
    std::uint32_t tweak = 0;
    std::vector<std::string> content;
    bool from_stdin = false;
};

struct FilterInspectOptions {
    FilterSource filter;
    /// If no filter is given: the average filter of this size with this number of elements.
    bloom::FilterSize size;
    std::uint64_t elements = 0;
    bloom::UpdateMode flags = bloom::UpdateMode::all;
    FilterAssumptions assumptions;
    /// The command fails if the verdict is as bad as this grade, or worse.
    std::optional<bloom::Grade> fail_at;

    bool parameters_only() const { return filter.is_empty(); }
};

struct FilterCompareOptions {
    std::vector<std::string> filters;  ///< names of files, or hexadecimal
    FilterAssumptions assumptions;
};

struct FilterPlanOptions {
    std::uint64_t elements = 2'048;
    std::uint64_t utxos = 0;  ///< outpoints that are inserted too
    bloom::FilterTarget target;
    FilterAssumptions assumptions;
};

void run_filter_design(const FilterDesignOptions& options, const GlobalOptions& global,
                       Console& console);

/// Prints the filter in hexadecimal. A line of standard input that is not an element is an error:
/// an incomplete filter would be useless.
void run_filter_make(const FilterMakeOptions& options, const GlobalOptions& global,
                     Console& console);

/// Throws FailedTest after printing if `fail_at` is reached.
void run_filter_inspect(const FilterInspectOptions& options, const GlobalOptions& global,
                        Console& console);

void run_filter_compare(const FilterCompareOptions& options, const GlobalOptions& global,
                        Console& console);

void run_filter_plan(const FilterPlanOptions& options, const GlobalOptions& global,
                     Console& console);

}  // namespace petal::cli
