#include "cli/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

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

/// A UTF-8 character and its size in bytes; 0 if `text` does not begin with a valid one. Overlong
/// forms, surrogates and code points above U+10FFFF are invalid (RFC 3629).
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

/// Whether a terminal does anything else with it than to show it in place.
bool is_control(char32_t code) {
    struct Range {
        char32_t first;
        char32_t last;
    };
    constexpr std::array kControls{
        Range{0x00, 0x1f},     Range{0x7f, 0x9f},      // C0, DEL and C1
        Range{0x61c, 0x61c},   Range{0x200e, 0x200f},  // marks of direction
        Range{0x2028, 0x2029},                         // ends of lines and paragraphs
        Range{0x202a, 0x202e}, Range{0x2066, 0x2069},  // embedding, override and isolation
        Range{0xfeff, 0xfeff},                         // the byte order mark
    };
    return std::any_of(kControls.begin(), kControls.end(), [code](const Range& range) {
        return code >= range.first && code <= range.last;
    });
}

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
/// into the other.
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

std::string count_of(std::uint64_t count, std::string_view noun) {
    std::string text = format_count(count) + " " + std::string(noun);
    if (count != 1) text += "s";
    return text;
}

std::string comma_list(const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    return list;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
    std::string result;
    while (!text.empty()) {
        const Character character = first_character(text);
        const std::size_t size = std::max<std::size_t>(character.size, 1);
        std::string piece(text.substr(0, size));
        if (character.size == 0 || (character.size == 1 && is_control(character.code))) {
            piece = print("\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(piece[0])));
        } else if (is_control(character.code)) {
            piece = print("\\u%04x", static_cast<unsigned>(character.code));
        }
        if (result.size() + piece.size() > max_bytes) break;
        result += piece;
        text.remove_prefix(size);
    }
    return result;
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
    while (!json.empty()) {
        const Character character = first_character(json);
        const std::size_t size = std::max<std::size_t>(character.size, 1);
        if (character.size > 0 && is_control(character.code)) {
            result += print("\\u%04x", static_cast<unsigned>(character.code));
        } else {
            result += json.substr(0, size);
        }
        json.remove_prefix(size);
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
        const bool is_plain = character.code < 0x80;  // or no valid character
        const int columns =
            is_plain ? 1 : utf8proc_charwidth(static_cast<utf8proc_int32_t>(character.code));
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
