#include "cli/filter/filter_text.h"

#include <sstream>
#include <vector>

#include "cli/terminal/table.h"
#include "cli/text.h"

namespace petal::cli {
namespace {

/// A figure and, below it, its explanation.
std::string figure_text(const Figure& figure) {
    constexpr std::size_t kValueColumn = 20;
    std::string text = "  " + figure.name;
    text += std::string(text.size() < kValueColumn ? kValueColumn - text.size() : 2, ' ');
    text += wrapped(figure.value, kValueColumn) + "\n";
    if (figure.meaning.empty()) return text;
    return text + std::string(kValueColumn, ' ') + wrapped(figure.meaning, kValueColumn) + "\n";
}

std::string table_text(const FigureTable& table) {
    std::vector<Table::Column> columns;
    for (std::size_t i = 0; i < table.heads.size(); ++i) {
        columns.push_back(
            {table.heads[i], i < table.numbers ? Table::Align::left : Table::Align::right});
    }
    Table rows(columns);
    for (const auto& row : table.rows) rows.add_row(row);
    std::istringstream lines(rows.to_string());
    std::string text;
    for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
    return text;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
    std::istringstream words(text);
    std::string result;
    std::size_t column = indent;
    for (std::string word; words >> word;) {
        const std::size_t needed = display_width(word) + 1;
        if (!result.empty() && column + needed > width) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (!result.empty()) {
            result += ' ';
        }
        result += word;
        column += needed;
    }
    return result;
}

std::string section_text(const FigureSection& section, const Console& console) {
    std::string text = console.bold(section.title) + "\n";
    if (!section.intro.empty()) text += "  " + wrapped(section.intro, 2) + "\n";
    if (section.table) text += table_text(*section.table);
    for (const Figure& figure : section.figures) text += figure_text(figure);
    return text;
}

std::string inspection_text(const bloom::Inspection& seen, const Console& console) {
    std::string text;
    for (const FigureSection& section : figures_of(seen)) {
        if (!text.empty()) text += "\n";
        text += section_text(section, console);
    }
    return text;
}

std::string verdict_text(const bloom::Verdict& verdict, const Console& console) {
    std::string text =
        console.bold("Verdict: " + std::string(bloom::describe(verdict.grade))) + "\n";
    for (const bloom::Finding& finding : verdict.findings) {
        text += "  " +
                (finding.if_made_by.empty() ? "" : "if made by " + finding.if_made_by + ": ") +
                std::string(bloom::key_of(finding.grade)) + ", " +
                std::string(bloom::key_of(finding.attack)) + ": " + finding.number + "\n";
        text += "      " + wrapped(std::string(bloom::describe(finding.attack)), 6) + "\n";
        text += "      " + wrapped(finding.reason, 6) + "\n";
        text += "      " + wrapped("Fix: " + finding.fix, 6) + "\n";
    }
    return text + "  " + wrapped(std::string(bloom::standing_warning()), 2) + "\n";
}

}  // namespace petal::cli
