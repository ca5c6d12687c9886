#include "cli/terminal/table.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/text/text.h"

namespace petal::cli {
namespace {

constexpr std::size_t kGap = 2;
/// A column with broken cells does not get narrower.
constexpr std::size_t kLeastWrapped = 20;

constexpr std::size_t kTxid = 64;  // hexadecimal digits

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase32 = "abcdefghijklmnopqrstuvwxyz234567";  // of onion services
constexpr std::string_view kBech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";  // BIP173
constexpr std::string_view kBase58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

bool consists_of(std::string_view word, std::string_view characters) {
    return word.find_first_not_of(characters) == word.npos;
}

/// The size of the prefix and separator of a bech32 address. 0 for any other word.
std::size_t witness_prefix(std::string_view word) {
    for (const std::string_view prefix : {"bc1", "tb1", "bcrt1"}) {
        if (word.starts_with(prefix) && consists_of(word.substr(prefix.size()), kBech32)) {
            return prefix.size();
        }
    }
    return 0;
}

/// Whether a word can be an address in Base58. An address has digits and letters of both cases,
/// unlike most names in labels.
bool is_base58_address(std::string_view word) {
    const auto has = [word](int (*is)(int)) {
        return std::ranges::any_of(word, [is](unsigned char c) { return is(c) != 0; });
    };
    return word.size() >= 26 && word.size() <= 35 && consists_of(word, kBase58) &&
           has(std::isdigit) && has(std::isupper) && has(std::islower);
}

bool is_alphanumeric(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Whether a word of letters and digits is a txid, an address or an onion service.
bool is_id(std::string_view word) {
    constexpr std::size_t kOnion = 56;
    constexpr std::size_t kShortestWitness = 14;  // BIP173: 2 bytes of program
    if (word.size() == kTxid) return consists_of(word, kHexDigits);
    if (word.size() == kOnion) return consists_of(word, kBase32);
    if (word.size() >= kShortestWitness && witness_prefix(word) > 0) return true;
    return is_base58_address(word);
}

std::string short_id(std::string_view word) {
    if (!is_id(word)) return std::string(word);
    const std::size_t prefix = witness_prefix(word);
    const std::size_t first = prefix > 0 ? prefix + 3 : 6;
    const std::size_t last = word.size() == kTxid ? 6 : 4;
    return std::string(word.substr(0, first)) + "…" + std::string(word.substr(word.size() - last));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::size_t longest_word(const std::string& text) {
    std::size_t longest = 0;
    std::istringstream words(text);
    for (std::string word; words >> word;) longest = std::max(longest, display_width(word));
    return longest;
}

/// The columns and cells of a table while the table is narrowed.
class Fit {
public:
    using Cells = std::vector<std::string>;
    using Form = std::string (*)(std::string_view);

    Fit(const std::vector<Table::Column>& columns, std::vector<Cells> rows)
        : columns_(columns),
          rows_(std::move(rows)),
          places_(columns.size(), Place::beside),
          is_short_(columns.size()) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            widths_.push_back(std::max(display_width(columns[i].title), width_of_cells(i)));
        }
    }

    void to(std::size_t columns) {
        limit_ = columns;
        if (is_too_wide()) break_titles();
        move(Place::nowhere, [this](std::size_t i) { return width_of_cells(i) == 0; });
        for (auto next = most_shortened(); next && is_too_wide(); next = most_shortened()) {
            shorten(*next);
        }
        const std::vector<std::size_t> whole = is_too_wide() ? break_cells() : widths_;
        move(Place::nowhere, [this](std::size_t i) { return does(i, Table::Narrow::omit); });
        move(Place::below, [this](std::size_t i) { return does(i, Table::Narrow::below); });
        widen(whole);
    }

    std::string title() const {
        Cells titles;
        for (const Table::Column& column : columns_) titles.push_back(column.title);
        return beside(titles, /*at_bottom=*/true);
    }

    /// The lines of a row, and the lines of the cells below the row.
    std::string row(const Cells& cells) const {
        std::string text = beside(cells, /*at_bottom=*/false);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (places_[i] != Place::below || cells[i].empty()) continue;
            const std::string& title = columns_[i].title;
            text += wrap("    " + (title.empty() ? "" : title + ": ") + cells[i], limit_) + "\n";
        }
        return text;
    }

    const std::vector<Cells>& rows() const { return rows_; }

private:
    enum class Place : std::uint8_t { beside, below, nowhere };

    static std::string unchanged(std::string_view cell) { return std::string(cell); }

    std::size_t width_of_cells(std::size_t column, Form form = unchanged) const {
        std::size_t width = 0;
        for (const Cells& row : rows_) width = std::max(width, display_width(form(row[column])));
        return width;
    }

    bool is_too_wide() const {
        std::size_t width = 0;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (places_[i] == Place::beside) width += (width > 0 ? kGap : 0) + widths_[i];
        }
        return width > limit_;
    }

    bool does(std::size_t column, Table::Narrow narrow) const {
        return columns_[column].narrow == narrow;
    }

    /// Makes each column as wide as the widest cell, or as the longest word of the title.
    void break_titles() {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            widths_[i] = std::max(longest_word(columns_[i].title), width_of_cells(i));
        }
    }

    /// The column that gets narrowest by short forms, compared with the full cells.
    std::optional<std::size_t> most_shortened() const {
        std::optional<std::size_t> column;
        std::size_t most = 0;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (is_short_[i]) continue;
            const std::size_t saved = width_of_cells(i) - width_of_cells(i, columns_[i].shorten);
            if (saved > most) column = i;
            most = std::max(most, saved);
        }
        return column;
    }

    void shorten(std::size_t column) {
        is_short_[column] = true;
        for (Cells& row : rows_) row[column] = columns_[column].shorten(row[column]);
        widths_[column] = std::max(longest_word(columns_[column].title), width_of_cells(column));
    }

    /// Makes all columns with cells that may be broken as narrow as possible. Returns the widths
    /// before.
    std::vector<std::size_t> break_cells() {
        const std::vector<std::size_t> before = widths_;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (!does(i, Table::Narrow::wrap)) continue;
            std::size_t least = std::max(kLeastWrapped, longest_word(columns_[i].title));
            for (const Cells& row : rows_) least = std::max(least, longest_word(row[i]));
            widths_[i] = std::min(widths_[i], least);
        }
        return before;
    }

    /// Gives the room that is left to the columns that break_cells() has narrowed.
    void widen(const std::vector<std::size_t>& most) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            while (widths_[i] < most[i]) {
                ++widths_[i];
                if (!is_too_wide()) continue;
                --widths_[i];
                break;
            }
        }
    }

    template <typename Condition>
    void move(Place place, Condition condition) {
        for (std::size_t i = columns_.size(); i-- > 0 && is_too_wide();) {
            if (condition(i)) places_[i] = place;
        }
    }

    /// The lines of the cells that stand beside each other.
    std::string beside(const Cells& cells, bool at_bottom) const {
        std::vector<Cells> parts;
        std::size_t height = 1;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            parts.push_back(lines_of(wrap(cells[i], widths_[i])));
            if (places_[i] == Place::beside) height = std::max(height, parts[i].size());
        }
        std::string text;
        for (std::size_t line = 0; line < height; ++line) {
            Cells row;
            for (const Cells& part : parts) {
                const std::size_t above = at_bottom ? height - std::min(height, part.size()) : 0;
                const bool is_there = line >= above && line - above < part.size();
                row.push_back(is_there ? part[line - above] : "");
            }
            text += line_of(row) + "\n";
        }
        return text;
    }

    std::string line_of(const Cells& cells) const {
        std::string text;
        bool is_first = true;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (places_[i] != Place::beside) continue;
            if (!std::exchange(is_first, false)) text += std::string(kGap, ' ');
            const std::size_t taken = std::min(widths_[i], display_width(cells[i]));
            const std::string padding(widths_[i] - taken, ' ');
            const bool right = columns_[i].align == Table::Align::right;
            text += right ? padding + cells[i] : cells[i] + padding;
        }
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    }

    const std::vector<Table::Column>& columns_;
    std::vector<Cells> rows_;
    std::vector<std::size_t> widths_;
    std::vector<Place> places_;
    std::vector<bool> is_short_;
    std::size_t limit_ = kNoLimit;
};

}  // namespace

std::string short_ids(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const auto end = std::ranges::find_if_not(text, is_alphanumeric);
        const auto size = static_cast<std::size_t>(end - text.begin());
        result += size > 0 ? short_id(text.substr(0, size)) : std::string(1, text.front());
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return result;
}

std::string short_label(std::string_view label) {
    constexpr std::size_t kColumns = 40;
    constexpr std::size_t kMostBytes = 4;  // of a character
    const std::string text = short_ids(label);
    if (display_width(text) <= kColumns) return text;
    std::string_view start = first_bytes(text, kColumns * kMostBytes);
    while (display_width(start) >= kColumns) start = first_bytes(start, start.size() - 1);
    return std::string(start) + "…";
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<std::string> cells) {
    assert(cells.size() == columns_.size());
    for (std::string& cell : cells) cell = printable(cell, kMaxShown);
    rows_.push_back(std::move(cells));
}

std::string Table::to_string(std::size_t columns, std::string_view title_style,
                             std::string_view style_end) const {
    Fit fit(columns_, rows_);
    fit.to(columns);
    std::string title = fit.title();
    title.pop_back();
    std::string text = std::string(title_style) + title + std::string(style_end) + "\n";
    for (const auto& row : fit.rows()) text += fit.row(row);
    return text;
}

std::string fitted(const Table& table, bool in_full, const Console& console) {
    const std::size_t columns = in_full ? kNoLimit : console.out_columns();
    return console.colours_out() ? table.to_string(columns, "\x1b[1m", "\x1b[0m")
                                 : table.to_string(columns);
}

}  // namespace petal::cli
