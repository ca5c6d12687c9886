/// Warnings of files and folders that other users of the machine can change.
#pragma once

#include <filesystem>

#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

/// Warns of each of petal's folders that another user owns or can write to, and of a folder above
/// them to which all can write.
void warn_of_open_folders(const GlobalOptions& global, Console& console);

/// Warns if another user owns the config file or can change it, or can replace it where it lies
/// outside the data folder: its options may name commands to run.
void warn_of_open_config_file(const std::filesystem::path& file, const GlobalOptions& global,
                              Console& console);

}  // namespace petal::cli
