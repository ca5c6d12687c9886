/// A complete regtest node in one object, for tests, the demo, and `petal regtest-node`.
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

/// Owns a regtest chain, and serves the chain on a port from its own thread. All functions may be
/// called from any other thread.
class EmbeddedNode {
public:
    /// Serves from now on. Throws boost::system::system_error if the port is taken, or the host is
    /// not an IP address of this machine.
    explicit EmbeddedNode(const ServerOptions& options = {}, RegtestChain chain = RegtestChain{});
    /// Closes the port and all connections.
    ~EmbeddedNode();
    EmbeddedNode(const EmbeddedNode&) = delete;
    EmbeddedNode& operator=(const EmbeddedNode&) = delete;

    std::uint16_t port() const;
    /// The listening address: the host of the options, and the port.
    net::Endpoint endpoint() const;

    /// Calls `use` with the chain, on the node's thread. Returns the result or throws the exception
    /// of `use`. By the time this returns, changes of the chain are announced or about to be
    /// announced.
    template <typename Use>
    std::invoke_result_t<Use, RegtestChain&> with_chain(Use use);

    /// The behaviour of connections accepted from now on.
    void set_behaviour(NodeBehaviour behaviour);

    /// Closes all connections and the port. The chain stays.
    void stop_listening();
    /// Listens again on the same port, if stopped. Throws boost::system::system_error if the port
    /// was taken meanwhile.
    void resume_listening();

    using HttpTask = std::function<HttpAnswer(RegtestChain&, NodePeers&, const HttpRequest&)>;
    /// Starts to answer HTTP requests, and returns the port. Throws boost::system::system_error if
    /// the port is taken. Call this at most once.
    /// answer   called on the node's thread. Changes of the chain are announced to the clients
    std::uint16_t serve_http(const HttpOptions& options, HttpTask answer);

    /// Calls `task` with the chain and the connections, on the node's thread. Rethrows the
    /// exception of `task`.
    void run(const std::function<void(RegtestChain&, NodePeers&)>& task);

    std::size_t connection_count();
    /// The number of connections accepted so far.
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
