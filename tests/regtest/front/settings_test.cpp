#include "regtest/front/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "regtest/front/option_table.h"

namespace petal::regtest::front {
namespace {

/// The settings of these arguments and of a file with this text.
Settings settings_of(const std::vector<std::string>& arguments, const std::string& text = "") {
    auto settings = Settings::parse(arguments);
    EXPECT_TRUE(settings) << settings.error();
    const auto added = settings->add(*parse_config(text));
    EXPECT_TRUE(added) << added.error();
    return *std::move(settings);
}

struct ArgumentCase {
    std::string name;
    std::vector<std::string> arguments;
    std::string text;   ///< of the file
    std::string value;  ///< of -rpcuser, `(none)` without one, `(no)` for a negation
    std::string list;   ///< of -rpcuser, each with a blank behind
};

void PrintTo(const ArgumentCase& row, std::ostream* out) {
    *out << row.name;
}

class SettingsOf : public testing::TestWithParam<ArgumentCase> {};

TEST_P(SettingsOf, FollowThePrecedence) {
    const Settings settings = settings_of(GetParam().arguments, GetParam().text);
    const std::string none = settings.is_negated("rpcuser") ? "(no)" : "(none)";
    EXPECT_EQ(settings.text("rpcuser").value_or(none), GetParam().value);
    EXPECT_EQ(settings.is_set("rpcuser"), GetParam().value != "(none)");
    std::string list;
    for (const std::string& value : settings.list("rpcuser")) list += value + " ";
    EXPECT_EQ(list, GetParam().list);
}

// Checked against bitcoind 31.99 where the rule is not plain.
INSTANTIATE_TEST_SUITE_P(
    Front, SettingsOf,
    testing::ValuesIn(std::vector<ArgumentCase>{
        {"Nothing", {}, "", "(none)", ""},
        {"OneDash", {"-rpcuser=a"}, "", "a", "a "},
        {"TwoDashes", {"--rpcuser=a"}, "", "a", "a "},
        {"LastOnCommandLine", {"-rpcuser=a", "-rpcuser=b"}, "", "b", "a b "},
        {"FirstInFile", {}, "rpcuser=a\nrpcuser=b", "a", "a b "},
        {"CommandLineFirst", {"-rpcuser=a"}, "rpcuser=b", "a", "a b "},
        {"SectionBeforeAll", {}, "rpcuser=a\n[regtest]\nrpcuser=b", "b", "b a "},
        {"OtherSection", {}, "[test]\nrpcuser=b", "(none)", ""},
        {"Negated", {"-norpcuser"}, "", "(no)", ""},
        {"NegatedByOne", {"-norpcuser=1"}, "", "(no)", ""},
        {"DoubleNegation", {"-norpcuser=0"}, "", "1", "1 "},
        {"NegationHidesFile", {"-norpcuser"}, "rpcuser=b", "(no)", ""},
        {"ValueAfterNegation", {"-rpcuser=a", "-norpcuser", "-rpcuser=b"}, "rpcuser=c", "b", "b "},
        {"NegatedInFile", {}, "[regtest]\nnorpcuser=1\n[]\nrpcuser=a", "(no)", ""},
    }),
    [](const auto& row) { return row.param.name; });

TEST(Settings, RefuseWhatBitcoindRefuses) {
    const auto refusal = [](const std::string& argument) {
        const auto settings = Settings::parse(std::vector{argument});
        return settings ? std::string() : settings.error();
    };
    const std::string start = "Error parsing command line arguments: ";
    EXPECT_EQ(refusal("-foo"), start + "Invalid parameter -foo");
    EXPECT_EQ(refusal("--foo=1"), start + "Invalid parameter --foo=1");
    EXPECT_EQ(refusal("-regtest.port=1"), start + "Invalid parameter -regtest.port=1");
    EXPECT_EQ(refusal("-nodatadir"),
              start + "Negating of -datadir is meaningless and therefore forbidden");
    EXPECT_EQ(refusal("-includeconf=a"),
              start + "-includeconf cannot be used from commandline; -includeconf=\"a\"");
    EXPECT_EQ(refusal("-noincludeconf"), "");
    EXPECT_EQ(refusal("stop"),
              "Command line contains unexpected token 'stop', see petal-bitcoind -h for a list of "
              "options.");
    EXPECT_NE(refusal(""), "");
    EXPECT_NE(refusal("-"), "");
    EXPECT_NE(refusal("--"), "");
    EXPECT_NE(refusal("-no"), "");
}

TEST(Settings, NoteUnknownLinesOfFiles) {
    const Settings settings = settings_of({}, "foo=1\n[regtest]\nbar=2\nport=1");
    EXPECT_EQ(settings.unknown(), (std::vector<std::string>{"foo", "regtest.bar"}));
    auto other = *Settings::parse({});
    EXPECT_FALSE(other.add(*parse_config("conf=a")));
    EXPECT_FALSE(other.add(*parse_config("nodatadir=1")));
}

TEST(Settings, AreTrueByNumber) {
    for (const char* yes : {"-server", "-server=", "-server=1", "-server=2x", "-noserver=0"}) {
        EXPECT_TRUE(settings_of({yes}).boolean("server", false)) << yes;
    }
    for (const char* no : {"-server=0", "-server=x", "-noserver", "-noserver=1"}) {
        EXPECT_FALSE(settings_of({no}).boolean("server", true)) << no;
    }
    EXPECT_TRUE(settings_of({}).boolean("server", true));
}

TEST(Settings, NameOneChain) {
    EXPECT_EQ(*settings_of({}).chain(), "main");
    EXPECT_EQ(*settings_of({"-regtest"}).chain(), "regtest");
    EXPECT_EQ(*settings_of({"-chain=regtest"}).chain(), "regtest");
    EXPECT_EQ(*settings_of({"-noregtest"}, "regtest=1").chain(), "main");
    EXPECT_EQ(*settings_of({}, "regtest=1").chain(), "regtest");
    EXPECT_EQ(*settings_of({"-testnet"}).chain(), "test");
    EXPECT_EQ(*settings_of({"-chain=x"}).chain(), "x");
    EXPECT_FALSE(settings_of({"-regtest", "-signet"}).chain());
    EXPECT_FALSE(settings_of({"-regtest", "-chain=regtest"}).chain());
}

TEST(Settings, OfOneChainNeedItsSection) {
    const Settings above = settings_of({}, "port=1\nrpcport=2\nrpcuser=a");
    EXPECT_FALSE(above.is_set("port"));
    EXPECT_EQ(above.outside_section(), (std::vector<std::string>{"port", "rpcport"}));
    const Settings within = settings_of({}, "[regtest]\nport=1");
    EXPECT_EQ(within.text("port"), "1");
    EXPECT_TRUE(within.outside_section().empty());
    EXPECT_TRUE(settings_of({"-port=3"}, "port=1").outside_section().empty());
}

TEST(Settings, IncludeFilesOfAllChainsAndOfRegtest) {
    const std::string text = "includeconf=a\n[regtest]\nincludeconf=b\n[test]\nincludeconf=c";
    EXPECT_EQ(settings_of({}, text).included_files(), (std::vector<std::string>{"b", "a"}));
    EXPECT_TRUE(settings_of({"-noincludeconf"}, text).included_files().empty());
}

TEST(OptionTable, FindsEachOfItsOptions) {
    for (const OptionRow& row : all_options()) {
        ASSERT_EQ(find_option(row.name), &row);
        EXPECT_FALSE(row.name.starts_with("no")) << "would be read as a negation: " << row.name;
    }
    EXPECT_EQ(find_option(""), nullptr);
    EXPECT_EQ(find_option("zzz"), nullptr);
}

}  // namespace
}  // namespace petal::regtest::front
