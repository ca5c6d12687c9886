/// `petal demo`: everything at once, in one process.
#pragma once

#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

/// Mines a chain, serves it from the embedded node, syncs a new wallet from it over TCP in a
/// temporary folder, compares the wallet with the chain, and shows what came of it.
void run_demo(const DemoOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
