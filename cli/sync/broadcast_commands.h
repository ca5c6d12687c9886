/// The command that announces a transaction.
#pragma once

#include "cli/console.h"
#include "cli/options/options.h"

namespace petal::cli {

void run_broadcast(const BroadcastCommandOptions& options, const GlobalOptions& global,
                   Console& console);

}  // namespace petal::cli
