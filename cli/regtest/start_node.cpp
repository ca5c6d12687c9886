#include "cli/regtest/start_node.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "cli/command_error.h"

namespace petal::cli {

std::unique_ptr<net::EmbeddedNode> start_node(const net::ServerOptions& options,
                                              net::RegtestChain chain) {
    try {
        return std::make_unique<net::EmbeddedNode>(options, std::move(chain));
    } catch (const std::runtime_error& error) {
        // Boost adds in brackets which of its lines threw it.
        const std::string what = error.what();
        throw CommandError(ExitStatus::failed, "cannot-listen",
                           "cannot listen on port " + std::to_string(options.port) + ": " +
                               what.substr(0, what.find(" [")) +
                               "; choose another port, or 0 for any");
    }
}

}  // namespace petal::cli
