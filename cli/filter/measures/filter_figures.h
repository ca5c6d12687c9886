/// The model of an inspection: each measure once, as data for programs and in words for people. The
/// text, the JSON and the page print the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bloom/measures/filter_comparison.h"
#include "bloom/measures/inspection.h"
#include "cli/terminal/table.h"
#include "cli/text/json.h"

namespace petal::cli {

struct Figure {
    std::string key;  ///< empty: for people alone
    Json data;
    std::string name = {};  ///< empty: for programs alone
    std::string value = {};
    std::string meaning = {};  ///< may be empty
    /// The JSON object that has the key, as a JSON pointer. Empty for the section's object.
    std::optional<std::string> place = {};
};

/// Several records of the same measures.
struct FigureTable {
    struct Column {
        std::string key;           ///< empty: for people alone
        Table::Column shown = {};  ///< without a title: for programs alone
    };
    struct Cell {
        Json data;
        std::string text = {};
    };

    std::string key;
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;
};

struct FigureSection {
    std::string place;  ///< the JSON object that has the keys, as a JSON pointer
    std::string title;
    std::string intro = {};                 ///< may be empty
    std::optional<FigureTable> table = {};  ///< comes before the figures
    std::vector<Figure> figures = {};
};

/// The cells of the columns that people are shown.
std::vector<std::string> shown_cells(const FigureTable& table,
                                     const std::vector<FigureTable::Cell>& row);

/// Every measure of a filter, section by section.
std::vector<FigureSection> figures_of(const bloom::Inspection& inspection);

/// The same for a filter that matches everything. Measures that such a filter lacks are null.
std::vector<FigureSection> figures_of(const bloom::FilterOutline& filter);

/// The rate that a filter was designed for: "designed for 1 in 100,000". A range if the filter's
/// size does not determine the rate exactly.
std::string designed_for_text(const bloom::Inspection& inspection);

/// The differences of two filters that are hashed the same way: "17 bits new, 0 gone: 3.5 ± 2.9
/// more elements". Empty if the filters are hashed differently.
std::string growth_text(const bloom::FilterComparison& compared);

/// "1,231 addresses match by chance; 0.81 % of those that match are the wallet's".
std::string common_text(const bloom::CommonMatches& common);

}  // namespace petal::cli
