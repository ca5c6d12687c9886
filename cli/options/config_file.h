/// The config file: values of options, in TOML (https://toml.io).
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

/// The config file in the data folder. Nothing if there is no file, or if the folder may not be
/// searched. Throws CommandError (usage) if the file is not a regular file, is a link that leads
/// nowhere, or can't be opened.
std::optional<ConfigFile> find_config_file(const std::filesystem::path& data_dir);

/// Opens the config file that the user names. The file may be a FIFO. Throws CommandError (usage).
ConfigFile open_config_file(const std::filesystem::path& path);

/// Sets options that neither the command line nor the environment has set to the values of the
/// file. Values that an option of the command line or the environment excludes are ignored.
///
/// A file that other users can change may only set options that choose what is shown. Any other
/// option of the called command is an error (`unsafe-files`).
///
/// An option that consents to a risk (`yes`, `accept-fee`) is no key.
///
/// A key is the long name of an option, with `-` or `_`. A key at the top sets the global option of
/// this name, and the option of this name of every command. A key in a table with a command's name
/// sets the option of this command only. Throws CommandError (usage) for invalid TOML, unknown
/// keys, wrong values, and keys that exclude each other.
///
/// distrust   why other users can change the file. Empty if only the user can
void apply_config_file(CLI::App& root, const ConfigFile& file,
                       const std::optional<chain::Distrust>& distrust = std::nullopt);

}  // namespace petal::cli
