/// How the commands start an embedded node.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/text/command_error.h"
#include "regtest/serve/embedded_node.h"

namespace petal::cli {

/// Why listening on an address failed, such as "bind: Address already in use", without the source
/// line that Boost appends.
std::string listen_failure(const std::runtime_error& error);
/// Whether listening failed because the port is in use.
bool is_port_taken(const std::runtime_error& error);

/// The error if listening on an address failed.
/// option   the option that names the port
CommandError cannot_listen(const net::Endpoint& place, std::string_view option,
                           const std::runtime_error& error);

/// Serves the chain. Throws CommandError `cannot-listen` if the port is in use.
/// option   the option that names the port
std::unique_ptr<regtest::EmbeddedNode> start_node(const regtest::ServerOptions& options,
                                                  regtest::RegtestChain chain,
                                                  std::string_view option);

}  // namespace petal::cli
