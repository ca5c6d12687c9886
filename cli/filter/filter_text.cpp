#include "cli/filter/filter_text.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/filter/measures/finding_text.h"
#include "cli/filter/measures/wording.h"

namespace petal::cli {
namespace {

/// A figure, with the explanation below.
std::string figure_text(const Figure& figure) {
    constexpr std::size_t kValueColumn = 20;
    std::string text = "  " + figure.name;
    text += std::string(text.size() < kValueColumn ? kValueColumn - text.size() : 2, ' ');
    text += figure.value + "\n";
    if (figure.meaning.empty()) return text;
    return text + std::string(kValueColumn, ' ') + figure.meaning + "\n";
}

}  // namespace

std::string table_text(const FigureTable& table, const Console& console) {
    std::vector<Table::Column> columns;
    for (const FigureTable::Column& column : table.columns) {
        if (!column.shown.title.empty()) columns.push_back(column.shown);
    }
    Table shown(columns);
    for (const auto& row : table.rows) shown.add_row(shown_cells(table, row));

    constexpr std::size_t kIndent = 2;
    const std::size_t width = console.out_columns();
    std::istringstream lines(shown.to_string(width - std::min(width, kIndent)));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        text += std::string(kIndent, ' ') + line + "\n";
    }
    return text;
}

std::string figures_text(const std::vector<FigureSection>& sections, const Console& console) {
    std::string text;
    for (const FigureSection& section : sections) {
        if (!text.empty()) text += "\n";
        text += console.bold(section.title) + "\n";
        if (!section.intro.empty()) text += "  " + section.intro + "\n";
        if (section.table) text += table_text(*section.table, console);
        for (const Figure& figure : section.figures) {
            if (!figure.name.empty()) text += figure_text(figure);
        }
    }
    return text;
}

std::string verdict_text(const bloom::Verdict& verdict, const Console& console) {
    std::string text = console.bold("Verdict: " + std::string(describe(verdict.grade))) + "\n";
    for (const bloom::Finding& finding : verdict.findings) {
        const FindingText told = text_of(finding);
        text += "  " + (told.if_made_by.empty() ? "" : "if made by " + told.if_made_by + ": ") +
                std::string(bloom::key_of(finding.grade)) + ", " +
                std::string(bloom::key_of(finding.attack())) + ": " + told.number + "\n";
        text += "      " + std::string(describe(finding.attack())) + "\n";
        text += "      " + told.reason + "\n";
        text += "      Fix: " + told.fix + "\n";
    }
    return text + "  " + std::string(standing_warning()) + "\n";
}

}  // namespace petal::cli
