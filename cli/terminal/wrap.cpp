#include "cli/terminal/wrap.h"

#include <algorithm>
#include <array>

#include "cli/text/text.h"

namespace petal::cli {
namespace {

/// A text beside a name needs at least this number of columns. With fewer columns, the text goes
/// below the name.
constexpr std::size_t kLeastBesideName = 24;
constexpr std::size_t kIndentBelowName = 2;
/// Before a word, e.g. an id, that does not fit beside a name.
constexpr std::size_t kIndentOfWideWord = 4;

constexpr std::array<std::string_view, 12> kUnits{"ms", "s",  "min", "h",   "d",   "B",
                                                  "kB", "MB", "GB",  "BTC", "sat", "sat/vB"};

std::size_t widest_word(std::string_view text) {
    std::size_t widest = 0;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        widest = std::max(widest, display_width(word));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
    return widest;
}

bool is_number(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789,.") == word.npos &&
           word.back() != ',' && word.back() != '.';
}

bool starts_with_unit(std::string_view text) {
    std::string_view word = text.substr(0, text.find(' '));
    while (!word.empty() && std::string_view(",.;:)").find(word.back()) != std::string_view::npos) {
        word.remove_suffix(1);
    }
    return std::ranges::find(kUnits, word) != kUnits.end();
}

/// The blanks before the further lines of this line.
std::size_t indent_of(std::string_view line, std::size_t columns) {
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.find("  ", start);
    if (gap == line.npos) return start;
    const std::size_t text = std::min(line.find_first_not_of(' ', gap), line.size());
    const std::size_t column = display_width(line.substr(0, text));
    const std::size_t least = std::max(kLeastBesideName, widest_word(line.substr(text)));
    return column + least <= columns ? column : start + kIndentBelowName;
}

/// The end of the word that begins at `begin`. Words in backquotes that fit a line are one word,
/// and a number with a unit is one word.
std::size_t end_of_word(std::string_view line, std::size_t begin, std::size_t columns) {
    const std::size_t blank = std::min(line.find(' ', begin), line.size());
    if (blank < line.size() && is_number(line.substr(begin, blank - begin)) &&
        starts_with_unit(line.substr(blank + 1))) {
        return std::min(line.find(' ', blank + 1), line.size());
    }
    const std::size_t quote = std::min(line.find('`', begin), line.size());
    if (quote >= blank) return blank;
    const std::size_t closing = line.find('`', quote + 1);
    if (closing == line.npos || closing < blank) return blank;
    const std::size_t end = std::min(line.find(' ', closing), line.size());
    return display_width(line.substr(begin, end - begin)) <= columns ? end : blank;
}

std::string wrap_line(std::string_view line, std::size_t columns) {
    if (display_width(line) <= columns) return std::string(line);
    const std::size_t indent = indent_of(line, columns);
    const std::size_t room = columns - std::min(columns, indent);
    std::string text;
    std::size_t column = 0;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t begin = std::min(line.find_first_not_of(' ', at), line.size());
        const std::size_t end = end_of_word(line, begin, room);
        const std::string_view word = line.substr(begin, end - begin);
        const bool is_first = text.find_first_not_of(' ') == text.npos;
        std::size_t blanks = begin - at;
        if (is_first && blanks + display_width(word) > columns) {
            blanks = std::min(blanks, kIndentOfWideWord);
        }
        if (is_first || word.empty() || column + blanks + display_width(word) <= columns) {
            text.append(blanks, ' ').append(word);
            column += blanks + display_width(word);
        } else {
            text.append(1, '\n').append(indent, ' ').append(word);
            column = indent + display_width(word);
        }
        at = end;
    }
    return text;
}

}  // namespace

std::string cut_at_word(std::string_view text, std::size_t columns) {
    if (display_width(text) <= columns) return std::string(text);
    if (columns == 0) return {};
    std::size_t end = 0;
    for (std::size_t blank = text.find(' '); blank != text.npos;
         blank = text.find(' ', blank + 1)) {
        if (display_width(text.substr(0, blank)) >= columns) break;
        end = blank;
    }
    const auto kept = end > 0 ? text.substr(0, end) : first_bytes(text, columns - 1);
    return std::string(kept) + "…";
}

std::string wrap(std::string_view text, std::size_t columns) {
    std::string lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines += wrap_line(text.substr(0, end), columns);
        if (end == text.npos) break;
        lines += '\n';
        text.remove_prefix(end + 1);
    }
    return lines;
}

}  // namespace petal::cli
