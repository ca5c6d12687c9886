/// The definitions of commands and options, independent of CLI11. Manual pages and completions are
/// generated from the definitions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/command_entry.h"

namespace petal::cli {

/// The completions of a value.
enum class ValueKind : std::uint8_t { none, text, words, file, folder };

struct OptionDefinition {
    std::vector<std::string> names;  ///< with dashes: `-v`, `--verbose`
    std::string value;               ///< as the help shows it: `HOST:PORT`. Empty for a flag
    ValueKind kind = ValueKind::none;
    std::vector<std::string> words;  ///< possible values, if `kind` is `words`
    std::string description;         ///< on one line
    std::string variable;            ///< environment variable with the value, or empty
};

struct CommandDefinition {
    std::string name;         ///< `petal filter design`
    std::string group;        ///< the heading in the help
    std::string description;  ///< a phrase
    std::string usage;        ///< `petal filter design [OPTIONS]`
    std::string footer;       ///< paragraphs and examples, laid out for a terminal
    bool takes_files = false;
    std::vector<OptionDefinition> options;
    std::vector<CommandDefinition> commands;

    /// The last word of the name.
    std::string word() const { return name.substr(name.rfind(' ') + 1); }
};

/// The definition of everything that parse_command_line() accepts with these commands. The first is
/// `petal` itself.
CommandDefinition read_definition(AddCommands add_commands);

/// The command and all its subcommands, parents first. Valid while `root` is.
std::vector<const CommandDefinition*> all_commands(const CommandDefinition& root);

}  // namespace petal::cli
