/// Measures of filters as people read them.
#pragma once

#include <span>
#include <string>

#include "bloom/measures/inspection.h"
#include "bloom/measures/verdict.h"
#include "cli/console.h"

namespace petal::cli {

/// Every measure with its unit and a plain sentence, section by section.
/// The same of a filter that matches everything.
std::string match_all_text(const bloom::FilterOutline& filter, const Console& console);
std::string inspection_text(const bloom::Inspection& inspection, const Console& console);

/// The grade, each finding with its fix, and what remains.
std::string verdict_text(const bloom::Verdict& verdict, const Console& console);

/// Who may have made a filter: "bitcoinj (since 2016), sized for 642 elements at 1e-05".
std::string clients_text(const bloom::Inspection& inspection);

/// Text broken into lines of at most `width` columns, each after the first indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 96);

}  // namespace petal::cli
