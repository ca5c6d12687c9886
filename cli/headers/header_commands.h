/// Commands about the stored headers.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/text/command_error.h"

namespace petal::cli {

struct HeadersExportOptions {
    std::filesystem::path file;
};

struct HeadersImportOptions {
    std::filesystem::path file;
    bool from_genesis = false;  ///< even if the file contradicts an anchor
};

struct HeadersResetOptions {
    bool yes = false;  ///< without a question
};

/// The error if another process writes the network's headers.
CommandError headers_locked();

/// Removes the stored headers, and the blocks from the network's wallets.
void run_headers_reset(const HeadersResetOptions& options, const GlobalOptions& global,
                       Console& console);

/// Adds headers and the commands below it.
std::vector<CommandEntry> add_header_commands(CLI::App& root);

}  // namespace petal::cli
