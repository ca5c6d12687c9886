#include "cli/terminal/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/text/text.h"

namespace petal::cli {
namespace {

using Align = Table::Align;
using Narrow = Table::Narrow;

constexpr const char* kSomeTxid =
    "3fa81c4e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7a92b0d1";
constexpr const char* kSomeAddress = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpj3t4k";

std::size_t width_of(const std::string& text) {
    std::size_t width = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) width = std::max(width, display_width(line));
    return width;
}

TEST(ShortIds, KeepBothEnds) {
    const std::string txid = kSomeTxid;
    EXPECT_EQ(short_ids(txid), "3fa81c…92b0d1");
    EXPECT_EQ(short_ids(txid + ":12"), "3fa81c…92b0d1:12");
    EXPECT_EQ(short_ids(kSomeAddress), "tb1qw5…3t4k");
    EXPECT_EQ(short_ids("bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"), "bcrt1qw5…t080");
    EXPECT_EQ(short_ids("to 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2 and 2 others"),
              "to 1BvBMS…NVN2 and 2 others");
    EXPECT_EQ(short_ids(std::string(56, 'a') + ".onion:8333"), "aaaaaa…aaaa.onion:8333");
}

TEST(ShortIds, LeaveOtherTextsAlone) {
    for (const std::string text :
         {"", "rent, May", "Donaudampfschifffahrtsgesellschaft", "m/84h/1h/0h/0/5",
          "[2001:db8:85a3:8d3:1319:8a2e:370:7348]:8333", "multisigcoldstoragewallet2024",
          "mempoolwithdrawalbatch000012", "bc1isnoaddressatall", "nightstandsavingsforthekids2027",
          "3rdhousefirstandsecondmortgage",
          "0123456789012345678901234567890123456789012345678901234567890123x"}) {
        EXPECT_EQ(short_ids(text), text);
    }
}

TEST(Table, ShowsWhatATerminalWouldObey) {
    Table table({{"name"}, {"n"}});
    table.add_row({"\x1b[2J", "1"});
    EXPECT_EQ(table.to_string(), "name     n\n\\x1b[2J  1\n");
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
    EXPECT_EQ(table.to_string(kNoLimit, "<", ">"), "<a>\nb\n");
}

/// A table as of `petal utxos`.
Table coins() {
    Table table({{"BTC", Align::right},
                 {"height", Align::right},
                 {"address"},
                 {"outpoint"},
                 {"", Align::left, Narrow::below}});
    table.add_row({"0.50000000", "800,000", kSomeAddress, std::string(kSomeTxid) + ":0", ""});
    table.add_row({"1.25000000", "unconfirmed", kSomeAddress, std::string(kSomeTxid) + ":11",
                   "frozen, savings"});
    return table;
}

TEST(Table, IsWholeWhereThereIsRoom) {
    const std::string whole = coins().to_string();
    EXPECT_NE(whole.find(kSomeTxid), whole.npos);
    EXPECT_NE(whole.find(kSomeAddress), whole.npos);
    EXPECT_EQ(coins().to_string(width_of(whole)), whole);
    EXPECT_NE(coins().to_string(width_of(whole) - 1), whole);
}

TEST(Table, ShortensNoMoreColumnsThanItMust) {
    EXPECT_EQ(coins().to_string(120),
              "       BTC       height  address                                      outpoint\n"
              "0.50000000      800,000  tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpj3t4k  "
              "3fa81c…92b0d1:0\n"
              "1.25000000  unconfirmed  tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpj3t4k  "
              "3fa81c…92b0d1:11  frozen, savings\n");
    EXPECT_EQ(coins().to_string(80),
              "       BTC       height  address      outpoint\n"
              "0.50000000      800,000  tb1qw5…3t4k  3fa81c…92b0d1:0\n"
              "1.25000000  unconfirmed  tb1qw5…3t4k  3fa81c…92b0d1:11  frozen, savings\n");
}

TEST(Table, PutsAColumnBelowIfShortFormsAreTooWide) {
    EXPECT_EQ(coins().to_string(60),
              "       BTC       height  address      outpoint\n"
              "0.50000000      800,000  tb1qw5…3t4k  3fa81c…92b0d1:0\n"
              "1.25000000  unconfirmed  tb1qw5…3t4k  3fa81c…92b0d1:11\n"
              "    frozen, savings\n");
}

TEST(Table, FitsEveryWidth) {
    for (const std::size_t columns : {60U, 80U, 120U}) {
        EXPECT_LE(width_of(coins().to_string(columns)), columns);
    }
}

TEST(Table, OmitsEmptyColumnsFirst) {
    Table table({{"a", Align::left, Narrow::omit}, {"empty"}, {"b"}});
    table.add_row({"1234", "", "1234"});
    EXPECT_EQ(table.to_string(17), "a     empty  b\n1234         1234\n");
    EXPECT_EQ(table.to_string(16), "a     b\n1234  1234\n");
    EXPECT_EQ(table.to_string(9), "b\n1234\n");
}

// An address that is cut must not look like an address with another end.
TEST(Table, CutsLabelsWithASignAndOnlyIfItMust) {
    const std::string label = "paid to " + std::string(kSomeAddress) + " for the rent of May";
    Table table({{"label", Align::left, Narrow::stay, short_label}});
    table.add_row({label});
    EXPECT_EQ(table.to_string(), "label\n" + label + "\n");
    EXPECT_EQ(table.to_string(width_of(label)), "label\n" + label + "\n");
    EXPECT_EQ(table.to_string(60), "label\npaid to tb1qw5…3t4k for the rent of May\n");
    EXPECT_EQ(short_label("for the rent of May to " + std::string(kSomeAddress) + ", late"),
              "for the rent of May to tb1qw5…3t4k, late");
    EXPECT_EQ(short_label("for the rent of May and of June, to " + std::string(kSomeAddress)),
              "for the rent of May and of June, to tb1…");
    std::string wide;
    for (int i = 0; i < 30; ++i) wide += "家";
    EXPECT_EQ(display_width(short_label(wide)), 39U);
    EXPECT_TRUE(short_label(wide).ends_with("家…"));
}

TEST(Table, ShortensACellOnce) {
    const auto without_end = [](std::string_view cell) {
        return std::string(cell.substr(0, cell.rfind(' ')));
    };
    Table table({{"time", Align::left, Narrow::stay, without_end}});
    table.add_row({"2026-11-29 22:20 CET"});
    EXPECT_EQ(table.to_string(4), "time\n2026-11-29 22:20\n");
}

TEST(Table, BreaksTitlesFirst) {
    Table table({{"false tx per block", Align::right}, {"who"}});
    table.add_row({"12", "x"});
    EXPECT_EQ(table.to_string(12), "false\n   tx\n  per\nblock  who\n   12  x\n");
    EXPECT_EQ(table.to_string(23), "false tx per block  who\n                12  x\n");
}

TEST(Table, BreaksCellsBetweenWords) {
    Table table({{"addresses", Align::left, Narrow::wrap}, {"n", Align::right}});
    table.add_row({"those that hold coins", "1"});
    table.add_row({"first seen within a year (a known birthday)", "2"});
    EXPECT_EQ(table.to_string(33),
              "addresses                       n\n"
              "those that hold coins           1\n"
              "first seen within a year (a     2\n"
              "known birthday)\n");
    EXPECT_LE(width_of(table.to_string(10)), 23U);
}

}  // namespace
}  // namespace petal::cli
