/// Measures of filters as text, for Console::prose().
#pragma once

#include <string>

#include "bloom/measures/inspection.h"
#include "bloom/measures/verdict.h"
#include "cli/console.h"
#include "cli/filter/filter_figures.h"
#include "cli/terminal/table.h"

namespace petal::cli {

std::string section_text(const FigureSection& section, const Console& console);
/// Every measure with its unit and a plain sentence, section by section.
std::string inspection_text(const bloom::Inspection& inspection, const Console& console);

/// The grade; each finding with the attack and the remedy; and the limitations.
std::string verdict_text(const bloom::Verdict& verdict, const Console& console);

/// The table for standard output, indented and fitted to the terminal.
std::string indented(const Table& table, const Console& console);

}  // namespace petal::cli
