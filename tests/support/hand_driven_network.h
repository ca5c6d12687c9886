/// Sync against embedded nodes without sockets. A test decides which message is delivered next.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "regtest/chain/regtest_chain.h"
#include "tests/support/simulated_network.h"

namespace petal::test {

/// Delivers the engine's messages at once, and a node's messages one at a time on request. This
/// allows orders of events that never occur in SimulatedNetwork.
class HandDrivenNetwork : private SimulatedNetwork {
public:
    using SimulatedNetwork::now;
    using SimulatedNetwork::on_command;
    using SimulatedNetwork::SimulatedNetwork;

    net::PeerId connect(const regtest::RegtestChain& chain, regtest::NodeBehaviour behaviour = {});
    /// Connects a peer with a node that sends nothing. The engine gets only the messages of
    /// inject().
    net::PeerId connect_silent_peer();
    /// Breaks the connection.
    void cut(net::PeerId peer);
    /// Alters the node's messages from now on.
    void alter_messages(net::PeerId peer, std::function<void(net::Message&)> how);

    /// Delivers the next message of the node. Returns whether there was a message.
    bool deliver_next(net::PeerId peer);
    void deliver_all(net::PeerId peer);
    void drop_pending(net::PeerId peer);
    /// Delivers this message as if the peer had sent it.
    void inject(net::PeerId peer, net::Message message);
    /// Advances the time, and notifies the engine.
    void advance(std::chrono::milliseconds time);

    /// The number of messages of this command that the engine has sent to a peer.
    std::size_t sent(net::PeerId peer, const std::string& command) const;
    /// The nonce of the last ping that the engine has sent to the peer. Empty after this call until
    /// the next ping.
    std::optional<std::uint64_t> take_ping(net::PeerId peer);
    /// Whether the engine has dropped the peer.
    bool is_dropped(net::PeerId peer) const { return dropped(peer).has_value(); }

private:
    void fetch_pending(net::PeerId peer);

    std::map<net::PeerId, std::deque<net::Message>> pending_;
    std::map<net::PeerId, std::function<void(net::Message&)>> alterations_;
};

}  // namespace petal::test
