/// The model that the text and the page of an inspection share: figures with explanations. (JSON
/// has the measures themselves.)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bloom/measures/filter_comparison.h"
#include "bloom/measures/inspection.h"

namespace petal::cli {

struct Figure {
    std::string name;
    std::string value;
    std::string meaning;  ///< may be empty
};

struct FigureTable {
    std::vector<std::string> heads;
    std::size_t numbers = 0;  ///< from this column on, cells are numbers
    std::vector<std::vector<std::string>> rows;
};

struct FigureSection {
    std::string title;
    std::string intro;                 ///< may be empty
    std::optional<FigureTable> table;  ///< comes before the figures
    std::vector<Figure> figures;
};

/// Every measure of a filter, section by section.
std::vector<FigureSection> figures_of(const bloom::Inspection& inspection);

/// The only section for a filter that matches everything.
FigureSection structure_of(const bloom::FilterOutline& filter);

/// The rate that a filter was designed for: "designed for 1 in 100,000"; a range if its size does
/// not determine it exactly.
std::string designed_for_text(const bloom::Inspection& inspection);

/// The differences of two filters that are hashed the same way: "17 bits new, 0 gone: 3.5 ± 2.9
/// more elements". Empty for others.
std::string growth_text(const bloom::FilterComparison& compared);

/// "1,231 addresses match by chance; 0.81 % of those that match are the wallet's".
std::string common_text(const bloom::CommonMatches& common);

}  // namespace petal::cli
