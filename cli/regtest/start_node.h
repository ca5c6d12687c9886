/// How the commands start an embedded node.
#pragma once

#include <memory>

#include "net/io/serve/embedded_node.h"

namespace petal::cli {

/// Serves the chain. Throws CommandError `cannot-listen` where the port is taken.
std::unique_ptr<net::EmbeddedNode> start_node(const net::ServerOptions& options,
                                              net::RegtestChain chain);

}  // namespace petal::cli
