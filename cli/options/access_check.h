/// Checks for files and folders that other users of the machine can change. A command that writes
/// to such a folder or obeys such a file fails. A command that only reads warns.
#pragma once

#include <string>

#include "chain/storage/file_trust.h"
#include "cli/options/options.h"
#include "cli/terminal/console.h"
#include "cli/text/command_error.h"

namespace petal::cli {

/// The option that allows files and folders that other users can change.
inline constexpr const char* kAllowUnsafeFiles = "--allow-unsafe-files";

/// Why a file or folder is not safe, as a sentence without a full stop.
std::string describe(const chain::Distrust& distrust);

/// The error for a file or folder that other users can change.
CommandError unsafe_files_error(const chain::Distrust& distrust);

/// Checks the data folder, the network's folder, the folder of wallets, and the wallet's file.
/// Throws CommandError (`unsafe-files`) if other users can change one of the four, unless the
/// options allow it.
void refuse_unsafe_folders(const GlobalOptions& global);

/// As refuse_unsafe_folders(), but warns.
void warn_of_unsafe_folders(const GlobalOptions& global, Console& console);

}  // namespace petal::cli
