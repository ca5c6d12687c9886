#include "regtest/front/config_text.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace petal::regtest::front {
namespace {

struct ConfigCase {
    std::string name;
    std::string text;
    std::string lines;  ///< each as `SECTION/NAME=VALUE `, or the error
};

void PrintTo(const ConfigCase& row, std::ostream* out) {
    *out << row.name;
}

std::string summary_of(const std::string& text) {
    const auto config = parse_config(text);
    if (!config) return config.error();
    std::string lines;
    for (const auto& line : config->lines) {
        lines += line.section + "/" + line.name + "=" + line.value + " ";
    }
    return lines;
}

class ConfigTexts : public testing::TestWithParam<ConfigCase> {};

TEST_P(ConfigTexts, GivesLinesOrSaysWhy) {
    EXPECT_EQ(summary_of(GetParam().text), GetParam().lines);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Front, ConfigTexts, testing::ValuesIn(std::vector<ConfigCase>{
    {"Empty", "", ""},
    {"OneLine", "regtest=1", "/regtest=1 "},
    {"Blanks", " \t rpcuser = a b \r\n\n", "/rpcuser=a b "},
    {"Comments", "# all\nserver=1 # why\n#", "/server=1 "},
    {"ValueWithEquals", "blocknotify=a=b", "/blocknotify=a=b "},
    {"EmptyValue", "server=", "/server= "},
    {"Sections", "a=1\n[regtest]\nb=2\n[test]\nc=3", "/a=1 regtest/b=2 test/c=3 "},
    {"DottedName", "regtest.port=1", "regtest/port=1 "},
    {"DottedNameInSection", "[regtest]\nmain.port=1", "regtest/main.port=1 "},
    {"BackToAll", "[regtest]\na=1\n[]\nb=2", "regtest/a=1 /b=2 "},
    {"NoEquals", "server=1\nlisten", "parse error on line 2: listen"},
    {"NegatedWithoutEquals", "nolisten", "parse error on line 1: nolisten, if you intended to specify a negated option, use nolisten=1 instead"},
    {"Dash", "-server=1", "parse error on line 1: -server=1, options in configuration file must be specified without leading -"},
    {"CommentInPassword", "rpcpassword=a#b", "parse error on line 1, using # in rpcpassword can be ambiguous and should be avoided"},
    {"PasswordInComment", "#rpcpassword=a", ""},
    {"NulByte", std::string("a=1\nb=\0", 7), "parse error on line 2: a NUL byte"},
    {"NulByteInComment", std::string("#\0", 2), "parse error on line 1: a NUL byte"},
    {"OpenBracket", "[regtest", "parse error on line 1: [regtest"},
    {"Largest", std::string(kMaxConfigBytes, '\n'), ""},
    {"TooLarge", std::string(kMaxConfigBytes + 1, '\n'), "the file is larger than 1,000,000 bytes"},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(ConfigText, KnowsWhereSectionsBegin) {
    const auto config = parse_config("a=1\n[test]\n[regtest]\n[test]\n");
    ASSERT_TRUE(config);
    ASSERT_EQ(config->sections.size(), 2U);
    EXPECT_EQ(config->sections[0].name, "test");
    EXPECT_EQ(config->sections[0].number, 2U);
    EXPECT_EQ(config->sections[1].number, 3U);
}

}  // namespace
}  // namespace petal::regtest::front
