#include "cli/text/text.h"

#include <gtest/gtest.h>

#include <ctime>
#include <optional>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

TEST(Text, CountsHaveThousandsSeparators) {
    EXPECT_EQ(format_count(0), "0");
    EXPECT_EQ(format_count(999), "999");
    EXPECT_EQ(format_count(1'000), "1,000");
    EXPECT_EQ(format_count(1'234'567), "1,234,567");
    EXPECT_EQ(count_of(1, "block"), "1 block");
    EXPECT_EQ(count_of(2'000, "block"), "2,000 blocks");
}

TEST(Text, IsNotCutWithinACharacter) {
    EXPECT_EQ(first_bytes("rent", 4), "rent");
    EXPECT_EQ(first_bytes("rent", 3), "ren");
    const std::string umlauts = "\u00e4\u00f6";
    EXPECT_EQ(first_bytes(umlauts, 4), umlauts);
    EXPECT_EQ(first_bytes(umlauts, 3), "\u00e4");
    EXPECT_EQ(first_bytes(umlauts, 1), "");
}

TEST(Text, BytesComeInTheUnitThatFits) {
    EXPECT_EQ(format_bytes(0), "0 B");
    EXPECT_EQ(format_bytes(999), "999 B");
    EXPECT_EQ(format_bytes(1'000), "1.0 kB");
    EXPECT_EQ(format_bytes(9'940), "9.9 kB");
    EXPECT_EQ(format_bytes(9'960), "10 kB");
    EXPECT_EQ(format_bytes(999'600), "1.0 MB");
    EXPECT_EQ(format_bytes(3'700'000), "3.7 MB");
}

TEST(Text, DurationsAreShort) {
    EXPECT_EQ(format_duration(0.0123), "12 ms");
    EXPECT_EQ(format_duration(1.24), "1.2 s");
    EXPECT_EQ(format_duration(12), "12 s");
    EXPECT_EQ(format_duration(200), "3 min 20 s");
    EXPECT_EQ(format_duration(7'500), "2 h 5 min");
    EXPECT_EQ(format_duration(180'000), "2 d 2 h");
}

/// Sets the local time zone until the end of the scope.
class ScopedZone {
public:
    explicit ScopedZone(const char* zone) : variable_(std::in_place, "TZ", zone) { tzset(); }
    ~ScopedZone() {
        variable_.reset();
        tzset();
    }
    ScopedZone(const ScopedZone&) = delete;
    ScopedZone& operator=(const ScopedZone&) = delete;

private:
    std::optional<test::ScopedVariable> variable_;
};

TEST(Text, TimesAreOfTheLocalZone) {
    // The time of Bitcoin's genesis block.
    constexpr std::int64_t kFirstBlock = 1'231'006'505;
    const ScopedZone utc("UTC0");
    EXPECT_EQ(format_time(0), "1970-01-01 00:00 UTC");
    EXPECT_EQ(format_time(kFirstBlock), "2009-01-03 18:15 UTC");
    const ScopedZone cet("CET-1");
    EXPECT_EQ(format_time(kFirstBlock), "2009-01-03 19:15 CET");
    EXPECT_EQ(format_exact_time(kFirstBlock), "2009-01-03 19:15:05 CET");
    EXPECT_EQ(format_iso_time(kFirstBlock), "2009-01-03T18:15:05Z");
}

struct ForeignText {
    const char* name;
    std::string_view text;
    const char* shown;
};

void PrintTo(const ForeignText& row, std::ostream* out) {
    *out << row.name;
}

class PrintableText : public testing::TestWithParam<ForeignText> {};

TEST_P(PrintableText, ShowsWhatATerminalWouldObey) {
    const std::string shown = printable(GetParam().text);
    EXPECT_EQ(shown, GetParam().shown);
    EXPECT_EQ(printable(shown), shown) << "escaping twice changes nothing";
}

using namespace std::string_view_literals;

// clang-format off
INSTANTIATE_TEST_SUITE_P(Table, PrintableText, testing::ValuesIn(std::initializer_list<ForeignText>{
    {"UserAgent",           "/Satoshi:27.0.0/",       "/Satoshi:27.0.0/"},
    {"Tilde",               " ~",                     " ~"},
    {"Umlauts",             "gr\u00fc\u00df",         "gr\u00fc\u00df"},
    {"Hebrew",              "\u05e9\u05dc",           "\u05e9\u05dc"},
    {"LastCharacter",       "\U0010ffff",             "\U0010ffff"},
    {"Emoji",               "\U0001f600",             "\U0001f600"},
    {"Backslash",           "\\x1b",                  "\\x1b"},
    {"Escape",              "a\x1b[31mb",             "a\\x1b[31mb"},
    {"LineEnd",             "a\r\nb",                 "a\\x0d\\x0ab"},
    {"Zero",                "a\0b"sv,                 "a\\x00b"},
    {"LastOfC0",            "\x1f",                   "\\x1f"},
    {"Delete",              "\x7f",                   "\\x7f"},
    {"FirstOfC1",           "\u0080",                 "\\u0080"},
    {"ControlSequence",     "\u009b" "31m",           "\\u009b31m"},
    {"LastOfC1",            "\u009f",                 "\\u009f"},
    {"NoBreakSpace",        "\u00a0",                 "\u00a0"},
    {"ArabicMark",          "\u061c",                 "\\u061c"},
    {"BesideArabicMark",    "\u061b",                 "\u061b"},
    {"SoftHyphen",          "a\u00ad" "b",            "a\\u00adb"},
    {"GraphemeJoiner",      "a\u034f" "b",            "a\\u034fb"},
    {"HangulFiller",        "\u3164",                 "\\u3164"},
    {"ZeroWidthSpace",      "a\u200b" "b",            "a\\u200bb"},
    {"ZeroWidthNonJoiner",  "a\u200c" "b",            "a\\u200cb"},
    {"ZeroWidthJoiner",     "a\u200d" "b",            "a\\u200db"},
    {"WordJoiner",          "a\u2060" "b",            "a\\u2060b"},
    {"Tag",                 "a\U000e0041",            "a\\U000e0041"},
    {"VariationSelector",   "a\ufe0f",                "a\\ufe0f"},
    {"Heart",               "\u2764\ufe0f",           "\u2764\ufe0f"},
    {"SecondSelector",      "\u2764\ufe0f\ufe0f",     "\u2764\ufe0f\\ufe0f"},
    {"Family",              "\U0001f468\u200d\U0001f467", "\U0001f468\u200d\U0001f467"},
    {"Flag",                "\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f3f3\ufe0f\u200d\U0001f308"},
    {"SkinTone",            "\U0001f469\U0001f3fd\u200d\U0001f680", "\U0001f469\U0001f3fd\u200d\U0001f680"},
    {"JoinerAtTheEnd",      "\U0001f468\u200d",       "\U0001f468\\u200d"},
    {"JoinerBeforeText",    "\U0001f468\u200d" "a",   "\U0001f468\\u200da"},
    {"JoinerAfterText",     "a\u200d\U0001f467",      "a\\u200d\U0001f467"},
    {"TwoJoiners",          "\U0001f468\u200d\u200d\U0001f467", "\U0001f468\\u200d\\u200d\U0001f467"},
    {"LeftToRightMark",     "\u200e",                 "\\u200e"},
    {"RightToLeftMark",     "\u200f",                 "\\u200f"},
    {"Hyphen",              "\u2010",                 "\u2010"},
    {"LineSeparator",       "\u2028",                 "\\u2028"},
    {"ParagraphSeparator",  "\u2029",                 "\\u2029"},
    {"Embedding",           "\u202a",                 "\\u202a"},
    {"Override",            "txt\u202egpj.exe",       "txt\\u202egpj.exe"},
    {"NarrowSpace",         "\u202f",                 "\u202f"},
    {"Isolate",             "\u2066",                 "\\u2066"},
    {"IsolatesEnd",         "\u2069",                 "\\u2069"},
    {"SymmetricSwapping",   "\u206a",                 "\\u206a"},
    {"BesideFormats",       "\u2070",                 "\u2070"},
    {"ByteOrderMark",       "\ufeffx",                "\\ufeffx"},
    {"LoneContinuation",    "\x9b" "31m",             "\\x9b31m"},
    {"LoneLead",            "\xc3",                   "\\xc3"},
    {"LeadBeforeText",      "\xc3(",                  "\\xc3("},
    {"NoLeads",             "\xff\xfe",               "\\xff\\xfe"},
    {"OverlongEscape",      "\xc0\x9b",               "\\xc0\\x9b"},
    {"OverlongEscapeOf3",   "\xe0\x80\x9b",           "\\xe0\\x80\\x9b"},
    {"OverlongEscapeOf4",   "\xf0\x80\x80\x9b",       "\\xf0\\x80\\x80\\x9b"},
    {"LongestOverlong3",    "\xe0\x9f\xbf",           "\\xe0\\x9f\\xbf"},
    {"ShortestOf3",         "\xe0\xa0\x80",           "\u0800"},
    {"Surrogate",           "\xed\xa0\x80",           "\\xed\\xa0\\x80"},
    {"BeforeSurrogates",    "\xed\x9f\xbf",           "\ud7ff"},
    {"AboveUnicode",        "\xf4\x90\x80\x80",       "\\xf4\\x90\\x80\\x80"},
    {"CutOf4",              "\xf0\x9f\x98",           "\\xf0\\x9f\\x98"},
}), [](const auto& row) { return std::string(row.param.name); });
// clang-format on

TEST(PrintableText, IsCutBetweenCharacters) {
    EXPECT_EQ(printable("abcdef", 3), "abc");
    EXPECT_EQ(printable("ab\u00fc", 3), "ab");
    EXPECT_EQ(printable("ab\x1b", 5), "ab");
    EXPECT_EQ(printable("ab\x1b", 6), "ab\\x1b");
}

TEST(ClosestWord, FindsTypos) {
    const std::vector<std::string> words{"create", "restore", "wallets", "sync", "balance"};
    EXPECT_EQ(closest_word("synk", words), "sync");
    EXPECT_EQ(closest_word("snyc", words), "sync");
    EXPECT_EQ(closest_word("balence", words), "balance");
    EXPECT_EQ(closest_word("bal", words), "balance");
    EXPECT_EQ(closest_word("wallet", words), "wallets");
}

TEST(ClosestWord, SaysNothingIfNothingIsNear) {
    const std::vector<std::string> words{"create", "restore", "sync"};
    EXPECT_EQ(closest_word("elephant", words), "");
    EXPECT_EQ(closest_word("x", words), "");
    EXPECT_EQ(closest_word("", words), "");
    EXPECT_EQ(closest_word(std::string(1'000, 's'), words), "");
}

TEST(Text, EscapeSequencesTakeNoColumns) {
    EXPECT_EQ(display_width("\x1b[1;32mgr\u00fc\u00df\x1b[0m!"), 5U);
    EXPECT_EQ(display_width("\x1b[1"), 0U);
    EXPECT_EQ(display_width("\u79df\u91d1 5"), 6U);  // two wide characters
    EXPECT_EQ(display_width("e\u0301"), 1U);         // a combining one
    EXPECT_EQ(display_width("\xff\x80"), 2U);
}

}  // namespace
}  // namespace petal::cli
