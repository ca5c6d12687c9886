/// Parses the words of a command line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chain/storage/file_trust.h"
#include "cli/options/command_entry.h"
#include "cli/options/help.h"
#include "cli/text/command_error.h"

namespace petal::cli {

/// A config file that was read although other users can change it.
struct UnsafeConfig {
    chain::Distrust distrust;
    LogLevel log_level = LogLevel::warning;  ///< without the file's setting
};

/// A parsed command with all options.
struct CommandLine {
    GlobalOptions global;
    Action action;
    FolderUse folder_use = FolderUse::writes;
    std::optional<UnsafeConfig> unsafe_config = std::nullopt;
};

/// A help or a version. If `status` is ExitStatus::usage, the command is missing and the help is
/// for standard error. Otherwise the text was requested and is for standard output.
struct RequestedText {
    std::string text;
    ExitStatus status = ExitStatus::done;
};

/// The widths of helps, in columns.
struct HelpWidths {
    std::size_t out = kUsualColumns;
    std::size_t err = kUsualColumns;
};

/// Parses the arguments (without the program's name) with the given commands, then the missing
/// settings from the environment (PETAL_NETWORK, PETAL_DATADIR, PETAL_WALLET) and the config file.
/// Throws CommandError with ExitStatus::usage. The error names the most similar known word, if any.
std::variant<CommandLine, RequestedText> parse_command_line(
    const std::vector<std::string>& arguments, AddCommands add_commands,
    const HelpWidths& widths = {});

/// Calls `use` with the command `petal` and all options and commands, as parse_command_line()
/// defines them.
void show_command_line(AddCommands add_commands, const std::function<void(CLI::App&)>& use);

/// Whether `--json` is among the arguments, for failures before parsing.
bool asks_for_json(const std::vector<std::string>& arguments);

}  // namespace petal::cli
