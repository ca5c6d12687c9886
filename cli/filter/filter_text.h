/// Measures of filters as text.
#pragma once

#include <string>

#include "bloom/measures/inspection.h"
#include "bloom/measures/verdict.h"
#include "cli/console.h"
#include "cli/filter/filter_figures.h"

namespace petal::cli {

std::string section_text(const FigureSection& section, const Console& console);
/// Every measure with its unit and a plain sentence, section by section.
std::string inspection_text(const bloom::Inspection& inspection, const Console& console);

/// The grade; each finding with the attack and the remedy; and the limitations.
std::string verdict_text(const bloom::Verdict& verdict, const Console& console);

/// Text broken into lines of at most `width` columns, each after the first indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 96);

}  // namespace petal::cli
