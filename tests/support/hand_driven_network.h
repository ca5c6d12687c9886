/// Sync against embedded nodes without sockets, where a test decides which side speaks next.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "net/regtest/regtest_node.h"
#include "net/sync/sync_engine.h"

namespace petal::test {

/// Delivers the engine's messages at once, and a node's messages one at a time on request. This
/// allows orders of events that never occur in SimulatedNetwork.
class HandDrivenNetwork {
public:
    explicit HandDrivenNetwork(net::SyncEngine& engine) : engine_(engine) {}

    net::PeerId connect(const net::RegtestChain& chain, net::NodeBehaviour behaviour = {});
    /// Connects a peer without a node: it sends only the messages of say().
    net::PeerId connect_puppet();
    /// Breaks the connection.
    void cut(net::PeerId peer);
    /// Alters the node's messages from now on.
    void falsify(net::PeerId peer, std::function<void(net::Message&)> how);

    /// Delivers the next message of the node. Returns whether there was one.
    bool hear(net::PeerId peer);
    /// Delivers all messages of the node.
    void hear_out(net::PeerId peer);
    /// Drops the pending messages of the node.
    void lose_words(net::PeerId peer);
    /// Delivers this message as if the peer had sent it.
    void say(net::PeerId peer, net::Message message);
    /// Advances the time, and notifies the engine.
    void advance(std::chrono::milliseconds time);

    /// Called for each command of the engine.
    std::function<void(const net::Command&)> on_command;

    net::Now now() const { return now_; }
    /// The number of messages of this command that the engine has sent to a peer.
    std::size_t sent(net::PeerId peer, const std::string& command) const;
    /// The nonce of the last ping that the engine has sent to the peer; after this call, empty
    /// until the next ping.
    std::optional<std::uint64_t> take_ping(net::PeerId peer);
    /// Whether the engine has dropped the peer.
    bool is_dropped(net::PeerId peer) const { return links_.at(peer).dropped; }

private:
    struct Link {
        std::optional<net::RegtestNode> node;  // none for a puppet
        std::deque<net::Message> words{};
        std::function<void(net::Message&)> falsify{};
        std::map<std::string, std::size_t> sent{};
        std::optional<std::uint64_t> ping{};
        bool dropped = false;
    };

    net::PeerId add(std::optional<net::RegtestNode> node);
    void fetch_words(Link& link);
    void carry_out_commands();
    void carry_out(const net::Send& send);

    net::SyncEngine& engine_;
    std::map<net::PeerId, Link> links_;
    net::PeerId next_peer_ = 1;
    net::Now now_{std::chrono::milliseconds{1'000}, 1'700'000'000};
};

}  // namespace petal::test
