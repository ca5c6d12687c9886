#include "cli/filter/filter_text.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/filter/verdict_text.h"
#include "cli/filter/wording.h"

namespace petal::cli {
namespace {

/// A figure and, below it, its explanation.
std::string figure_text(const Figure& figure) {
    constexpr std::size_t kValueColumn = 20;
    std::string text = "  " + figure.name;
    text += std::string(text.size() < kValueColumn ? kValueColumn - text.size() : 2, ' ');
    text += figure.value + "\n";
    if (figure.meaning.empty()) return text;
    return text + std::string(kValueColumn, ' ') + figure.meaning + "\n";
}

std::string table_text(const FigureTable& table, const Console& console) {
    constexpr std::size_t kKept = 4;  // the columns that a narrow terminal keeps
    std::vector<Table::Column> columns;
    for (std::size_t i = 0; i < table.heads.size(); ++i) {
        if (i < table.numbers) {
            columns.push_back({table.heads[i], Table::Align::left, Table::Narrow::wrap});
            continue;
        }
        const auto narrow = i < kKept ? Table::Narrow::stay : Table::Narrow::omit;
        columns.push_back({table.heads[i], Table::Align::right, narrow});
    }
    Table rows(columns);
    for (const auto& row : table.rows) rows.add_row(row);
    return indented(rows, console);
}

}  // namespace

std::string indented(const Table& table, const Console& console) {
    constexpr std::size_t kIndent = 2;
    const std::size_t columns = console.out_columns();
    std::istringstream lines(table.to_string(columns - std::min(columns, kIndent)));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        text += std::string(kIndent, ' ') + line + "\n";
    }
    return text;
}

std::string section_text(const FigureSection& section, const Console& console) {
    std::string text = console.bold(section.title) + "\n";
    if (!section.intro.empty()) text += "  " + section.intro + "\n";
    if (section.table) text += table_text(*section.table, console);
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
