/// How the commands start an embedded node.
#pragma once

#include <memory>
#include <stdexcept>

#include "cli/command_error.h"
#include "net/io/serve/embedded_node.h"

namespace petal::cli {

/// The error for an address that could not be listened on.
CommandError cannot_listen(const net::Endpoint& place, const std::runtime_error& error);

/// Serves the chain. Throws CommandError `cannot-listen` if the port is in use.
std::unique_ptr<net::EmbeddedNode> start_node(const net::ServerOptions& options,
                                              net::RegtestChain chain);

}  // namespace petal::cli
