/// Options of a regtest server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "regtest/chain/regtest_chain.h"
#include "regtest/node_behaviour.h"
#include "regtest/node_peers.h"

namespace petal::regtest {

struct ServerOptions {
    std::string host = "127.0.0.1";  ///< an address of this machine
    std::uint16_t port = 0;          ///< 0: any free port
    /// Whether to accept connections. If not, the host and the port are ignored.
    bool listens = true;
    NodeBehaviour behaviour;  ///< of each connection
    /// Called on the node's thread when the chain or the connections may have changed, before the
    /// peers and the caller of a method are notified. Must not throw.
    std::function<void(const RegtestChain&, const NodePeers&)> on_change = {};
    /// Writes each message separately, as Bitcoin Core does. A client that reads at once is woken
    /// for each message.
    bool one_write_per_message = false;
    /// The maximum number of connections. Further connections are closed (Bitcoin Core:
    /// DEFAULT_MAX_PEER_CONNECTIONS).
    std::size_t max_connections = 125;
};

}  // namespace petal::regtest
