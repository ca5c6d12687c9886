/// The embedded regtest node as a command.
#pragma once

#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

/// Serves until SIGINT or SIGTERM comes or, with --control, standard input ends. Once it listens,
/// one line on standard output says so. The same options make the same chain.
void run_regtest_node(const RegtestNodeOptions& options, const GlobalOptions& global,
                      Console& console);

}  // namespace petal::cli
