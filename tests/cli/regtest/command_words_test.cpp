#include "cli/regtest/command_words.h"

#include <gtest/gtest.h>

#include "cli/command_error.h"

namespace petal::cli {
namespace {

using Words = std::vector<std::string>;

TEST(CommandWords, AreSplitAtBlanks) {
    EXPECT_EQ(split_words(""), Words{});
    EXPECT_EQ(split_words(" \t\r"), Words{});
    EXPECT_EQ(split_words("  mine  3\t a \r"), (Words{"mine", "3", "a"}));
}

TEST(CommandWords, MayBeQuotedAsInAShell) {
    EXPECT_EQ(split_words(R"(fault "")"), (Words{"fault", ""}));
    EXPECT_EQ(split_words(R"('' "a b" 'c "d" \')"), (Words{"", "a b", R"(c "d" \)"}));
    EXPECT_EQ(split_words(R"("{\"a b\":\"\\\"}" x)"), (Words{R"({"a b":"\"})", "x"}));
    for (const char* wrong : {"\"a", "'a\"", "\"a\\\"", "''a", "\"a\"'b'"}) {
        EXPECT_THROW(split_words(wrong), CommandError) << wrong;
    }
}

TEST(CommandWords, KeepJsonTogether) {
    EXPECT_EQ(split_words(R"(a [ "00", [1 , 2] ] {"x y": "} \" "} b)"),
              (Words{"a", R"([ "00", [1 , 2] ])", R"({"x y": "} \" "})", "b"}));
    EXPECT_EQ(split_words("[ 1"), (Words{"[ 1"}));
    EXPECT_EQ(split_words("[] ] {}x y"), (Words{"[]", "]", "{}x", "y"}));
    EXPECT_EQ(split_words("[\"\\"), (Words{"[\"\\"}));
}

TEST(CommandWords, HaveQuotesAndBracketsWithin) {
    EXPECT_EQ(split_words("wpkh([00/84'/1']tpub/*) a\"b \"c d\""),
              (Words{"wpkh([00/84'/1']tpub/*)", "a\"b", "c d"}));
}

}  // namespace
}  // namespace petal::cli
