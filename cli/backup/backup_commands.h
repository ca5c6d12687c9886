/// Commands that back up complete wallets, and restore wallets from backups.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/secrets/secret_input.h"

namespace petal::cli {

/// Adds backup and restore-backup.
std::vector<CommandEntry> add_backup_commands(CLI::App& root);

}  // namespace petal::cli
