/// `petal peers --census`.
#pragma once

#include "cli/options/options.h"
#include "cli/terminal/console.h"
#include "client/sync/peer_source.h"

namespace petal::cli {

/// Greets nodes, stores their services among the known peers, and prints the share of each service.
void run_census(const client::ConnectionOptions& connection, const GlobalOptions& global,
                Console& console);

}  // namespace petal::cli
