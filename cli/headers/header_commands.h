/// Commands about the stored headers.
#pragma once

#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

void run_headers_status(const GlobalOptions& global, Console& console);

/// Checks every stored header by every rule again.
void run_headers_verify(const GlobalOptions& global, Console& console);

/// Writes the best chain's headers, 80 bytes each.
void run_headers_export(const HeadersExportOptions& options, const GlobalOptions& global,
                        Console& console);

/// Reads such a file, and takes its headers as if a peer had sent them.
void run_headers_import(const HeadersImportOptions& options, const GlobalOptions& global,
                        Console& console);

/// Removes the stored headers, and what the network's wallets know of blocks.
void run_headers_reset(const HeadersResetOptions& options, const GlobalOptions& global,
                       Console& console);

}  // namespace petal::cli
