#include "cli/options/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "cli/commands.h"
#include "cli/options/command_line.h"
#include "cli/options/version.h"
#include "cli/psbt/sighash_name.h"
#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

std::string text_of(const std::vector<std::string>& arguments) {
    return std::get<RequestedText>(parse_command_line(arguments, all_command_sets())).text;
}

/// `app` and all of its subcommands, at every depth.
std::vector<const CLI::App*> all_commands(const CLI::App& app) {
    std::vector<const CLI::App*> commands{&app};
    for (const CLI::App* command : commands_below(app)) {
        std::ranges::copy(all_commands(*command), std::back_inserter(commands));
    }
    return commands;
}

/// The options and arguments of `app` and of all of its subcommands, at every depth.
std::vector<const CLI::Option*> all_options(const CLI::App& app) {
    std::vector<const CLI::Option*> options;
    for (const CLI::App* command : all_commands(app)) {
        std::ranges::copy(command->get_options(), std::back_inserter(options));
    }
    return options;
}

TEST(Help, IsPrintedForEveryCommand) {
    const std::string root = text_of({"--help"});
    for (const char* part : {"Usage: petal", "sync", "regtest-node", "--datadir", "Exit status"}) {
        EXPECT_NE(root.find(part), std::string::npos) << part;
    }
    const std::string sync = text_of({"sync", "-h"});
    EXPECT_NE(sync.find("Usage: petal sync"), std::string::npos);
    EXPECT_NE(sync.find("--wait-unconfirmed SECONDS"), std::string::npos);
    EXPECT_EQ(sync.find("Exit status"), std::string::npos);
    EXPECT_NE(text_of({"filter", "match", "--help"}).find("petal filter match"), std::string::npos);
    EXPECT_NE(text_of({"send", "--help"}).find("\nArguments:\n  RECIPIENT                 ADDRESS"),
              std::string::npos);
    EXPECT_EQ(sync.find("Arguments:"), std::string::npos);
    EXPECT_EQ(text_of({"help", "sync"}), sync);
    EXPECT_EQ(text_of({"--network", "regtest", "-v", "help", "sync"}), sync);
    EXPECT_EQ(text_of({"--network=regtest", "help"}), root);
    EXPECT_EQ(text_of({"--version"}), version_text() + "\n");
    EXPECT_EQ(text_of({"sync", "--version"}), version_text() + "\n");
    EXPECT_EQ(text_of({"--json", "--version"}), to_line(version_json()) + "\n");
    EXPECT_EQ(text_of({"--version", "--json"}), to_line(version_json()) + "\n");
}

TEST(Help, FitsATerminal) {
    show_command_line(all_command_sets(), [](const CLI::App& root) {
        for (const CLI::App* command : all_commands(root)) {
            std::istringstream text(
                HelpLayout().make_help(command, "", CLI::AppFormatMode::Normal));
            for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 96U) << line;
        }
    });
}

TEST(Help, BreaksLongDescriptionsBetweenWords) {
    constexpr std::size_t kColumns = 64;
    const std::string full = std::string(30, 'a') + " " + std::string(kColumns - 31, 'b');
    const std::string longer(kColumns + 1, 'c');
    CLI::App app{"", "petal"};
    app.add_flag("--flag")->description(full + " d\ne " + longer + " f");
    const std::string text = HelpLayout().make_help(&app, "", CLI::AppFormatMode::Normal);
    const std::string indent(28, ' ');
    std::string expected = "  --flag" + std::string(20, ' ') + full + "\n";
    for (const std::string& line : {std::string("d"), std::string("e"), longer, std::string("f")}) {
        expected += indent + line + "\n";
    }
    EXPECT_NE(text.find(expected), std::string::npos) << text;
}

// Names of sighash types contain "|", which separates the values of other options.
TEST(Help, ListsSighashTypesWithCommas) {
    const std::string text = text_of({"psbt", "sign", "--help"});
    EXPECT_NE(text.find("--sighash TYPE "), std::string::npos);
    std::istringstream words(text);
    std::set<std::string> listed;
    for (std::string word; words >> word;) listed.insert(word.substr(0, word.find(',')));
    for (const auto& [name, type] : sighash_names()) EXPECT_TRUE(listed.contains(name)) << name;
}

TEST(Help, ShowsTheFormOfAnArgument) {
    EXPECT_NE(text_of({"peers", "add", "--help"}).find("Usage: petal peers add HOST:PORT...\n"),
              std::string::npos);
    EXPECT_EQ(Scene::run_plain({"peers", "add"}).err,
              "error: petal peers add needs HOST:PORT; see petal peers add --help\n");
}

// CLI11 must not add anything to type names, or repeat headings and footers of the parent command.
TEST(Help, HasNoResidue) {
    show_command_line(all_command_sets(), [](const CLI::App& root) {
        for (const CLI::Option* option : all_options(root)) {
            const std::string type = option->get_type_name();
            EXPECT_EQ(type.find('{'), std::string::npos) << type;
        }
    });
    EXPECT_NE(text_of({"headers", "--help"}).find("\nCommands:\n  status"), std::string::npos);
    EXPECT_EQ(text_of({"peers", "remove", "--help"}).find("Without a command"), std::string::npos);
}

TEST(Help, IsNotThereForUnknownCommands) {
    for (const std::vector<std::string>& line : {std::vector<std::string>{"nonsense", "--help"},
                                                 {"filter", "nonsense", "--help"},
                                                 {"help", "nonsense"}}) {
        const Outcome outcome = Scene::run_plain(line);
        EXPECT_EQ(outcome.status, ExitStatus::usage) << line.back();
        EXPECT_NE(outcome.err.find("there is no command nonsense"), std::string::npos);
    }
    EXPECT_EQ(Scene::run_plain({"filter", "--help"}).status, ExitStatus::done);
    EXPECT_EQ(Scene::run_plain({"label", "x", "--help"}).status, ExitStatus::done);
}

// With any other name, CLI11 2.4 fails at every command, while CLI11 2.3 accepts every name.
// Source: CLI11 2.4, CLI/StringTools.hpp, valid_first_char and valid_later_char.
TEST(PositionalNames, AreAcceptedByNewerCli11) {
    std::size_t positional = 0;
    show_command_line(all_command_sets(), [&positional](const CLI::App& root) {
        for (const CLI::Option* option : all_options(root)) {
            if (!option->get_positional()) continue;
            ++positional;
            const std::string name = option->get_name(/*positional=*/true);
            EXPECT_GT(name.front(), '!') << name;
            EXPECT_NE(name.front(), '-') << name;
            EXPECT_EQ(name.find_first_of("=:{ \n"), std::string::npos) << name;
        }
    });
    EXPECT_GE(positional, 10U);
}

}  // namespace
}  // namespace petal::cli
