/// A complete regtest node in one object: for tests, the demo, and as a command.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "net/io/dial/endpoint.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/node_peers.h"
#include "regtest/serve/http_server.h"
#include "regtest/serve/server_options.h"

namespace petal::regtest {

/// Owns a regtest chain, and serves it on a port from a thread of its own. All functions
/// may be called from any other thread.
class EmbeddedNode {
public:
    /// Serves from now on. Throws boost::system::system_error if the port is taken, or the host is
    /// no IP address of this machine.
    explicit EmbeddedNode(const ServerOptions& options = {}, RegtestChain chain = RegtestChain{});
    /// Closes the port and all connections.
    ~EmbeddedNode();
    EmbeddedNode(const EmbeddedNode&) = delete;
    EmbeddedNode& operator=(const EmbeddedNode&) = delete;

    std::uint16_t port() const;
    /// The address at which it listens: the host of the options and the port.
    net::Endpoint endpoint() const;

    /// Calls `use` with the chain, on the node's thread, and returns its result or throws its
    /// exception. Changes have been announced to the clients when this returns, or are about to be.
    template <typename Use>
    std::invoke_result_t<Use, RegtestChain&> with_chain(Use use);

    /// The behaviour for connections that are accepted from now on.
    void set_behaviour(NodeBehaviour behaviour);

    /// Closes all connections and the port; the chain stays.
    void stop_listening();
    /// Listens again, on the same port, if it does not listen. Throws boost::system::system_error
    /// if the port is taken meanwhile.
    void resume_listening();

    using HttpTask = std::function<HttpAnswer(RegtestChain&, NodePeers&, const HttpRequest&)>;
    /// Starts to answer HTTP requests, and returns the port. Throws boost::system::system_error if
    /// the port is taken. At most once.
    /// answer   called on the node's thread; its changes are announced to the clients
    std::uint16_t serve_http(const HttpOptions& options, HttpTask answer);

    /// Calls `task` on the node's thread with its chain and its connections, and rethrows its
    /// exception.
    void run(const std::function<void(RegtestChain&, NodePeers&)>& task);

    std::size_t connection_count();
    /// How many connections were ever accepted.
    std::uint64_t accepted_count();

private:
    class State;

    void run_with_chain(const std::function<void(RegtestChain&)>& task);

    std::unique_ptr<State> state_;
};

template <typename Use>
std::invoke_result_t<Use, RegtestChain&> EmbeddedNode::with_chain(Use use) {
    using Result = std::invoke_result_t<Use, RegtestChain&>;
    if constexpr (std::is_void_v<Result>) {
        run_with_chain([&use](RegtestChain& chain) { use(chain); });
    } else {
        static_assert(!std::is_reference_v<Result>, "what it refers to may change meanwhile");
        std::optional<Result> result;
        run_with_chain([&](RegtestChain& chain) { result.emplace(use(chain)); });
        return *std::move(result);
    }
}

}  // namespace petal::regtest
