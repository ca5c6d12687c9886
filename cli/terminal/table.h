/// Tables that fit a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/console.h"
#include "cli/terminal/wrap.h"

namespace petal::cli {

/// The text with long ids shortened: a txid as `3fa81c…92b0d1`, also in an outpoint, and an address
/// as `tb1qw5…3t4k`.
std::string short_ids(std::string_view text);

/// The label with long ids shortened, then cut to 40 columns. The last column is a `…` if text was
/// cut off.
std::string short_label(std::string_view label);

/// Rows of cells. Each column is as wide as the widest cell, with two spaces between columns.
class Table {
public:
    enum class Align : std::uint8_t { left, right };
    /// What becomes of a column if the table is too wide even with the short forms of all cells.
    enum class Narrow : std::uint8_t {
        stay,
        omit,
        wrap,   ///< the cells are broken between words
        below,  ///< each cell goes on a line of its own, below the cell's row
    };
    struct Column {
        std::string title;
        Align align = Align::left;
        Narrow narrow = Narrow::stay;
        std::string (*shorten)(std::string_view) = short_ids;  ///< makes the short form of a cell
    };

    explicit Table(std::vector<Column> columns);

    /// Adds a row with one cell for each column. Each cell is made printable().
    void add_row(std::vector<std::string> cells);

    /// The titles and the rows. Every line ends in a line feed and none in a space. A table wider
    /// than `columns` is narrowed in this order until it fits:
    /// - Titles are broken, and empty columns are omitted.
    /// - Cells are shortened, a column at a time.
    /// - Cells are broken, and columns are omitted or put below (Narrow).
    ///
    /// The result may still be wider.
    ///
    /// title_style, style_end   put around the title line, e.g. a terminal's codes
    std::string to_string(std::size_t columns = kNoLimit, std::string_view title_style = "",
                          std::string_view style_end = "") const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// The table as a text for standard output, fitted to the terminal. In full without a terminal.
/// in_full   GlobalOptions::full: the table is in full on a terminal too
std::string fitted(const Table& table, bool in_full, const Console& console);

}  // namespace petal::cli
