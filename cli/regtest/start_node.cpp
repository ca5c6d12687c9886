#include "cli/regtest/start_node.h"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace petal::cli {

namespace {

bool has_failed_by(const std::runtime_error& error, int number) {
    return listen_failure(error).ends_with(std::generic_category().message(number));
}

}  // namespace

std::string listen_failure(const std::runtime_error& error) {
    const std::string what = error.what();
    return what.substr(0, what.find(" ["));
}

bool is_port_taken(const std::runtime_error& error) {
    return has_failed_by(error, EADDRINUSE);
}

CommandError cannot_listen(const net::Endpoint& place, std::string_view option,
                           const std::runtime_error& error) {
    const bool is_address = has_failed_by(error, EADDRNOTAVAIL);
    const std::string likely = is_port_taken(error) ? "another regtest node may be running: " : "";
    return {ExitStatus::failed, "cannot-listen",
            "cannot listen on " + to_string(place) + ": " + listen_failure(error) +
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
