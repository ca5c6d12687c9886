#include "cli/text/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <optional>

namespace petal::cli {
namespace {

template <typename... Values>
std::string print(const char* format, Values... values) {
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), format, values...);
    return text.data();
}

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// A UTF-8 character and the size in bytes, 0 if `text` does not begin with a valid character.
/// Overlong forms, surrogates and code points above U+10FFFF are invalid (RFC 3629).
struct Character {
    char32_t code = 0;
    std::size_t size = 0;
};

Character first_character(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) return {lead, 1};
    const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
    char32_t code = lead & (0x7fU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if (!is_continuation(text[i])) return {};
        code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
    }
    constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (code < kLeast[size] || surrogate || code > 0x10ffff) return {};
    return {code, size};
}

utf8proc_int32_t as_code_point(char32_t code) {
    return static_cast<utf8proc_int32_t>(code);
}

/// Whether a terminal shows nothing at the character's place: controls, direction marks, ends of
/// lines, zero-width and other format characters (Default_Ignorable_Code_Point of Unicode).
bool is_invisible(char32_t code) {
    if (code >= ' ' && code <= '~') return false;
    switch (utf8proc_category(as_code_point(code))) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return true;
        default:
            return utf8proc_get_property(as_code_point(code))->ignorable != 0;
    }
}

bool is_pictograph(char32_t code) {
    const bool is_skin_tone = code >= 0x1f3fb && code <= 0x1f3ff;
    return is_skin_tone || utf8proc_get_property(as_code_point(code))->boundclass ==
                               UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

/// Goes through a text character by character, and finds the characters that printable() escapes.
class ShownText {
public:
    explicit ShownText(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }

    struct Piece {
        std::string_view bytes;  ///< one byte that is not UTF-8, or a character
        std::optional<char32_t> code;
        bool is_escaped = false;
    };

    Piece next() {
        const Character character = first_character(rest_);
        Piece piece;
        piece.bytes = rest_.substr(0, std::max<std::size_t>(character.size, 1));
        rest_.remove_prefix(piece.bytes.size());
        if (character.size > 0) piece.code = character.code;
        piece.is_escaped =
            !piece.code || (is_invisible(*piece.code) && !is_part_of_emoji(*piece.code));
        before_ = piece.is_escaped ? U'\0' : *piece.code;
        return piece;
    }

private:
    /// Whether the character selects the style of the pictograph before, or joins the pictograph
    /// before to the pictograph behind.
    bool is_part_of_emoji(char32_t code) const {
        constexpr char32_t kJoiner = 0x200d;
        constexpr char32_t kEmojiStyle = 0xfe0f;
        if (code == kEmojiStyle) return is_pictograph(before_);
        const bool joins =
            code == kJoiner && !rest_.empty() && (is_pictograph(before_) || before_ == kEmojiStyle);
        return joins && is_pictograph(first_character(rest_).code);
    }

    std::string_view rest_;
    char32_t before_ = U'\0';  ///< the character before the rest, if it was not escaped
};

std::string time_text(const std::tm& parts, const char* format) {
    std::array<char, 96> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

std::string local_time(std::int64_t unix_seconds, const char* format) {
    std::tm parts{};
    const std::time_t time = unix_seconds;
    if (localtime_r(&time, &parts) == nullptr) return std::to_string(unix_seconds);
    return time_text(parts, format);
}

/// The number of insertions, deletions, replacements and swaps of neighbours that turn one word
/// into the other word.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> distance(a.size() + 1,
                                                   std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) distance[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) distance[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            std::size_t best = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                best = std::min(best, distance[i - 2][j - 2] + 1);
            }
            distance[i][j] = best;
        }
    }
    return distance[a.size()][b.size()];
}

}  // namespace

std::string format_count(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
    return text;
}

std::string format_bytes(std::uint64_t bytes) {
    constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1'000) return print("%d B", static_cast<int>(bytes));
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < kUnits.size()) {
        value /= 1'000;
        ++unit;
    }
    return print(value < 9.95 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
}

std::string format_duration(double seconds) {
    if (seconds < 0.9995) return print("%.0f ms", seconds * 1'000);
    if (seconds < 9.95) return print("%.1f s", seconds);
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole < 60) return print("%lld s", whole);
    if (whole < 3'600) return print("%lld min %lld s", whole / 60, whole % 60);
    if (whole < 86'400) return print("%lld h %lld min", whole / 3'600, whole % 3'600 / 60);
    return print("%lld d %lld h", whole / 86'400, whole % 86'400 / 3'600);
}

std::string format_time(std::int64_t unix_seconds) {
    return local_time(unix_seconds, "%Y-%m-%d %H:%M %Z");
}

std::string format_exact_time(std::int64_t unix_seconds) {
    return local_time(unix_seconds, "%Y-%m-%d %H:%M:%S %Z");
}

std::string format_iso_time(std::int64_t unix_seconds) {
    std::tm parts{};
    const std::time_t time = unix_seconds;
    if (gmtime_r(&time, &parts) == nullptr) return std::to_string(unix_seconds);
    return time_text(parts, "%Y-%m-%dT%H:%M:%SZ");
}

std::string format_rate(double rate) {
    return print("%.3g", rate);
}

std::string count_of(std::uint64_t count, std::string_view noun, std::string_view ending) {
    std::string text = format_count(count) + " " + std::string(noun);
    if (count != 1) text += ending;
    return text;
}

std::string comma_list(const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    return list;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
    std::string result;
    for (ShownText shown(text); !shown.at_end();) {
        const auto [bytes, code, is_escaped] = shown.next();
        std::string piece(bytes);
        if (is_escaped && bytes.size() == 1) {
            piece = print("\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(bytes[0])));
        } else if (is_escaped) {
            const auto number = static_cast<unsigned>(*code);
            piece = print(number > 0xffff ? "\\U%08x" : "\\u%04x", number);
        }
        if (result.size() + piece.size() > max_bytes) break;
        result += piece;
    }
    return result;
}

std::string field(std::string_view name, std::string_view value) {
    constexpr std::size_t kValueColumn = 18;
    std::string line = "  " + std::string(name);
    line.resize(std::max(line.size() + 1, kValueColumn), ' ');
    return line + printable(value, kMaxShown) + "\n";
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = first_character(text).size;
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

std::string escape_json_controls(std::string_view json) {
    std::string result;
    result.reserve(json.size());
    for (ShownText shown(json); !shown.at_end();) {
        const auto [bytes, code, is_escaped] = shown.next();
        if (!is_escaped || !code) {
            result += bytes;
        } else if (*code <= 0xffff) {
            result += print("\\u%04x", static_cast<unsigned>(*code));
        } else {
            const auto above = static_cast<unsigned>(*code) - 0x10000;
            result += print("\\u%04x\\u%04x", 0xd800 + (above >> 10), 0xdc00 + (above & 0x3ff));
        }
    }
    return result;
}

std::string_view first_bytes(std::string_view utf8, std::size_t most) {
    if (utf8.size() <= most) return utf8;
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; };
    while (most > 0 && continues(utf8[most])) --most;
    return utf8.substr(0, most);
}

std::size_t display_width(std::string_view utf8) {
    std::size_t width = 0;
    while (!utf8.empty()) {
        if (utf8.starts_with("\x1b[")) {
            utf8.remove_prefix(std::min(utf8.find('m'), utf8.size() - 1) + 1);
            continue;
        }
        const Character character = first_character(utf8);
        const bool is_plain = character.code < 0x80;  // 0 for bytes that are no valid character
        const int columns = is_plain ? 1 : utf8proc_charwidth(as_code_point(character.code));
        width += static_cast<std::size_t>(std::max(columns, 0));
        utf8.remove_prefix(std::max<std::size_t>(character.size, 1));
    }
    return width;
}

std::string closest_word(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t kMaxWord = 40;
    if (word.size() < 2 || word.size() > kMaxWord) return {};
    std::string best;
    std::size_t best_distance = word.size() <= 4 ? 2 : 3;  // exclusive
    for (const std::string& candidate : candidates) {
        const bool begins_it = word.size() >= 3 && candidate.starts_with(word);
        const std::size_t distance = begins_it ? 1 : edit_distance(word, candidate);
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace petal::cli
