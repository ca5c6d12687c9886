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

/// The text with its long ids in their short forms: a txid as `3fa81c…92b0d1`, also in an outpoint,
/// and an address as `tb1qw5…3t4k`.
std::string short_ids(std::string_view text);

/// The label with its long ids in their short forms, then cut to 40 columns, the last a `…`.
std::string short_label(std::string_view label);

/// Rows in columns as wide as their widest cell, two spaces between them.
class Table {
public:
    enum class Align : std::uint8_t { left, right };
    /// What becomes of a column if the table is too wide with the short forms of all cells.
    enum class Narrow : std::uint8_t {
        stay,
        omit,
        wrap,   ///< its cells are broken between words
        below,  ///< its cells go on lines of their own, below their rows
    };
    struct Column {
        std::string title;
        Align align = Align::left;
        Narrow narrow = Narrow::stay;
        std::string (*shorten)(std::string_view) = short_ids;  ///< makes the short form of a cell
    };

    explicit Table(std::vector<Column> columns);

    /// Adds a row with one cell for each column. Each is made printable().
    void add_row(std::vector<std::string> cells);

    /// The titles and the rows. Every line ends in a line feed and none in a space. If the table is
    /// wider than `columns`, titles are broken and empty columns omitted, then cells shortened, a
    /// column at a time, then cells broken, and columns omitted or put below. The result may still
    /// be wider.
    /// title_style, style_end   put around the title line, e.g. a terminal's codes
    std::string to_string(std::size_t columns = kNoLimit, std::string_view title_style = "",
                          std::string_view style_end = "") const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// The table for standard output, as wide as the terminal. Without a terminal, in full.
/// in_full   GlobalOptions::full: the table is not fitted to a terminal either
std::string fitted(const Table& table, bool in_full, const Console& console);

}  // namespace petal::cli
