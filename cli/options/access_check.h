/// Files and folders that other users of the machine can change. A command that writes to a folder
/// or obeys a file refuses it. A command that only reads warns.
#pragma once

#include <string>

#include "chain/storage/file_trust.h"
#include "cli/options/options.h"
#include "cli/terminal/console.h"
#include "cli/text/command_error.h"

namespace petal::cli {

/// The option that uses such files and folders all the same.
inline constexpr const char* kAllowUnsafeFiles = "--allow-unsafe-files";

/// A sentence without its full stop, for the user who may change it.
std::string describe(const chain::Distrust& distrust);

/// The code and the words with which such a file or folder is refused.
CommandError unsafe_files_error(const chain::Distrust& distrust);

/// Checks the data folder, the network's, that of the wallets, and the wallet's file. Throws
/// CommandError (`unsafe-files`) if other users can change one of them, unless the options allow
/// it.
void refuse_unsafe_folders(const GlobalOptions& global);

/// Warns of the same folders and files.
void warn_of_unsafe_folders(const GlobalOptions& global, Console& console);

}  // namespace petal::cli
