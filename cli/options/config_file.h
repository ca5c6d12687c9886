/// The config file: any option's value, in TOML (https://toml.io).
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "chain/files/file_descriptor.h"
#include "chain/storage/file_trust.h"

namespace petal::cli {

/// A config file, open for reading.
struct ConfigFile {
    std::filesystem::path path;
    chain::FileDescriptor opened;
};

/// The config file in the data folder; nothing if there is none, or if the folder may not be
/// searched. Throws CommandError (usage) if it is not a regular file, is a link that leads nowhere,
/// or can't be opened.
std::optional<ConfigFile> find_config_file(const std::filesystem::path& data_dir);

/// The config file that the user names, which may be a FIFO. Throws CommandError (usage).
ConfigFile open_config_file(const std::filesystem::path& path);

/// Sets options that neither the command line nor the environment has set to the values of the
/// file. Values that an option of the command line or the environment excludes are ignored.
///
/// From a file that other users can change, only options that choose what is shown are taken. Any
/// other option that the command has is then an error (`unsafe-files`).
///
/// distrust   why other users can change the file; empty if they cannot
///
/// Options that consent to a risk (`yes`, `accept-fee` and others) are no keys.
///
/// Keys are the options' long names, `-` or `_` in them: at the top for the global options and for
/// every command that has such an option, or in a table with the command's name for only that
/// command. Throws CommandError (usage) for invalid TOML, unknown keys, wrong values, and keys that
/// exclude each other.
void apply_config_file(CLI::App& root, const ConfigFile& file,
                       const std::optional<chain::Distrust>& distrust = std::nullopt);

}  // namespace petal::cli
