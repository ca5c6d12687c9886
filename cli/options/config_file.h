/// The config file: any option's value, in TOML (https://toml.io).
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

namespace petal::cli {

/// The config file in the data folder; nothing if there is none, or if the folder may not be
/// searched. Throws CommandError (usage) if it is not a regular file, is a link that leads nowhere,
/// or if the system does not tell whether it exists.
std::optional<std::filesystem::path> find_config_file(const std::filesystem::path& data_dir);

/// Sets options that neither the command line nor the environment has set to the values of the
/// file.
///
/// Keys are the options' long names, `-` or `_` in them: at the top for the global options and for
/// every command that has such an option, or in a table with the command's name for only that
/// command. Throws CommandError (usage) for invalid TOML, unknown keys and wrong values.
void apply_config_file(CLI::App& root, const std::filesystem::path& file);

}  // namespace petal::cli
