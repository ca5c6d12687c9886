/// Texts in the encodings that other programs write.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace petal::test {

/// A way in which a program writes a text of ASCII characters, LF line ends and U+00E9.
struct TextForm {
    const char* name;
    std::string (*write)(std::string_view text);
};

inline void PrintTo(const TextForm& form, std::ostream* out) {
    *out << form.name;
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

/// UTF-16 with a byte order mark (RFC 2781).
inline std::string utf16(std::string_view text, bool is_big_endian) {
    std::string bytes = is_big_endian ? "\xfe\xff" : "\xff\xfe";
    for (std::size_t i = 0; i < text.size(); ++i) {
        char unit = text[i];
        if (unit == '\xc3') unit = static_cast<char>(text[++i] | 0x40);  // U+00C0 to U+00FF
        if (is_big_endian) bytes += {'\0', unit};
        if (!is_big_endian) bytes += {unit, '\0'};
    }
    return bytes;
}

/// All forms. The first form is plain UTF-8.
inline const std::vector<TextForm>& text_forms() {
    static const std::vector<TextForm> forms{
        {"Utf8", [](std::string_view text) { return std::string(text); }},
        {"Utf8WithMark", [](std::string_view text) { return "\xef\xbb\xbf" + std::string(text); }},
        {"Utf16LittleEndian", [](std::string_view text) { return utf16(text, false); }},
        {"Utf16BigEndian", [](std::string_view text) { return utf16(text, true); }},
        {"CarriageReturns",
         [](std::string_view text) { return replaced(std::string(text), "\n", "\r\n"); }},
        {"Utf16CarriageReturns",
         [](std::string_view text) {
             return utf16(replaced(std::string(text), "\n", "\r\n"), false);
         }},
    };
    return forms;
}

}  // namespace petal::test
