/// Manual pages and completion scripts of petal's commands and of sample commands. How shells run
/// the scripts and how man shows the pages is tested in tests/install/reference_test.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/reference/completion.h"
#include "cli/reference/man_page.h"

namespace petal::cli {
namespace {

const CommandDefinition& petal_definition() {
    static const CommandDefinition definition = read_definition(add_all_commands);
    return definition;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Escapes hyphens as in roff.
std::string with_hyphens(const std::string& text) {
    std::string roff;
    for (const char c : text) roff += c == '-' ? "\\-" : std::string(1, c);
    return roff;
}

const OptionDefinition& option_of(const std::string& command, const std::string& name) {
    for (const CommandDefinition* each : all_commands(petal_definition())) {
        if (each->name != command) continue;
        for (const OptionDefinition& option : each->options) {
            if (option.names.back() == name) return option;
        }
    }
    throw std::out_of_range(command + " " + name);
}

TEST(Definition, HasCommandsOfAllLevels) {
    const auto all = all_commands(petal_definition());
    EXPECT_EQ(all.front()->name, "petal");
    std::vector<std::string> names;
    for (const CommandDefinition* command : all) names.push_back(command->name);
    for (const char* name :
         {"petal sync", "petal filter", "petal filter design", "petal psbt sign"}) {
        EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
    }
    EXPECT_EQ(all[1]->word(), "create");
}

TEST(Definition, KnowsTheKindsOfValues) {
    const OptionDefinition cross_check = option_of("petal sync", "--cross-check");
    EXPECT_EQ(cross_check.kind, ValueKind::words);
    EXPECT_EQ(cross_check.words, (std::vector<std::string>{"none", "sample", "all"}));
    EXPECT_EQ(option_of("petal", "--network").words,
              (std::vector<std::string>{"mainnet", "testnet3", "testnet4", "signet", "regtest"}));
    EXPECT_EQ(option_of("petal", "--network").variable, "PETAL_NETWORK");
    EXPECT_EQ(option_of("petal", "--log-level").words.size(), 4U);
    EXPECT_EQ(option_of("petal psbt sign", "--sighash").words[4], "ALL|ANYONECANPAY");
    EXPECT_EQ(option_of("petal create", "--password-file").kind, ValueKind::file);
    EXPECT_EQ(option_of("petal", "--datadir").kind, ValueKind::folder);
    EXPECT_EQ(option_of("petal sync", "--connect").kind, ValueKind::text);
    EXPECT_EQ(option_of("petal sync", "--follow").kind, ValueKind::none);
}

TEST(ManPages, DescribeEveryCommandAndOption) {
    const CommandDefinition& root = petal_definition();
    const std::vector<ManPage> pages = man_pages(root);
    ASSERT_EQ(pages.size(), root.commands.size() + 1);
    EXPECT_EQ(pages[0].name, "petal");
    for (std::size_t i = 0; i < root.commands.size(); ++i) {
        const ManPage& page = pages[i + 1];
        EXPECT_EQ(page.name, "petal-" + root.commands[i].word());
        EXPECT_TRUE(contains(pages[0].text, with_hyphens(page.name) + "\\fR(1)")) << page.name;
        for (const CommandDefinition* command : all_commands(root.commands[i])) {
            EXPECT_TRUE(contains(page.text, with_hyphens(command->usage))) << command->name;
            for (const OptionDefinition& option : command->options) {
                EXPECT_TRUE(
                    contains(page.text, "\\fB" + with_hyphens(option.names.back()) + "\\fR"))
                    << command->name << ' ' << option.names.back();
            }
        }
    }
}

/// A sample command with one option.
CommandDefinition made_up(const std::string& name, const OptionDefinition& option) {
    CommandDefinition command;
    command.name = name;
    command.usage = name + " [OPTIONS]";
    command.description = "do something";
    command.options = {option};
    return command;
}

TEST(ManPages, LayOutAFooter) {
    CommandDefinition root = made_up("petal", {});
    root.commands = {made_up("petal go", {{"--to"}, "PLACE", ValueKind::text, {}, "where", ""})};
    root.commands[0].footer =
        ".dot fills lines\n\nA table:\n  it's  one\n  two\n\n"
        "Exit status: 0 there; 1 not\n\nExamples:\n  petal go --to \\sea\n      later";
    const std::string text = man_pages(root)[1].text;
    const auto begin = text.find(".SH \"DESCRIPTION\"");
    ASSERT_NE(begin, std::string::npos);
    EXPECT_EQ(
        text.substr(begin),
        ".SH \"DESCRIPTION\"\nDo something.\n.PP\n\\&.dot fills lines\n.PP\nA table:\n"
        ".PP\n.nf\n  it\\(aqs  one\n  two\n.fi\n"
        ".SH \"OPTIONS\"\n.TP\n\\fB\\-\\-to\\fR \\fIPLACE\\fR\nwhere\n.PP\n"
        "The global options, such as \\-\\-network, \\-\\-wallet and \\-\\-json, are in petal(1).\n"
        ".SH \"EXAMPLES\"\n.PP\n.nf\npetal go \\-\\-to \\esea\n    later\n.fi\n"
        ".SH \"EXIT STATUS\"\n0 there; 1 not\n.SH \"SEE ALSO\"\n\\fBpetal\\fR(1)\n");
}

TEST(Completion, KnowsEveryCommandAndOption) {
    const CommandDefinition& root = petal_definition();
    const std::string bash = bash_completion(root);
    const std::string zsh = zsh_completion(root);
    const std::string fish = fish_completion(root);
    for (const CommandDefinition* command : all_commands(root)) {
        EXPECT_TRUE(contains(bash, "'" + command->name + "') echo '")) << command->name;
        EXPECT_TRUE(contains(zsh, "'" + command->name + "') reply=(")) << command->name;
        EXPECT_TRUE(contains(fish, "'" + command->name + "'")) << command->name;
        for (const OptionDefinition& option : command->options) {
            const std::string name = option.names.back();
            EXPECT_TRUE(contains(bash, name)) << command->name << ' ' << name;
            EXPECT_TRUE(contains(zsh, "'" + name + ":")) << command->name << ' ' << name;
            EXPECT_TRUE(contains(fish, " -l " + name.substr(2) + " ")) << command->name << name;
        }
    }
}

// The script is sourced by the user's shell.
TEST(Completion, PrefixesItsDefinitionsWithPetal) {
    const CommandDefinition& root = petal_definition();
    const std::regex names(R"(\n(?:(\w+)\(\) \{|function (\w+)|set -g (\w+)))");
    for (const std::string& script :
         {bash_completion(root), zsh_completion(root), fish_completion(root)}) {
        int found = 0;
        for (std::sregex_iterator name(script.begin(), script.end(), names), end; name != end;
             ++name) {
            ++found;
            const std::string text = (*name)[1].str() + (*name)[2].str() + (*name)[3].str();
            EXPECT_TRUE(text.starts_with("_petal") || text.starts_with("__petal")) << text;
        }
        EXPECT_GE(found, 3);
    }
}

TEST(Completion, RefusesOptionsOfOneNameWithOtherValues) {
    const OptionDefinition flag{{"--to"}, "", ValueKind::none, {}, "where", ""};
    const OptionDefinition text{{"--to"}, "PLACE", ValueKind::text, {}, "where", ""};
    CommandDefinition root = made_up("petal", flag);
    root.commands = {made_up("petal go", flag)};
    EXPECT_NO_THROW(bash_completion(root));
    root.commands = {made_up("petal go", text)};
    EXPECT_THROW(bash_completion(root), std::logic_error);
    EXPECT_THROW(zsh_completion(root), std::logic_error);
    EXPECT_THROW(fish_completion(root), std::logic_error);
}

TEST(Completion, CutsDescriptionsOnlyOutsideParentheses) {
    const auto description_of = [](const std::string& text) {
        const std::string script =
            zsh_completion(made_up("petal", {{"--to"}, "PLACE", ValueKind::text, {}, text, ""}));
        const std::size_t start = script.find("'--to:") + 6;
        return script.substr(start, script.find('\'', start) - start);
    };
    EXPECT_EQ(description_of("where"), "where");
    EXPECT_EQ(description_of("where; may be repeated"), "where");
    EXPECT_EQ(description_of("where (here; or there); may be repeated"), "where (here; or there)");
    EXPECT_EQ(description_of("a) where; may be repeated"), "a) where");
}

TEST(Completion, QuotesShellMetacharacters) {
    CommandDefinition root =
        made_up("petal", {{"--as"}, "A|B", ValueKind::words, {"A|B"}, "it's so; or not", ""});
    EXPECT_TRUE(contains(zsh_completion(root), "'--as:it'\\''s so'"));
    EXPECT_TRUE(contains(zsh_completion(root), "reply=(A\\|B)"));
    EXPECT_TRUE(contains(fish_completion(root), "-x -a 'A\\|B' -d 'it\\'s so'"));
}

}  // namespace
}  // namespace petal::cli
