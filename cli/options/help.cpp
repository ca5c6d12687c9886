#include "cli/options/help.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/terminal/wrap.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

/// In the order in which a new user needs them.
constexpr std::array<std::string_view, 6> kFirstCommands{"demo", "create",  "receive",
                                                         "sync", "balance", "send"};

constexpr std::array<std::string_view, 8> kOfOneWallet{"create", "restore", "delete",  "rename",
                                                       "info",   "balance", "encrypt", "backup"};

/// The columns where descriptions begin: on terminals of width kWide and wider, and on narrower
/// terminals.
constexpr std::size_t kWide = 76;
constexpr std::size_t kNameColumn = 28;
constexpr std::size_t kNarrowNameColumn = 22;

/// A name and a description. All lines of the description have the same indentation.
std::string entry(const std::string& name, std::string_view description, std::size_t columns) {
    const std::size_t column = columns < kWide ? kNarrowNameColumn : kNameColumn;
    std::string text = "  " + name;
    const bool fits = display_width(text) + 2 <= column;
    text += fits ? std::string(column - display_width(text), ' ') : "\n" + std::string(column, ' ');
    return wrap(text.append(description), columns) + "\n";
}

std::string option_name(const CLI::Option& option) {
    std::string name;
    for (const std::string& letter : option.get_snames()) {
        name += (name.empty() ? "-" : ", -") + letter;
    }
    for (const std::string& word : option.get_lnames()) {
        name += (name.empty() ? "--" : ", --") + word;
    }
    const bool takes_value = option.get_items_expected_max() > 0;
    return takes_value ? name + " " + option.get_type_name() : name;
}

std::vector<const CLI::Option*> named_options(const CLI::App& app, bool with_help) {
    return app.get_options([with_help](const CLI::Option* option) {
        const bool is_help = option->check_lname("help");
        return option->nonpositional() && (with_help || !is_help);
    });
}

bool has_commands(const CLI::App& app) {
    return !commands_below(app).empty();
}

std::string commands(const CLI::App& app, std::size_t columns) {
    const bool is_root = app.get_parent() == nullptr;
    std::string text;
    std::string group;
    for (const CLI::App* command : commands_below(app)) {
        const std::string heading = is_root ? command->get_group() : "Commands";
        if (heading != group) {
            group = heading;
            text += "\n" + group + ":\n";
        }
        text += entry(command->get_name(), command->get_description(), columns);
    }
    return text;
}

std::string options(const CLI::App& app, std::string_view title, bool with_help,
                    std::size_t columns) {
    const auto all = named_options(app, with_help);
    if (all.empty()) return {};
    std::string text = "\n" + std::string(title) + ":\n";
    for (const CLI::Option* option : all) {
        text += entry(option_name(*option), option->get_description(), columns);
    }
    return text;
}

/// The arguments that have a description.
std::string arguments(const CLI::App& app, std::size_t columns) {
    std::string text;
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_positional() || option->get_description().empty()) continue;
        text += entry(argument_name(*option), option->get_description(), columns);
    }
    return text.empty() ? text : "\nArguments:\n" + text;
}

}  // namespace

std::vector<const CLI::App*> commands_below(const CLI::App& command) {
    return command.get_subcommands([](const CLI::App*) { return true; });
}

std::string full_name(const CLI::App& command) {
    std::string name;
    for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
        if (!name.empty()) name.insert(0, " ");
        name.insert(0, app->get_name());
    }
    return name;
}

std::string argument_name(const CLI::Option& argument) {
    if (!argument.get_positional()) return option_name(argument);
    const std::string& shown = argument.get_option_text();
    return shown.empty() ? argument.get_name(/*positional=*/true) : shown;
}

std::string usage(const CLI::App& command) {
    std::string text = full_name(command);
    if (command.get_parent() == nullptr) text += " [GLOBAL OPTIONS]";
    if (has_commands(command)) {
        const bool needs_one = command.get_require_subcommand_min() > 0;
        return text + (needs_one || command.get_parent() == nullptr ? " COMMAND [ARGUMENTS]"
                                                                    : " [COMMAND] [ARGUMENTS]");
    }
    if (!named_options(command, /*with_help=*/false).empty()) text += " [OPTIONS]";
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional()) continue;
        const bool single = option->get_items_expected_max() == 1;
        const std::string name = argument_name(*option) + (single ? "" : "...");
        text += option->get_required() ? " " + name : " [" + name + "]";
    }
    return text;
}

std::string likely_meant(const std::string& command) {
    if (command == "receive") return "--amount AMOUNT requests an amount; ";
    if (command == "sync") return "--connect HOST names a node, --wallet NAME a wallet; ";
    return std::ranges::count(kOfOneWallet, command) > 0 ? "--wallet NAME says which wallet; " : "";
}

std::string in_plain_words(const CLI::ParseError& error) {
    std::string text = error.what();
    const auto between = [&text](std::string_view before, std::string_view after) {
        const std::size_t start = text.find(before);
        const std::size_t end = text.rfind(after);
        const bool found =
            start != std::string::npos && end != std::string::npos && end >= start + before.size();
        if (!found) return std::string();
        return text.substr(start + before.size(), end - start - before.size());
    };
    const std::string name = text.substr(0, text.find_first_of(": "));
    if (const std::string value = between(": 1 required ", " missing"); !value.empty()) {
        return name + " needs a value: " + value;
    }
    if (const std::string other = between(" excludes ", ""); !other.empty()) {
        return name + " and " + other + " do not go together";
    }
    if (const std::string other = between(" requires ", ""); !other.empty()) {
        return name + " goes with " + other;
    }
    return text;
}

std::string help_text(const CLI::App& command, std::size_t columns) {
    const bool is_root = command.get_parent() == nullptr;
    std::string text = wrap(full_name(command) + ": " + command.get_description() +
                                "\n\nUsage: " + usage(command) + "\n",
                            columns);
    text += commands(command, columns) + arguments(command, columns);
    text += options(command, is_root ? "Global options, before or after the command" : "Options",
                    /*with_help=*/is_root, columns);
    if (!is_root) text += "\nGlobal options (see petal --help) are taken here too.\n";
    const std::string footer = command.get_footer();
    if (!footer.empty()) text += "\n" + wrap(footer, columns) + "\n";
    return text;
}

std::string first_steps(const CLI::App& root, std::size_t columns) {
    std::string text = wrap(root.get_name() + ": " + root.get_description() +
                                "\n\nUsage: " + usage(root) + "\n\nFirst commands:\n",
                            columns);
    const auto all = commands_below(root);
    for (const std::string_view name : kFirstCommands) {
        const auto command = std::ranges::find(all, name, &CLI::App::get_name);
        if (command == all.end()) continue;
        text += entry((*command)->get_name(), (*command)->get_description(), columns);
    }
    return text + "\npetal --help lists all commands and options.\n";
}

}  // namespace petal::cli
