/// Measures of filters as text, for Console::prose().
#pragma once

#include <string>
#include <vector>

#include "bloom/measures/verdict.h"
#include "cli/filter/measures/filter_figures.h"
#include "cli/terminal/console.h"

namespace petal::cli {

/// Every measure with the unit and a plain sentence, section by section.
std::string figures_text(const std::vector<FigureSection>& sections, const Console& console);

/// The shown columns, indented and fitted to the terminal.
std::string table_text(const FigureTable& table, const Console& console);

/// The grade, each finding with the attack and the remedy, and the limitations.
std::string verdict_text(const bloom::Verdict& verdict, const Console& console);

}  // namespace petal::cli
