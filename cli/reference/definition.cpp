#include "cli/reference/definition.h"

#include "cli/options/command_line.h"
#include "cli/options/help.h"
#include "cli/options/option_values.h"

namespace petal::cli {
namespace {

ValueKind kind_of(const std::string& value, const std::vector<std::string>& words) {
    const auto has = [&value](const char* part) { return value.find(part) != std::string::npos; };
    if (value.empty()) return ValueKind::none;
    if (!words.empty()) return ValueKind::words;
    if (has("FILE") || has("FILTER")) return ValueKind::file;
    return value == "DIR" ? ValueKind::folder : ValueKind::text;
}

OptionDefinition read_option(CLI::Option& option) {
    OptionDefinition read;
    for (const std::string& letter : option.get_snames()) read.names.push_back("-" + letter);
    for (const std::string& word : option.get_lnames()) read.names.push_back("--" + word);
    if (option.get_items_expected_max() > 0) read.value = option.get_type_name();
    read.words = suggested_words(option);
    read.kind = kind_of(read.value, read.words);
    read.description = option.get_description();
    read.variable = option.get_envname();
    return read;
}

// Recurses as deep as commands have subcommands. NOLINTNEXTLINE(misc-no-recursion)
CommandDefinition read_command(CLI::App& app) {
    CommandDefinition read;
    read.name = full_name(app);
    read.group = app.get_group();
    read.description = app.get_description();
    read.usage = usage(app);
    read.footer = app.get_footer();
    const bool is_root = app.get_parent() == nullptr;
    for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; })) {
        const bool is_named = option->nonpositional();
        const bool is_help = option->check_lname("help");
        if (is_named && (is_root || !is_help)) read.options.push_back(read_option(*option));
        const auto is_file = [](const CLI::Option& argument) {
            return kind_of(argument_name(argument), {}) == ValueKind::file;
        };
        if (!is_named && is_file(*option)) read.takes_files = true;
    }
    for (CLI::App* below : app.get_subcommands([](CLI::App*) { return true; })) {
        read.commands.push_back(read_command(*below));
    }
    return read;
}

// NOLINTNEXTLINE(misc-no-recursion): as read_command()
void collect(const CommandDefinition& command, std::vector<const CommandDefinition*>& all) {
    all.push_back(&command);
    for (const CommandDefinition& below : command.commands) collect(below, all);
}

}  // namespace

CommandDefinition read_definition(AddCommands add_commands) {
    CommandDefinition definition;
    show_command_line(add_commands, [&](CLI::App& root) { definition = read_command(root); });
    return definition;
}

std::vector<const CommandDefinition*> all_commands(const CommandDefinition& root) {
    std::vector<const CommandDefinition*> all;
    collect(root, all);
    return all;
}

}  // namespace petal::cli
