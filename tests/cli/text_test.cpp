#include "cli/text.h"

#include <gtest/gtest.h>

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

TEST(Text, TimesAreUtc) {
    EXPECT_EQ(format_time(0), "1970-01-01 00:00 UTC");
    EXPECT_EQ(format_time(1'231'006'505), "2009-01-03 18:15 UTC");  // Bitcoin's first block
}

TEST(Text, ForeignWordsCannotDisturbTheTerminal) {
    EXPECT_EQ(printable("/Satoshi:27.0.0/"), "/Satoshi:27.0.0/");
    EXPECT_EQ(printable("a\x1b[31mb\n\x7f"), "a?[31mb??");
    EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
    EXPECT_EQ(printable("\xc3"), "?");
    EXPECT_EQ(printable("\xff\xfe"), "??");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "??31m");  // a C1 control
    EXPECT_EQ(printable("abcdef", 3), "abc");
    EXPECT_EQ(printable("ab\xc3\xbc", 3), "ab");
}

TEST(ClosestWord, FindsTypos) {
    const std::vector<std::string> words{"create", "restore", "wallets", "sync", "balance"};
    EXPECT_EQ(closest_word("synk", words), "sync");
    EXPECT_EQ(closest_word("snyc", words), "sync");
    EXPECT_EQ(closest_word("balence", words), "balance");
    EXPECT_EQ(closest_word("bal", words), "balance");
    EXPECT_EQ(closest_word("wallet", words), "wallets");
}

TEST(ClosestWord, SaysNothingWhereNothingIsNear) {
    const std::vector<std::string> words{"create", "restore", "sync"};
    EXPECT_EQ(closest_word("elephant", words), "");
    EXPECT_EQ(closest_word("x", words), "");
    EXPECT_EQ(closest_word("", words), "");
    EXPECT_EQ(closest_word(std::string(1'000, 's'), words), "");
}

TEST(Table, AlignsColumnsByWhatIsSeen) {
    Table table(
        {{"name", Table::Align::left}, {"n", Table::Align::right}, {"", Table::Align::left}});
    table.add_row({"\xc3\xbc", "1", ""});
    table.add_row({"longer", "100", "x"});
    EXPECT_EQ(table.to_string(),
              "name      n\n"
              "\xc3\xbc         1\n"
              "longer  100  x\n");
}

TEST(Table, StylesItsTitle) {
    Table table({{"a", Table::Align::left}});
    table.add_row({"b"});
    EXPECT_EQ(table.to_string("<", ">"), "<a>\nb\n");
}

}  // namespace
}  // namespace petal::cli
