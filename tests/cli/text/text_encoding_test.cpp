#include "cli/text/text_encoding.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/cli/encoded_text.h"

namespace petal::cli {
namespace {

using namespace std::string_literals;
using enum TextFault;

struct EncodingCase {
    std::string name;
    std::string bytes;
    std::string text;
    std::optional<TextFault> fault{};
};

void PrintTo(const EncodingCase& row, std::ostream* out) {
    *out << row.name;
}

class TextEncoding : public testing::TestWithParam<EncodingCase> {};

TEST_P(TextEncoding, IsDecodedOrSaysWhyNot) {
    const auto& row = GetParam();
    const auto text = text_of(row.bytes);
    ASSERT_EQ(text.has_value(), !row.fault);
    if (row.fault) {
        EXPECT_EQ(text.error(), *row.fault);
        EXPECT_FALSE(describe(text.error()).empty());
    } else {
        EXPECT_EQ(*text, row.text);
    }
}

TEST_P(TextEncoding, IsTheSameInPieces) {
    const auto& row = GetParam();
    for (std::size_t size = 1; size < 4; ++size) {
        TextDecoder decoder;
        std::string text;
        std::optional<TextFault> fault;
        for (std::size_t at = 0; at < row.bytes.size() && !fault; at += size) {
            fault = decoder.take(std::string_view(row.bytes).substr(at, size), text);
        }
        if (!fault) fault = decoder.finish(text);
        EXPECT_EQ(fault, row.fault);
        if (!fault) {
            EXPECT_EQ(test::replaced(text, "\r\n", "\n"), row.text) << size;
        }
    }
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Files, TextEncoding, testing::ValuesIn(std::initializer_list<EncodingCase>{
    {"Empty",                "",                                     ""},
    {"Plain",                "a\nb",                                 "a\nb"},
    {"CarriageReturns",      "a\r\nb\r\n",                           "a\nb\n"},
    {"LoneCarriageReturns",  "a\rb\r",                               "a\rb\r"},
    {"InvalidUtf8Stays",     "a\xff\xfe",                            "a\xff\xfe"},
    {"Utf8Mark",             "\xef\xbb\xbfs\xc3\xa9",                "s\xc3\xa9"},
    {"OnlyUtf8Mark",         "\xef\xbb\xbf",                         ""},
    {"PartOfUtf8Mark",       "\xef\xbb",                             "\xef\xbb"},
    {"NearlyUtf8Mark",       "\xef\xbb\xbex",                        "\xef\xbb\xbex"},
    {"MarkInsideStays",      "a\xef\xbb\xbf",                        "a\xef\xbb\xbf"},
    {"SecondMarkStays",      "\xef\xbb\xbf\xef\xbb\xbf",             "\xef\xbb\xbf"},
    {"PartOfUtf16Mark",      "\xff",                                 "\xff"},
    {"LittleEndian",         "\xff\xfe" "a\0\xe9\0"s,                "a\xc3\xa9"},
    {"BigEndian",            "\xfe\xff\0a\0\xe9"s,                   "a\xc3\xa9"},
    {"ThreeBytes",           "\xff\xfe\xac\x20"s,                    "\xe2\x82\xac"},
    {"SurrogatePair",        "\xff\xfe\x3d\xd8\x00\xde"s,            "\xf0\x9f\x98\x80"},
    {"LastCharacter",        "\xfe\xff\xdb\xff\xdf\xff"s,            "\xf4\x8f\xbf\xbf"},
    {"Utf16CarriageReturns", "\xff\xfe" "a\0\r\0\n\0"s,              "a\n"},
    {"HighSurrogateAlone",   "\xff\xfe\x3d\xd8" "a\0"s,              "", unpaired_surrogate},
    {"LowSurrogateAlone",    "\xff\xfe\x00\xde"s,                    "", unpaired_surrogate},
    {"TwoHighSurrogates",    "\xff\xfe\x3d\xd8\x3d\xd8"s,            "", unpaired_surrogate},
    {"EndsInAPair",          "\xff\xfe\x3d\xd8"s,                    "", cut_off},
    {"EndsInAUnit",          "\xff\xfe" "a"s,                        "", cut_off},
    {"Nul",                  "a\0b"s,                                "", nul},
    {"Utf16WithoutMark",     "a\0b\0"s,                              "", nul},
    {"NulInUtf16",           "\xff\xfe" "a\0\0\0"s,                  "", nul},
    {"Utf32",                "\xff\xfe\0\0" "a\0\0\0"s,              "", nul},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(OuterBlanks, AreSpacesTabsAndLineEnds) {
    EXPECT_EQ(without_outer_blanks(" \t a b\v \r\n"), "a b");
    EXPECT_EQ(without_outer_blanks(" \n"), "");
    EXPECT_EQ(without_outer_blanks(""), "");
}

}  // namespace
}  // namespace petal::cli
