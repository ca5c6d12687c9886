#include "cli/commands.h"

#include <gtest/gtest.h>

#include "cli/options/help.h"

namespace petal::cli {
namespace {

TEST(CommandSets, NameTheCommandsThatTheyAdd) {
    for (const CommandSet& set : all_command_sets()) {
        CLI::App root;
        const std::vector<CommandEntry> entries = set.add(root);
        std::vector<std::string_view> added;
        for (const CLI::App* command : commands_below(root)) {
            added.push_back(command->get_name());
        }
        EXPECT_EQ(set.names, added);
    }
}

}  // namespace
}  // namespace petal::cli
