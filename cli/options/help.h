/// The texts of `--help`, and of errors that CLI11 finds.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace petal::cli {

/// The columns of a help that is not for a terminal.
inline constexpr std::size_t kUsualColumns = 80;

/// All direct subcommands, in the order in which the subcommands were added.
std::vector<const CLI::App*> commands_below(const CLI::App& command);

/// The words that lead to a command: `petal filter design`.
std::string full_name(const CLI::App& command);

/// The help's name of an argument: HOST:PORT, or --expected N.
std::string argument_name(const CLI::Option& argument);

/// The usage of a command: `petal filter design [OPTIONS]`.
std::string usage(const CLI::App& command);

/// The option for a value that users of other programs write as an argument, for an error message.
/// Empty if there is no option.
std::string likely_meant(const std::string& command);

/// The message of CLI11's error in petal's words.
std::string in_plain_words(const CLI::ParseError& error);

/// The help of a command: the purpose, the usage, options or commands in groups, then the footer
/// that the command provides (examples, exit statuses). Descriptions and footers have no line ends
/// within a paragraph. Paragraphs are broken to fit `columns`.
std::string help_text(const CLI::App& command, std::size_t columns = kUsualColumns);

/// The usage of petal, and the commands to begin with.
std::string first_steps(const CLI::App& root, std::size_t columns);

}  // namespace petal::cli
