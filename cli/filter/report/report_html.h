/// The building blocks of the report page: escaped HTML, a style sheet, tables for screens of any
/// width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace petal::cli {

/// The text with `&`, `<`, `>` and quotes escaped for HTML.
std::string html_escaped(std::string_view text);

/// `<tag class="classes">text</tag>`, with the text escaped.
std::string html_element(std::string_view tag, std::string_view text,
                         std::string_view classes = "");

/// From the document type to the end of the head: title, style sheet, and a policy that forbids
/// scripts and the network.
std::string html_head(std::string_view title);

/// A table that becomes a list on narrow screens, in which each cell shows the column's name.
class HtmlTable {
public:
    /// numbers   the index of the first column with numbers
    /// classes   of the style sheet: "figures" for names, values and explanations, without heads
    HtmlTable(std::vector<std::string> heads, std::size_t numbers, std::string classes = "");

    /// Adds a row with one cell for each head.
    void add_row(const std::vector<std::string>& cells, std::string_view row_class = "");

    std::string html() const;

private:
    std::vector<std::string> heads_;
    std::size_t numbers_;
    std::string classes_;
    std::string rows_;
};

}  // namespace petal::cli
