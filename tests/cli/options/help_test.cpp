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
#include "cli/text/text.h"
#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

std::string text_of(const std::vector<std::string>& arguments) {
    return std::get<RequestedText>(parse_command_line(arguments, add_all_commands)).text;
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

TEST(Help, IsShortWithoutACommand) {
    const std::string text = text_of({});
    std::size_t last = 0;
    for (const char* part : {"Usage: petal", "\n  demo ", "\n  create ", "\n  receive ",
                             "\n  sync ", "\n  balance ", "\n  send ", "petal --help lists all"}) {
        const std::size_t at = text.find(part);
        ASSERT_NE(at, std::string::npos) << part << text;
        EXPECT_GT(at + 1, last) << part;
        last = at;
    }
    EXPECT_LT(std::ranges::count(text, '\n'), 16);
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
    EXPECT_EQ(text_of({"sync", "help"}), sync);
    EXPECT_EQ(text_of({"peers", "--all", "help"}), text_of({"peers", "--help"}));
    EXPECT_EQ(text_of({"psbt", "--wallet", "hot", "sign", "help"}),
              text_of({"help", "psbt", "sign"}));
    EXPECT_EQ(text_of({"--version"}), version_text() + "\n");
    EXPECT_EQ(text_of({"-v", "version"}), version_text() + "\n");
    EXPECT_EQ(text_of({"version", "--json"}), to_line(version_json()) + "\n");
    EXPECT_EQ(text_of({"sync", "--version"}), version_text() + "\n");
    EXPECT_EQ(text_of({"--json", "--version"}), to_line(version_json()) + "\n");
    EXPECT_EQ(text_of({"--version", "--json"}), to_line(version_json()) + "\n");
}

TEST(Help, IsPrintedIfTheCommandIsMissing) {
    const Outcome nothing = Scene::run_plain({});
    EXPECT_EQ(nothing.status, ExitStatus::usage);
    EXPECT_EQ(nothing.out, "");
    EXPECT_EQ(nothing.err, text_of({}));
    const Outcome psbt = Scene::run_plain({"--network", "regtest", "psbt"});
    EXPECT_EQ(psbt.status, ExitStatus::usage);
    EXPECT_EQ(psbt.err, text_of({"help", "psbt"}));
    EXPECT_EQ(Scene::run_plain({"psbt", "help"}).status, ExitStatus::done);
    EXPECT_EQ(Scene::run_plain({"psbt", "--json"}).code(), "usage");
}

TEST(Help, FitsATerminal) {
    show_command_line(add_all_commands, [](const CLI::App& root) {
        for (const CLI::App* command : all_commands(root)) {
            for (const std::size_t columns : {60U, 80U, 100U}) {
                std::istringstream text(help_text(*command, columns));
                for (std::string line; std::getline(text, line);) {
                    EXPECT_LE(display_width(line), columns) << line;
                }
            }
        }
    });
}

TEST(Help, BreaksLongDescriptionsBetweenWords) {
    const std::string full = std::string(30, 'a') + " " + std::string(21, 'b');
    const std::string widest(52, 'c');
    CLI::App app{"", "petal"};
    app.add_flag("--flag")->description(full + " d " + widest + " f");
    const std::string indent(28, ' ');
    std::string expected = "  --flag" + std::string(20, ' ') + full + "\n";
    for (const std::string& line : {std::string("d"), widest, std::string("f")}) {
        expected += indent + line + "\n";
    }
    const std::string text = help_text(app, 80);
    EXPECT_NE(text.find(expected), std::string::npos) << text;
}

// Paragraphs are broken at the terminal's width, so a text must not have other line ends.
TEST(Help, HasNoLineEndsInParagraphs) {
    show_command_line(add_all_commands, [](const CLI::App& root) {
        for (const CLI::Option* option : all_options(root)) {
            EXPECT_EQ(option->get_description().find('\n'), std::string::npos)
                << option->get_description();
        }
        for (const CLI::App* command : all_commands(root)) {
            std::istringstream footer(command->get_footer());
            std::string before;
            for (std::string line; std::getline(footer, line); before = line) {
                const bool is_heading = before.ends_with(':');
                const bool is_example = line.find("petal ") == 2;
                EXPECT_TRUE(!is_example || display_width(line) <= 60) << line;
                EXPECT_TRUE(before.empty() || line.empty() || is_heading || before.starts_with(' '))
                    << before << "\n"
                    << line;
            }
        }
    });
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
              "error: petal peers add needs HOST:PORT: IP addresses or .onion names; see petal "
              "peers add --help\n");
}

TEST(Help, NamesTheWalletsFilterOnlyWhereItIsTaken) {
    for (const char* command : {"plan", "compare"}) {
        EXPECT_EQ(text_of({"filter", command, "--help"}).find("--wallet-filter"), std::string::npos)
            << command;
    }
    EXPECT_NE(text_of({"filter", "report", "--help"}).find("the actual"), std::string::npos);
}

// CLI11 must not add anything to type names, or repeat headings and footers of the parent command.
TEST(Help, HasNoResidue) {
    show_command_line(add_all_commands, [](const CLI::App& root) {
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
    show_command_line(add_all_commands, [&positional](const CLI::App& root) {
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
