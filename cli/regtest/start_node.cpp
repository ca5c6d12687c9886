#include "cli/regtest/start_node.h"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace petal::cli {

CommandError cannot_listen(const net::Endpoint& place, std::string_view option,
                           const std::runtime_error& error) {
    // Boost appends the source line of the throw, in brackets.
    const std::string what = error.what();
    const std::string no_own_address = std::generic_category().message(EADDRNOTAVAIL);
    const bool is_address = what.find(no_own_address) != what.npos;
    const bool is_taken = what.find(std::generic_category().message(EADDRINUSE)) != what.npos;
    const std::string likely = is_taken ? "another regtest node may be running: " : "";
    return {ExitStatus::failed, "cannot-listen",
            "cannot listen on " + to_string(place) + ": " + what.substr(0, what.find(" [")) +
                (is_address ? "; choose an address of this machine"
                            : "; " + likely + "choose another port with " + std::string(option) +
                                  ", or 0 for any")};
}

std::unique_ptr<regtest::EmbeddedNode> start_node(const regtest::ServerOptions& options,
                                                  regtest::RegtestChain chain,
                                                  std::string_view option) {
    try {
        return std::make_unique<regtest::EmbeddedNode>(options, std::move(chain));
    } catch (const std::runtime_error& error) {
        throw cannot_listen({options.host, options.port}, option, error);
    }
}

}  // namespace petal::cli
